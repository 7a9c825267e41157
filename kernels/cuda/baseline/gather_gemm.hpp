// Gather-GEMM-scatter, the baseline of feature computation (as in TorchSparse). It gathers input rows,
// multiplies them with cuBLAS, and adds up the products of each output.
#pragma once

#include "engine/backend/backend.hpp"
#include "kernels/cuda/conv/conv_kernels.hpp"

namespace spira::cuda {

/// Computes the whole layer into layer.out, including bias, residual and ReLU. layer.weight must be
/// [K^3][C_in][C_out] in the storage type. The map must have one part, which must be pair lists. Records the
/// stages "gather", "gemm" and "scatter". For a new map or shape it also records "order": it tries several
/// ways to group the columns and keeps the fastest. Each output adds its products in the same order every
/// time. Throws Error(device) if cuBLAS is missing.
void gather_gemm_scatter(const Device& device, const KernelMap& map, const ConvRequest& request,
                         Precision precision, const LayerOnDevice& layer, Job& job);

}  // namespace spira::cuda
