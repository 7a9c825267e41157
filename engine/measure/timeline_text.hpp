// Formats texts about a timeline. All views and exports of timelines use them.
#pragma once

#include "engine/job/timeline.hpp"

#include <string>

namespace spira {

/// Returns the timer overhead as text, such as "timer overhead is 0.021 ms per run". The text is different if
/// the overhead was not measured or is below the spread of the runs.
[[nodiscard]] std::string mark_cost_text(const Timeline& timeline);

}  // namespace spira
