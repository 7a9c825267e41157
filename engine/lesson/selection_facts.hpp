// What the user has chosen, as facts: lessons ask about it, and check answers that are given by choosing.
#pragma once

#include "engine/lesson/facts.hpp"

namespace spira {

[[nodiscard]] std::vector<std::string> selection_fact_names();
/// Numbers about something that is not chosen are left out, counts of it are 0.
[[nodiscard]] std::vector<Fact> selection_facts(const LessonInput& input, Job& job);

}  // namespace spira
