// Colourings that count the matches of a kernel map. A pass over the map each.
#pragma once

#include "engine/map/kernel_map.hpp"
#include "ui/view3d/voxel_values.hpp"

namespace spira::ui {

/// Which share of the matches of each voxel is computed weight-stationary at t, in percent. `sides`: colours
/// of the dense and of the sparse side.
[[nodiscard]] VoxelValues threshold_side_values(const KernelMap& map, int threshold,
                                                const std::array<Rgb, 2>& sides);
/// Which share of the K^3 neighbours each voxel has, in percent.
[[nodiscard]] VoxelValues density_values(const KernelMap& map);
/// Which of up to three offsets each voxel has a match at; of more, and of all without one, the L1 norm of
/// the nearest match that is not the voxel itself.
[[nodiscard]] VoxelValues offset_match_values(const KernelMap& map, const std::vector<int>& columns);

}  // namespace spira::ui
