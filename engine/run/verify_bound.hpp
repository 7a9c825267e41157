// The error that a result may have, value by value and from the data (never a global epsilon).
#pragma once

#include "engine/backend/backend.hpp"

#include <cstdint>
#include <vector>

namespace spira {

/// For each value of a layer: the number of products n and sum |f * w| + |bias| + |residual|, in double.
struct ErrorScale {
  std::vector<std::int64_t> products;  ///< [rows]
  std::vector<double> magnitude;       ///< [rows][channels]
};
[[nodiscard]] ErrorScale error_scale(const KernelMap& map, const Features& in, const UploadedWeights& weights,
                                     const ConvRequest& request, Job& job);

struct WorstError {
  double ratio = 0;  ///< largest |y - y_ref| / bound; at most 1 is right
  double absolute = 0, relative = 0;
  bool special_values_agree = true;  ///< NaN and infinities are at the same places, with the same sign
  std::int64_t non_finite = 0;       ///< Values that are NaN or infinite in one result or in both.
};
/// bound = (n + 2) * u * sum|f w| + 2 * u_storage * |y_ref| + the type's smallest step
/// (both sides are rounded to storage), with u = 2^-24 (scalar fused multiply-add in fp32) and
/// u_storage = 2^-11 for fp16, 2^-24 for fp32.
[[nodiscard]] WorstError compare(const Features& result, const Features& reference, const ErrorScale& scale);

}  // namespace spira
