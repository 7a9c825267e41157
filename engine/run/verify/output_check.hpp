// Compares the output of each layer under a plan with the output of the same layer with t = max. Hybrids only
// change the order of sums.
#pragma once

#include "engine/run/verify/output_difference.hpp"

#include <vector>

namespace spira {

class Job;
struct Plan;
class Session;

/// Returns one difference per layer. Each layer is compared on the inputs that the plan gave it. Layers that
/// were not run with `plan` run first. A layer with NaN or infinite values always fails the check, because
/// such values hide errors. Throws `Error(cancelled)` or `Error(device)`.
[[nodiscard]] std::vector<OutputDifference> check_outputs(Session& session, const Plan& plan, Job& job);

}  // namespace spira
