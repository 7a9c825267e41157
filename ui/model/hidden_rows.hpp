// Finds the voxels of a level that are not drawn because their class is hidden or they are outside the slab.
#pragma once

#include "engine/run/voxel_scene.hpp"
#include "ui/model/selection.hpp"

#include <cstdint>
#include <vector>

namespace spira::ui {

/// Returns one flag per voxel of the level; true means hidden. Returns an empty list if no class or slab
/// hides voxels.
[[nodiscard]] std::vector<bool> hidden_rows(const VoxelScene& scene, int stride, const Hiding& hiding);
/// A coarse voxel is hidden if all voxels inside it are hidden. `coarse_of_row` holds the coarse row of each
/// voxel, or -1 if it has none.
[[nodiscard]] std::vector<bool> hidden_coarse(const std::vector<bool>& hidden,
                                              const std::vector<std::int32_t>& coarse_of_row,
                                              std::int64_t coarse_voxels);

}  // namespace spira::ui
