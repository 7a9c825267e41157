// What two scenes of one voxel size have in common, voxel by voxel.
#pragma once

#include "ui/view3d/voxel_values.hpp"

namespace spira::ui {

/// Voxels that `other` has too, and those that it has not; voxels that only `other` has are counted. Cells
/// are those of the same place, whatever both were shifted by. O(voxels * log voxels).
[[nodiscard]] VoxelValues changed_values(const VoxelScene& scene, int stride, const VoxelScene& other);

}  // namespace spira::ui
