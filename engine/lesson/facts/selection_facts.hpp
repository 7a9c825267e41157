// The selection as facts. Lessons show these facts and use them to check answers that the user gives by
// selecting.
#pragma once

#include "engine/lesson/facts/facts.hpp"

namespace spira {

[[nodiscard]] std::vector<std::string> selection_fact_names();
/// Omits the facts about objects that are not selected; the counts of such objects are 0.
[[nodiscard]] std::vector<Fact> selection_facts(const LessonInput& input, Job& job);

}  // namespace spira
