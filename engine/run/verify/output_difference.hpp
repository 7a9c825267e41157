// Compares the outputs of two plans. The threshold t only changes the order in which products are summed, so
// the outputs must be equal except for rounding errors.
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
  /// `max_abs` divided by the largest value of the reference output.
  double max_rel = 0;
  /// True if `max_rel` is within the tolerance, and NaN and infinite values are at the same positions in both
  /// outputs.
  bool ok = true;
  std::int64_t non_finite = 0;  ///< Values that are NaN or infinite in one output or in both.
};

/// Returns the allowed difference as a share of the largest value. Sums in another order differ only by
/// rounding errors.
[[nodiscard]] double output_tolerance(Precision precision) noexcept;

/// Compares two outputs of a layer. Both must be in host memory. Throws `Error(internal)` if their shapes or
/// precisions differ.
[[nodiscard]] OutputDifference output_difference(const Features& output, const Features& reference);

/// Compares the outputs of `plan` with the outputs for t = max, and returns one difference per layer. Both
/// outputs of a layer are computed from the same inputs, which `plan` produced. Layers that have not run with
/// `plan` run first. A layer with NaN or infinite values always fails the check, because such values hide
/// errors. Throws `Error(cancelled)` or `Error(device)`.
[[nodiscard]] std::vector<OutputDifference> check_outputs(Session& session, const Plan& plan, Job& job);

}  // namespace spira
