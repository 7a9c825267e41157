// Colourings that count the matches of a kernel map or compare two scenes. Each colouring requires a pass
// over the voxels.
#pragma once

#include "engine/map/kernel_map.hpp"
#include "ui/view3d/voxels/voxel_values.hpp"

namespace spira::ui {

/// Returns the percentage of each voxel's matches that is computed weight-stationary at t. `sides` holds the
/// colours of output-stationary and of weight-stationary matches.
[[nodiscard]] VoxelValues threshold_side_values(const KernelMap& map, int threshold,
                                                const std::array<Rgb, 2>& sides);
/// Returns for each voxel the percentage of its K^3 neighbours that exist.
[[nodiscard]] VoxelValues density_values(const KernelMap& map);
/// For one to three offsets, returns the subset of the offsets at which each voxel has a match. For more
/// offsets, returns the L1 norm of the nearest match other than the voxel itself. An empty list of offsets
/// means all offsets.
[[nodiscard]] VoxelValues offset_match_values(const KernelMap& map, const std::vector<int>& columns);

/// Classifies each voxel of `scene` at `stride` as being in both scenes or only in `scene`. Voxels that are
/// only in `other` are counted but not listed. Voxels are compared by their position in the scene; the shifts
/// of the two scenes may differ. O(voxels * log voxels).
[[nodiscard]] VoxelValues changed_values(const VoxelScene& scene, int stride, const VoxelScene& other);

}  // namespace spira::ui
