// The control experiment of the lessons: as many voxels, at random places.
#pragma once

#include "engine/job/job.hpp"
#include "engine/run/session.hpp"
#include "engine/voxel/coord_set.hpp"

#include <cstdint>
#include <memory>

namespace spira {

constexpr std::uint64_t shuffle_seed = 1;  ///< all lessons show the same experiment

/// As many voxels as `level` has, on its stride grid and within the box that its voxels span, each set of
/// places as likely as any other. Host memory.
[[nodiscard]] CoordSet shuffled_level(const CoordSet& level, std::uint64_t seed, Job& job);
/// The same as a scene: a point in the middle of each of those cells of stride 1.
[[nodiscard]] std::shared_ptr<const PointCloud> shuffled_cloud(const VoxelScene& scene, std::uint64_t seed,
                                                               Job& job);

}  // namespace spira
