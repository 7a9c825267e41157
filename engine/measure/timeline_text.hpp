// What is said of a timeline wherever one is shown.
#pragma once

#include "engine/job/timeline.hpp"

#include <string>

namespace spira {

/// "marks cost 0.021 ms a run", or that this is less than runs differ.
[[nodiscard]] std::string mark_cost_text(const Timeline& timeline);

}  // namespace spira
