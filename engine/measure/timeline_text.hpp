// Texts about a timeline, used wherever a timeline is shown.
#pragma once

#include "engine/job/timeline.hpp"

#include <string>

namespace spira {

/// Returns "timer overhead is 0.021 ms per run", or a text that says that the cost is within the spread of
/// the runs.
[[nodiscard]] std::string mark_cost_text(const Timeline& timeline);

}  // namespace spira
