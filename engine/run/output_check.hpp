// The output of each layer under a plan against the same layer with t = max: hybrids only order sums anew.
#pragma once

#include "engine/run/output_difference.hpp"
#include "engine/run/session.hpp"

#include <vector>

namespace spira {

/// Returns one difference per layer, each from the inputs that the plan gave the layer. Layers that were not
/// run with `plan` run first. A layer with NaN or infinite values is never right: such values hide errors.
/// Throws Error(cancelled), Error(device).
[[nodiscard]] std::vector<OutputDifference> check_outputs(Session& session, const Plan& plan, Job& job);

}  // namespace spira
