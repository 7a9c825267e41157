// Control experiment of the lessons: a level with the same number of voxels at random positions.
#pragma once

#include "engine/job/job.hpp"
#include "engine/run/voxel_scene.hpp"
#include "engine/voxel/coord_set.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace spira {

/// Fixed seed, so that the experiment is the same in all lessons.
constexpr std::uint64_t shuffle_seed = 1;

/// Returns a level with the same number of voxels as `level`. The voxels are at random positions on the
/// stride grid, in the bounding box of `level`, and every set of positions is equally likely. The result is
/// in host memory.
[[nodiscard]] CoordSet shuffled_level(const CoordSet& level, std::uint64_t seed, Job& job);
/// Returns the shuffled level as a point cloud, with one point in the centre of each of its voxels of stride
/// 1.
[[nodiscard]] std::shared_ptr<const PointCloud> shuffled_cloud(const VoxelScene& scene, std::uint64_t seed,
                                                               Job& job);

/// Returns a level with these keys. `keys` must be ascending and unique.
[[nodiscard]] CoordSet made_level(const PackSpec& pack, int stride, std::span<const std::uint64_t> keys);

// Recomputes the levels of a scene in two ways and compares the results with the scene (section 5.5 of the
// paper).

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
