// Computes how far the output of one plan is from the output of another plan.
#pragma once

#include "engine/voxel/features.hpp"

#include <cstdint>

namespace spira {

struct OutputDifference {
  double max_abs = 0;
  double max_rel = 0;  ///< `max_abs` divided by the largest value of the reference.
  /// True if `max_rel` is within the tolerance, and NaN and infinities are at the same places.
  bool ok = true;
  std::int64_t non_finite = 0;  ///< Values that are NaN or infinite in one output or in both.
};

/// Returns the tolerance as a share of the largest value. Sums in another order differ by rounding only.
[[nodiscard]] double output_tolerance(Precision precision) noexcept;

/// Both outputs must be in host memory. Throws `Error(internal)` if their shapes or precisions differ.
[[nodiscard]] OutputDifference output_difference(const Features& output, const Features& reference);

}  // namespace spira
