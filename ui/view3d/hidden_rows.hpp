// Which voxels of a level are not drawn, because their class is hidden or they lie outside the slab.
#pragma once

#include "engine/run/session.hpp"
#include "ui/model/selection.hpp"

#include <cstdint>
#include <vector>

namespace spira::ui {

/// [voxels of the level], true: hidden; empty: all are shown.
[[nodiscard]] std::vector<bool> hidden_rows(const VoxelScene& scene, int stride, const Hiding& hiding);
/// A voxel of a coarser level is hidden when all that lie in it are. `coarse_of_row`: its row for each voxel;
/// -1: none.
[[nodiscard]] std::vector<bool> hidden_coarse(const std::vector<bool>& hidden,
                                              const std::vector<std::int32_t>& coarse_of_row,
                                              std::int64_t coarse_voxels);

}  // namespace spira::ui
