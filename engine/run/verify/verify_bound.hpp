// Computes the allowed error of each value of a result. The bound depends on the data; there is no global
// epsilon.
#pragma once

#include "engine/backend/backend.hpp"

#include <cstdint>
#include <vector>

namespace spira {

/// The size of each sum in the output of a layer, in double precision: the number of products n, and the
/// magnitude sum |f * w| + |bias| + |residual|.
struct ErrorScale {
  std::vector<std::int64_t> products;  ///< Shape: `[rows]`.
  std::vector<double> magnitude;       ///< Shape: `[rows][channels]`.
};
[[nodiscard]] ErrorScale error_scale(const KernelMap& map, const Features& in, const UploadedWeights& weights,
                                     const ConvRequest& request, Job& job);

struct WorstError {
  /// Largest value of |y - y_ref| / bound. The result is correct if it is at most 1.
  double ratio = 0;
  double absolute = 0, relative = 0;
  /// True if NaN and infinite values are at the same positions in both results, with the same sign.
  bool special_values_agree = true;
  /// Number of values that are NaN or infinite in one result or in both.
  std::int64_t non_finite = 0;
};
/// Compares a result with the reference, value by value. The bound of a value is:
///   (n + 2) * u * sum|f w| + 2 * u_storage * |y_ref| + tiny
/// u is 2^-24 (scalar fused multiply-add in fp32). u_storage is 2^-11 for fp16 and 2^-24 for fp32. Its term
/// has the factor 2 because both results are rounded to the storage type. tiny is 2^-24 for fp16 and 2^-126
/// for fp32.
[[nodiscard]] WorstError compare(const Features& result, const Features& reference, const ErrorScale& scale);

}  // namespace spira
