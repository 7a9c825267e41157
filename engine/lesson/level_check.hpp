// The levels of a scene made again in two ways, and compared key by key (section 5.5).
#pragma once

#include "engine/job/job.hpp"
#include "engine/run/session.hpp"

#include <cstdint>
#include <vector>

namespace spira {

/// V_i in the closed form, unique(V_0 AND mask), and step by step, unique(V_(i-1) AND mask).
struct LevelCheck {
  int stride = 1;
  std::int64_t voxels = 0;
  bool closed_form = false, step_by_step = false;              ///< each gives the scene's level, key by key
  std::int64_t closed_form_reads = 0, step_by_step_reads = 0;  ///< keys, of this level alone
  int waits_for = 0;  ///< levels that step by step must be there before
  /// Voxels of level 0 that adding the mask, as the text of section 5.3 has it, does not floor.
  std::int64_t wrong_by_adding = 0;
};
/// Of each stride of the scene but 1, ascending.
[[nodiscard]] std::vector<LevelCheck> check_levels(const VoxelScene& scene, Job& job);

}  // namespace spira
