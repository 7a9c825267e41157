// The baseline of feature computation: gather, matrix products by cuBLAS, products added up by output (as in
// TorchSparse).
#pragma once

#include "engine/backend/backend.hpp"
#include "kernels/cuda/conv_kernels.hpp"

#include <memory>

namespace spira::cuda {

/// What a map of pair lists keeps for it, each made when a layer first needs it.
[[nodiscard]] std::shared_ptr<RowOrders> make_gather_orders();

/// The whole layer, bias, residual and ReLU included, into layer.out. layer.weight is [K^3][C_in][C_out] in
/// the storage type. The map has one part, of pair lists. Recorded as gather, gemm and scatter, and where a
/// map or shape is new as "order": then several ways to group the columns are tried, and the fastest is kept.
/// Each output adds its products in the same order every time. Throws Error(device) where cuBLAS is missing.
void gather_gemm_scatter(const Device& device, const KernelMap& map, const ConvRequest& request,
                         Precision precision, const LayerOnDevice& layer, Job& job);

}  // namespace spira::cuda
