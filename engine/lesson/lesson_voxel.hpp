// Selects the first voxel that a lesson page shows.
#pragma once

#include "engine/job/job.hpp"
#include "engine/voxel/coord_set.hpp"

#include <cstdint>

namespace spira {

struct KernelMap;
struct VoxelScene;

/// Where in the scene to select a voxel. `middle` is at half of the scene's height, where walls and tree
/// trunks are. In the middle of this z layer, the voxel with the most neighbours is selected, so that a
/// kernel at this voxel finds inputs.
enum class VoxelPlace { middle, highest, lowest };

/// Returns the row of a voxel at this position. The level must not be empty.
[[nodiscard]] std::int64_t row_at_place(const CoordSet& level, VoxelPlace place, Job& job);
/// Returns a row that has an input in another column than in the map of voxels: the first such row after the
/// row in the middle. Returns the row in the middle if no row has such an input. `map` must be the native map
/// of the level of `stride`.
[[nodiscard]] std::int64_t row_with_moved_input(const VoxelScene& scene, const KernelMap& map, int stride,
                                                Job& job);

}  // namespace spira
