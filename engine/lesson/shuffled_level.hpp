// Builds the control experiment of the lessons: a level with the same number of voxels at random positions.
#pragma once

#include "engine/job/job.hpp"
#include "engine/run/voxel_scene.hpp"
#include "engine/voxel/coord_set.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace spira {

/// A fixed seed, so that the experiment is the same in all lessons.
constexpr std::uint64_t shuffle_seed = 1;

/// Returns a level with the same number of voxels as `level` at random positions of the stride grid, inside
/// the bounding box of `level`. Every set of positions is equally likely. The result is in host memory.
[[nodiscard]] CoordSet shuffled_level(const CoordSet& level, std::uint64_t seed, Job& job);
/// Returns a shuffled level as a point cloud: one point in the centre of each voxel of stride 1.
[[nodiscard]] std::shared_ptr<const PointCloud> shuffled_cloud(const VoxelScene& scene, std::uint64_t seed,
                                                               Job& job);

/// Returns a level with these keys, which must be unique and in ascending order.
[[nodiscard]] CoordSet made_level(const PackSpec& pack, int stride, std::span<const std::uint64_t> keys);

// The declarations below compute the levels of a scene again with two methods, and compare the results with
// the levels of the scene (section 5.5 of the paper).

/// The result of computing a level V_i with two methods: in closed form, as unique(V_0 AND mask), and step by
/// step, as unique(V_(i-1) AND mask).
struct LevelCheck {
  int stride = 1;
  std::int64_t voxels = 0;
  /// True if the method computes exactly the keys that the level has in the scene.
  bool closed_form = false, step_by_step = false;
  /// Number of keys that are read to compute this level.
  std::int64_t closed_form_reads = 0, step_by_step_reads = 0;
  /// Number of levels that the step-by-step method must compute before this level.
  int waits_for = 0;
  /// Number of voxels of level 0 that are rounded down incorrectly if the mask is added to the word. Section
  /// 5.3 of the paper says "adding", but the correct operation is AND.
  std::int64_t wrong_by_adding = 0;
};
/// Returns one check per level with the floor rule except level 0, in ascending order of strides.
[[nodiscard]] std::vector<LevelCheck> check_levels(const VoxelScene& scene, Job& job);

}  // namespace spira
