// Recomputes the levels of a scene in two ways and compares them key by key (section 5.5).
#pragma once

#include "engine/job/job.hpp"
#include "engine/run/voxel_scene.hpp"

#include <cstdint>
#include <vector>

namespace spira {

/// Result of computing a level V_i in closed form, unique(V_0 AND mask), and step by step, unique(V_(i-1) AND
/// mask).
struct LevelCheck {
  int stride = 1;
  std::int64_t voxels = 0;
  /// True if the result equals the level of the scene, key by key.
  bool closed_form = false, step_by_step = false;
  std::int64_t closed_form_reads = 0, step_by_step_reads = 0;  ///< keys read for this level alone
  /// Number of levels that must be computed before this level in step-by-step order.
  int waits_for = 0;
  /// Number of voxels of level 0 that are not rounded down correctly if the mask is added instead of
  /// combined with AND. The text of section 5.3 says "adding".
  std::int64_t wrong_by_adding = 0;
};
/// Returns one check for each stride of the scene except 1, ascending.
[[nodiscard]] std::vector<LevelCheck> check_levels(const VoxelScene& scene, Job& job);

}  // namespace spira
