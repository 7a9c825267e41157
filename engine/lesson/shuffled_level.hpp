// Control experiment of the lessons: a level with the same number of voxels at random positions.
#pragma once

#include "engine/job/job.hpp"
#include "engine/run/voxel_scene.hpp"
#include "engine/voxel/coord_set.hpp"

#include <cstdint>
#include <memory>
#include <span>

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

}  // namespace spira
