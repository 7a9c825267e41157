// Computes the features of a layer on the device (equation 2 of the Spira paper) in the output-stationary,
// weight-stationary or hybrid dataflow.
#pragma once

#include "engine/backend/backend.hpp"
#include "kernels/cuda/device/device.hpp"

namespace spira::cuda {

/// Throws Error(input) if a weight is not finite in this precision: the kernels multiply zeros instead of a
/// missing input, and zero times infinity is NaN.
void require_finite(const LayerWeights& weights, Precision precision);
/// Uploads the weights of a layer. fp32 weights keep the order [K^3][C_in][C_out]; fp16 weights get the order
/// of mma fragments (weight_order.hpp). Calls require_finite().
[[nodiscard]] UploadedWeights upload_weights(const Device& device, const LayerWeights& weights,
                                             Precision precision);

[[nodiscard]] Features convolve(const Device& device, const KernelMap& map, const Features& in,
                                const UploadedWeights& weights, const ConvRequest& request, Job& job);
/// Returns the memory that convolve() needs for a layer, excluding its map, inputs and result.
[[nodiscard]] LayerMemory layer_memory(const Device& device, const MemoryShape& shape);
/// Adds the rows of equal voxels of several levels. See Backend::add_sets().
[[nodiscard]] Features add_sets(const Device& device, const SetSumRequest& request, Job& job);
/// Moves features between voxels and points. See Backend::compute_rows(). Finds the rows on the host.
[[nodiscard]] Features move_points(const Device& device, const PointRequest& request,
                                   const CoordSet& level_on_host, Job& job);
/// Reduces the matches of each output. See Backend::pool().
[[nodiscard]] Features pool(const Device& device, const KernelMap& map, const Features& in,
                            PoolReduction reduction, Job& job);
/// Computes an operation on rows. See Backend::compute_rows().
[[nodiscard]] Features compute_rows(const Device& device, const RowRequest& request, Job& job);

}  // namespace spira::cuda
