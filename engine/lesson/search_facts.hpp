// Facts of the lesson on search: what four searches of the same map start, compare and read.
#pragma once

#include "engine/lesson/facts.hpp"

namespace spira {

/// Group "search": of the level of the input's stride.
[[nodiscard]] std::vector<std::string> search_fact_names();
[[nodiscard]] std::vector<Fact> search_facts(const LessonInput& input, Job& job);

/// Group "search_shuffled": the control experiment, as many voxels at random places.
[[nodiscard]] std::vector<std::string> shuffled_search_fact_names();
[[nodiscard]] std::vector<Fact> shuffled_search_facts(const LessonInput& input, Job& job);

}  // namespace spira
