// Baselines with which our kernels are compared: gather-GEMM-scatter (as in TorchSparse) with matrix products
// by cuBLAS, and the highest measured rates of the device.
#pragma once

#include "engine/backend/backend.hpp"

namespace spira::cuda {

struct Device;
struct LayerOnDevice;

/// Computes the whole layer into layer.out, including bias, residual and ReLU. The shape of layer.weight must
/// be [K^3][C_in][C_out], in the storage type. The map must have one part, in pair_lists layout. Records the
/// stages "gather", "gemm" and "scatter". For a new map or shape, also records "order": tries several ways to
/// group the columns and uses the fastest. Each output adds its products in the same order every time. Throws
/// Error(device) if cuBLAS is missing.
void gather_gemm_scatter(const Device& device, const KernelMap& map, const ConvRequest& request,
                         Precision precision, const LayerOnDevice& layer, Job& job);

/// Returns the highest rates of memory copy and matrix product, from which benchmarks compute lower bounds of
/// times. Times a copy by the CUDA runtime and a matrix product by cuBLAS with `stages`. Waits for the
/// device.
[[nodiscard]] DeviceRates measure_rates(const Device& device, StageSource& stages, Precision precision,
                                        Job& job);

}  // namespace spira::cuda
