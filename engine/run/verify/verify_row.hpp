// Declares functions that several checks of verify() use. They create result rows, and decide whether two
// layers use the same kernels in the same way.
#pragma once

#include "engine/backend/backend.hpp"
#include "engine/base/text.hpp"
#include "engine/network/network.hpp"
#include "engine/run/verify/verify.hpp"
#include "engine/run/voxel_scene.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace spira {

// The declarations below compute the allowed error (bound) of each value of a result. The bound is not fixed;
// it depends on the data.

/// The scale of the rounding error of each sum in the output of a layer: the number of products, and the
/// magnitude sum |f * w| + |bias| + |residual|. The magnitudes are computed in double precision.
struct ErrorScale {
  std::vector<std::int64_t> products;  ///< Number of products per output row. Shape: `[rows]`.
  std::vector<double> magnitude;       ///< Shape: `[rows][channels]`.
};
/// Returns the error scale of an operation on rows. If a step multiplies by a scale, the magnitude is
/// multiplied by it too.
[[nodiscard]] ErrorScale error_scale(const RowRequest& request);
/// Returns the error scale of the steps that follow a product with the error scale `product`. The magnitude
/// of a product can be much larger than its value, if its terms cancel.
[[nodiscard]] ErrorScale error_scale(const RowRequest& steps, ErrorScale product);
/// Returns the error scale of the sum of several levels.
[[nodiscard]] ErrorScale error_scale(const SetSumRequest& request);
/// Returns the error scale of a layer that moves features between voxels and points.
[[nodiscard]] ErrorScale error_scale(const PointRequest& request);
/// Returns the error scale of a pool.
[[nodiscard]] ErrorScale error_scale(const KernelMap& map, const Features& in, PoolReduction reduction);
[[nodiscard]] ErrorScale error_scale(const KernelMap& map, const Features& in, const UploadedWeights& weights,
                                     const ConvRequest& request, Job& job);

struct WorstError {
  /// The largest value of |y - y_ref| / bound. The result is correct if this value is at most 1.
  double ratio = 0;
  double absolute = 0, relative = 0;
  /// True if NaN and infinite values are at the same positions and have the same signs in both results.
  bool special_values_agree = true;
  /// Number of values that are NaN or infinite in at least one of the results.
  std::int64_t non_finite = 0;
  std::int64_t infinite = 0;  ///< Number of values with the same infinity in both results.
  std::int64_t finite = 0;    ///< Number of values that were compared with the bound.
  bool fp16 = false;          ///< True if the results are stored in fp16.
};
/// Compares a result with the reference, value by value. The bound of a value is
///   (n + 2) * u * sum|f w| + 2 * u_storage * |y_ref| + tiny
/// u is 2^-24 (fused multiply-add in fp32). u_storage is 2^-11 for fp16 and 2^-24 for fp32; its term has the
/// factor 2 because both results are rounded to the storage type. tiny is 2^-24 for fp16 and 2^-126 for fp32.
[[nodiscard]] WorstError compare(const Features& result, const Features& reference, const ErrorScale& scale);

[[nodiscard]] inline VerifyRow verify_row(const std::string& layer, const std::string& setting,
                                          std::string with, bool maps_equal, const WorstError& worst) {
  VerifyRow row;
  row.layer = layer;
  row.setting = setting;
  row.with = std::move(with);
  row.worst_ratio = worst.ratio;
  row.worst_abs = worst.absolute;
  row.worst_rel = worst.relative;
  row.maps_equal = maps_equal;
  const bool agrees = maps_equal && worst.ratio <= 1.0 && worst.special_values_agree;
  // If all values are NaN or infinite, nothing was verified.
  row.passed = agrees && (worst.non_finite == 0 || (worst.fp16 && worst.finite > 0));
  row.overflow = row.passed && worst.non_finite > 0;
  if (row.overflow)
    row.note = counted_text(worst.non_finite, "value overflows", "values overflow") +
               " fp16 on both back ends (" +
               (worst.infinite == worst.non_finite ? "infinite" : "NaN or infinite") + ")";
  if (row.passed) return row;
  if (!maps_equal) {
    row.fault = "differs from the reference";
  } else if (!worst.special_values_agree) {
    row.fault = "NaN or infinity at different positions";
  } else if (worst.ratio > 1.0) {
    row.fault = "the error exceeds its bound";
  } else {
    // fp32 has the range of the inputs, so such a value is not an overflow of correct results.
    row.fault = counted_text(worst.non_finite, "value is", "values are") + " NaN or infinite";
  }
  return row;
}

/// Returns true if a method rounds products to fp16. Its rounding exceeds the allowed error, so it is not
/// verified.
[[nodiscard]] constexpr bool rounds_products(FeatureMethod method) noexcept {
  return method == FeatureMethod::gather_gemm_scatter_fp16;
}

/// A convolution whose gradients are verified. All members must outlive the call.
struct GradientCheck {
  const Layer& layer;
  const LayerLevels& levels;
  const LayerWeights& weights;
  const Features& in;         ///< The inputs of the layer.
  const KernelMap& true_map;  ///< From the reference.
  const VoxelScene& scene;    ///< From the back end that is verified.
  std::shared_ptr<const KernelOffsets> offsets;
  std::vector<std::string> dataflows{};  ///< VerifyOptions::dataflows.
};
/// Adds one row to `result` for each pass (dgrad, wgrad) and each dataflow with which the pass can run, for a
/// random gradient with respect to the outputs of the layer. Both back ends must have gradients, and results
/// in host memory.
void verify_gradients(Backend& subject, Backend& reference, const GradientCheck& check, VerifyResult& result,
                      Job& job);

[[nodiscard]] inline std::string shape_text(const Layer& layer) {
  const std::string channels = std::to_string(layer.in_channels) + "->" + std::to_string(layer.out_channels);
  if (!layer.has_map()) return layer.name + " " + std::string(text_of(layer.op)) + " " + channels;
  const std::string op = layer.convolution() ? "" : "pool " + std::string(text_of(layer.reduction)) + " ";
  return layer.name + " " + op + cells_text(layer.kernel_size) +
         (layer.neighbourhood.native() ? " " + text_of(layer.neighbourhood) : "") +
         (layer.transposed       ? " up "
          : !layer.submanifold() ? " down "
                                 : " ") +
         channels;
}

/// Identifies how a layer uses the kernels. Of several layers with the same key, only one is verified.
using ShapeKey = std::tuple<MapKey, bool, int, int, bool, Activation, LayerOp, std::array<LayerStep, 3>,
                            std::size_t, PoolReduction, std::vector<int>, PointMode>;
[[nodiscard]] inline ShapeKey shape_key(const Layer& layer, const LayerLevels& levels) {
  return {levels.map,
          layer.transposed,
          layer.in_channels,
          layer.out_channels,
          layer.residual.empty(),
          layer.activation,
          layer.op,
          layer.order,
          layer.inputs.size(),
          layer.reduction,
          layer.changes_set() ? levels.inputs : std::vector<int>{},
          layer.mode};
}

}  // namespace spira
