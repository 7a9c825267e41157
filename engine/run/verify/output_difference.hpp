// Compares the outputs of a plan with the outputs of another plan. The threshold t only changes the order of
// sums, so the outputs must agree within rounding.
#pragma once

#include "engine/voxel/features.hpp"

#include <cstdint>
#include <vector>

namespace spira {

class Job;
struct Plan;
class Session;

struct OutputDifference {
  double max_abs = 0;
  double max_rel = 0;  ///< `max_abs` divided by the largest value of the reference.
  /// True if `max_rel` is within the tolerance, and NaN and infinities are at the same places.
  bool ok = true;
  std::int64_t non_finite = 0;  ///< Values that are NaN or infinite in one output or in both.
};

/// Returns the tolerance as a share of the largest value. Sums in another order differ only by rounding.
[[nodiscard]] double output_tolerance(Precision precision) noexcept;

/// Compares two outputs of a layer. Both must be in host memory. Throws `Error(internal)` if their shapes or
/// precisions differ.
[[nodiscard]] OutputDifference output_difference(const Features& output, const Features& reference);

/// Compares the outputs of `plan` with the outputs for t = max, and returns one difference per layer. Both
/// outputs of a layer are computed from the inputs that the layer has in `plan`. Layers that were not run
/// with `plan` run first. A layer with NaN or infinite values always fails the check, because such values
/// hide errors. Throws `Error(cancelled)` or `Error(device)`.
[[nodiscard]] std::vector<OutputDifference> check_outputs(Session& session, const Plan& plan, Job& job);

}  // namespace spira
