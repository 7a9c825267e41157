// Estimates the number of voxels of a scene before memory is allocated for them.
#pragma once

#include "engine/job/job.hpp"
#include "engine/scene/point_cloud.hpp"
#include "engine/voxel/grid.hpp"

#include <cstdint>

namespace spira {

/// Returns the number of voxels: exact for at most 100,000 points, within a few percent for more than 100,000
/// voxels. For larger clouds, counts only the voxels in one of 32 hash classes and multiplies by 32.
[[nodiscard]] std::int64_t estimate_voxels(const PointCloud& cloud, const Grid& grid, Job& job);

}  // namespace spira
