// Facts of the lesson on network-wide indexing, and facts about the measured run.
#pragma once

#include "engine/lesson/facts/facts.hpp"

namespace spira {

/// Group "indexing": the levels of the scene, computed in closed form and step by step.
[[nodiscard]] std::vector<std::string> indexing_fact_names();
[[nodiscard]] std::vector<Fact> indexing_facts(const LessonInput& input, Job& job);

/// Group "network": serial and concurrent times of the measured run, and the memory of its kernel maps.
/// Without a run, only "network.measured" exists.
[[nodiscard]] std::vector<std::string> network_fact_names();
[[nodiscard]] std::vector<Fact> network_facts(const LessonInput& input, Job& job);

/// Group "threshold": measured time of each t in the sweep of the run, and the modelled time.
[[nodiscard]] std::vector<std::string> threshold_fact_names();
[[nodiscard]] std::vector<Fact> threshold_facts(const LessonInput& input, Job& job);

/// Group "search_times": median times of the map searches, if they were measured on the open scene.
[[nodiscard]] std::vector<std::string> search_time_fact_names();
[[nodiscard]] std::vector<Fact> search_time_facts(const LessonInput& input, Job& job);

}  // namespace spira
