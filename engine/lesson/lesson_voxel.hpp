// Selects the initial voxel of a lesson page.
#pragma once

#include "engine/job/job.hpp"
#include "engine/voxel/coord_set.hpp"

#include <cstdint>

namespace spira {

/// Position of a voxel in the scene. For `middle`, the z layer is at half of the scene's height, where walls
/// and trunks are. Among the voxels in the middle of that layer, the voxel with the most neighbours is
/// selected, so that a kernel at this voxel has inputs.
enum class VoxelPlace { middle, highest, lowest };

/// Returns the row of the voxel at this position. The level must contain at least one voxel.
[[nodiscard]] std::int64_t row_at_place(const CoordSet& level, VoxelPlace place, Job& job);

}  // namespace spira
