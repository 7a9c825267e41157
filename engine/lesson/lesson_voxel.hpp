// Selects the first voxel that a lesson page shows.
#pragma once

#include "engine/job/job.hpp"
#include "engine/voxel/coord_set.hpp"

#include <cstdint>

namespace spira {

/// Where in the scene to select a voxel. `middle` is at half of the scene's height, where walls and tree
/// trunks are. In the middle of this z layer, the voxel with the most neighbours is selected, so that a
/// kernel at this voxel finds inputs.
enum class VoxelPlace { middle, highest, lowest };

/// Returns the row of a voxel at this position. The level must not be empty.
[[nodiscard]] std::int64_t row_at_place(const CoordSet& level, VoxelPlace place, Job& job);

}  // namespace spira
