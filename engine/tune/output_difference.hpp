// How far the output of one plan is from that of another.
#pragma once

#include "engine/tune/tuning_profile.hpp"
#include "engine/voxel/features.hpp"

namespace spira {

/// Of the largest value: sums in another order differ by rounding only.
[[nodiscard]] double output_tolerance(Precision precision) noexcept;

/// Both in host memory and of one shape; throws Error(internal) else.
[[nodiscard]] OutputDifference output_difference(const Features& output, const Features& reference);

}  // namespace spira
