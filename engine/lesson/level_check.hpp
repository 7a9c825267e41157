// Recomputes the levels of a scene in two ways and compares the results with the scene (section 5.5 of the
// paper).
#pragma once

#include "engine/job/job.hpp"
#include "engine/run/voxel_scene.hpp"

#include <cstdint>
#include <vector>

namespace spira {

/// Result of computing a level V_i in two ways: in closed form, unique(V_0 AND mask), and step by step,
/// unique(V_(i-1) AND mask).
struct LevelCheck {
  int stride = 1;
  std::int64_t voxels = 0;
  /// True if this way gives exactly the keys of the level in the scene.
  bool closed_form = false, step_by_step = false;
  std::int64_t closed_form_reads = 0, step_by_step_reads = 0;  ///< number of keys read for this level
  /// Number of levels that must be computed before this level if levels are computed step by step.
  int waits_for = 0;
  /// Number of voxels of level 0 that are not rounded down correctly if the mask is added to the word.
  /// Section 5.3 of the paper says "adding", but the correct operation is AND.
  std::int64_t wrong_by_adding = 0;
};
/// Returns one check for each stride of the scene except 1, in ascending order of the strides.
[[nodiscard]] std::vector<LevelCheck> check_levels(const VoxelScene& scene, Job& job);

}  // namespace spira
