// Facts of the lesson on search: searches, comparisons and memory reads of four search algorithms on the same
// map.
#pragma once

#include "engine/lesson/facts/facts.hpp"

namespace spira {

/// Group "search": searches on the level of the input's stride.
[[nodiscard]] std::vector<std::string> search_fact_names();
[[nodiscard]] std::vector<Fact> search_facts(const LessonInput& input, Job& job);

/// Group "search_shuffled": the control experiment, which places the same number of voxels at random.
[[nodiscard]] std::vector<std::string> shuffled_search_fact_names();
[[nodiscard]] std::vector<Fact> shuffled_search_facts(const LessonInput& input, Job& job);

}  // namespace spira
