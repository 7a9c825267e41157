// Baselines for comparisons with the kernels of this project: gather-GEMM-scatter (as in TorchSparse) with
// cuBLAS matrix products, and the highest measured rates of the device.
#pragma once

#include "engine/backend/backend.hpp"

namespace spira::cuda {

struct Device;
struct LayerOnDevice;

/// Computes a whole layer, including bias, residual and ReLU, and writes it to layer.out. layer.weight must
/// have the shape [K^3][C_in][C_out] and the storage type. The map must have one part, in pair_lists layout.
/// Records the "gather", "gemm" and "scatter" stages. The first call for a map and a shape also tries several
/// groupings of the columns, keeps the fastest, and records the "order" stage. The products of an output are
/// always added in the same order. Throws Error(device) if cuBLAS is missing.
void gather_gemm_scatter(const Device& device, const KernelMap& map, const ConvRequest& request,
                         Precision precision, const LayerOnDevice& layer, Job& job);

/// Measures the highest rates of a memory copy and of a matrix product. Benchmarks compute lower bounds of
/// times from these rates. Uses `stages` to time a copy by the CUDA runtime and a matrix product by cuBLAS.
/// Waits for the device.
[[nodiscard]] DeviceRates measure_rates(const Device& device, StageSource& stages, Precision precision,
                                        Job& job);

}  // namespace spira::cuda
