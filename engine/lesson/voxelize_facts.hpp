// Facts of the lesson on voxels and packed coordinates (section 5.3).
#pragma once

#include "engine/lesson/facts.hpp"

namespace spira {

/// Points and metres, before there are voxels.
[[nodiscard]] std::vector<std::string> scene_fact_names();
[[nodiscard]] std::vector<Fact> scene_facts_of(const LessonInput& input, Job& job);
/// How points share voxels, and where the shift puts them.
[[nodiscard]] std::vector<std::string> voxel_fact_names();
[[nodiscard]] std::vector<Fact> voxel_facts(const LessonInput& input, Job& job);

}  // namespace spira
