// Texts about a timeline for all views and exports that show a timeline.
#pragma once

#include "engine/job/timeline.hpp"

#include <string>

namespace spira {

/// Returns "timer overhead is 0.021 ms per run", or a text that the overhead is within the spread of the
/// runs.
[[nodiscard]] std::string mark_cost_text(const Timeline& timeline);

}  // namespace spira
