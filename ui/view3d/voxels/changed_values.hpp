// Compares two scenes of the same voxel size voxel by voxel.
#pragma once

#include "ui/view3d/voxels/voxel_values.hpp"

namespace spira::ui {

/// Classifies each voxel of `scene` at `stride` as being in both scenes or only in `scene`. Voxels that are
/// only in `other` are counted but not listed. Voxels are compared by their position in the scene; the shifts
/// of the two scenes may differ. O(voxels * log voxels).
[[nodiscard]] VoxelValues changed_values(const VoxelScene& scene, int stride, const VoxelScene& other);

}  // namespace spira::ui
