// How far the output of one plan is from that of another.
#pragma once

#include "engine/voxel/features.hpp"

#include <cstdint>

namespace spira {

struct OutputDifference {
  double max_abs = 0;
  double max_rel = 0;           ///< max_abs over the largest value of the other
  bool ok = true;               ///< max_rel within the tolerance; NaN and infinities at the same places
  std::int64_t non_finite = 0;  ///< Values that are NaN or infinite in one output or in both.
};

/// Of the largest value: sums in another order differ by rounding only.
[[nodiscard]] double output_tolerance(Precision precision) noexcept;

/// Both in host memory and of one shape; throws Error(internal) else.
[[nodiscard]] OutputDifference output_difference(const Features& output, const Features& reference);

}  // namespace spira
