// Chooses the voxel that a page of a lesson begins with.
#pragma once

#include "engine/job/job.hpp"
#include "engine/voxel/coord_set.hpp"

#include <cstdint>

namespace spira {

/// `middle` is a voxel halfway up, where walls and trunks are. It is chosen among the voxels in the middle of
/// that layer as the one with the most neighbours, so that a kernel around it finds inputs.
enum class VoxelPlace { middle, highest, lowest };

/// Returns a row of the level. The level must have at least one voxel.
[[nodiscard]] std::int64_t row_at_place(const CoordSet& level, VoxelPlace place, Job& job);

}  // namespace spira
