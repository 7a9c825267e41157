// Computes one layer of a network: a convolution or a pool with its steps, or an operation on rows.
#pragma once

#include "engine/backend/backend.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace spira {

/// The features that a layer reads, in the order of Layer::inputs.
struct LayerInputs {
  std::vector<const Features*> parts;
  const Features* residual = nullptr;
  /// The levels of `parts` and of the result. Needed only if Layer::changes_set().
  std::vector<const CoordSet*> levels{};
  const CoordSet* out = nullptr;
  /// The points of the scene and the shift of its levels. Needed only if Layer::moves_points().
  const PointRows* points = nullptr;
  std::array<std::int64_t, 3> shift{};
};

/// Returns true if each voxel of the finer level of a strided or transposed layer is in at most one pair.
/// This is the case if the kernel is not larger than the stride.
[[nodiscard]] bool at_most_one_pair(const Layer& layer) noexcept;
/// Returns the convolution request of a layer. convolve() adds the residual and applies the ReLU itself only
/// if no other step comes before them.
[[nodiscard]] ConvRequest conv_request(const Layer& layer, const Features* residual);
/// Returns the steps that convolve() does not compute. They must run after the convolution. For layers
/// without a convolution, returns all steps.
[[nodiscard]] std::vector<RowStep> remaining_steps(const Layer& layer, const UploadedWeights& weights,
                                                   const Features* residual);
/// Returns the operation that combines the inputs of a layer without a convolution. Returns `concat` for
/// affine, activation and dense layers, because they copy their input and then run their steps.
[[nodiscard]] LayerOp row_operation(const Layer& layer) noexcept;
/// Returns the request for the sum of a union_add or drop_axis.
[[nodiscard]] SetSumRequest set_sum_request(const Layer& layer, const LayerInputs& in);
/// Returns the request for a to_points or to_voxels.
[[nodiscard]] PointRequest point_request(const Layer& layer, const LayerInputs& in);
/// Returns the request for a layer that reads no kernel map.
[[nodiscard]] RowRequest row_request(const Layer& layer, const LayerInputs& in,
                                     const UploadedWeights& weights);
/// Computes a layer. `map` may be `nullptr` if the layer reads no map (Layer::has_map()).
[[nodiscard]] Features compute_layer(Backend& backend, const Layer& layer, const LayerInputs& in,
                                     const KernelMap* map, FeatureMethod method,
                                     const UploadedWeights& weights, Job& job);

}  // namespace spira
