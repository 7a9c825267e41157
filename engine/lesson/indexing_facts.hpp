// Facts of the lesson on network-wide indexing, and of what was measured.
#pragma once

#include "engine/lesson/facts.hpp"

namespace spira {

/// Group "indexing": levels in the closed form and step by step.
[[nodiscard]] std::vector<std::string> indexing_fact_names();
[[nodiscard]] std::vector<Fact> indexing_facts(const LessonInput& input, Job& job);

/// Group "network": the measured run of the input: serial against side by side, and memory of the maps.
/// Without a run there are none.
[[nodiscard]] std::vector<std::string> network_fact_names();
[[nodiscard]] std::vector<Fact> network_facts(const LessonInput& input, Job& job);

/// Group "threshold": times of each t that the run swept, and what the model of its report says.
[[nodiscard]] std::vector<std::string> threshold_fact_names();
[[nodiscard]] std::vector<Fact> threshold_facts(const LessonInput& input, Job& job);

/// Group "search_times": medians of the searches, where they were measured on the open scene.
[[nodiscard]] std::vector<std::string> search_time_fact_names();
[[nodiscard]] std::vector<Fact> search_time_facts(const LessonInput& input, Job& job);

}  // namespace spira
