// How many voxels a scene will have, before memory is taken for them.
#pragma once

#include "engine/job/job.hpp"
#include "engine/scene/point_cloud.hpp"
#include "engine/voxel/grid.hpp"

#include <cstdint>

namespace spira {

/// Within some percent for more than 100,000 voxels, exact for few points: voxels whose hash falls into one
/// class are counted and stand for those of the other classes.
[[nodiscard]] std::int64_t estimate_voxels(const PointCloud& cloud, const Grid& grid, Job& job);

}  // namespace spira
