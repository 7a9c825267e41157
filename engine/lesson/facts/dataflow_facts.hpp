// Facts of the lesson on dataflows: the work of a layer for each threshold t.
#pragma once

#include "engine/lesson/facts/facts.hpp"

namespace spira {

/// Group "work": facts about a submanifold layer on the level of the input's stride. Names contain the
/// threshold: "work.t3." is t = 3, and "work.tmax." is the fully output-stationary layer.
[[nodiscard]] std::vector<std::string> work_fact_names();
[[nodiscard]] std::vector<Fact> work_facts(const LessonInput& input, Job& job);

/// Group "work_shuffled": the same facts for the control experiment, which places the same number of voxels
/// at random.
[[nodiscard]] std::vector<std::string> shuffled_work_fact_names();
[[nodiscard]] std::vector<Fact> shuffled_work_facts(const LessonInput& input, Job& job);

}  // namespace spira
