// Facts of the lesson on dataflows: the work of a layer for each threshold t.
#pragma once

#include "engine/lesson/facts.hpp"

namespace spira {

/// Group "work": of a submanifold layer on the level of the input's stride. Names hold the threshold,
/// "work.t3.", and "work.tmax." is all output-stationary.
[[nodiscard]] std::vector<std::string> work_fact_names();
[[nodiscard]] std::vector<Fact> work_facts(const LessonInput& input, Job& job);

/// Group "work_shuffled": the control experiment, as many voxels at random places.
[[nodiscard]] std::vector<std::string> shuffled_work_fact_names();
[[nodiscard]] std::vector<Fact> shuffled_work_facts(const LessonInput& input, Job& job);

}  // namespace spira
