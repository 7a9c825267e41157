// Facts of the lesson on voxels and packed coordinates (section 5.3).
#pragma once

#include "engine/lesson/facts/facts.hpp"

namespace spira {

/// Number of points and extents in metres, before voxelization.
[[nodiscard]] std::vector<std::string> scene_fact_names();
[[nodiscard]] std::vector<Fact> scene_facts_of(const LessonInput& input, Job& job);
/// How many points share a voxel, and how the shift moves the voxels.
[[nodiscard]] std::vector<std::string> voxel_fact_names();
[[nodiscard]] std::vector<Fact> voxel_facts(const LessonInput& input, Job& job);

}  // namespace spira
