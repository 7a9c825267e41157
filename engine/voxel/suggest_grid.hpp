// Chooses a voxel size if the user gives none.
#pragma once

#include "engine/voxel/grid.hpp"

#include <optional>

namespace spira {

/// Returns a voxel size that suits the points inside `crop`, together with this crop. Typical sizes
/// are 0.05 m for LiDAR and 0.02 m for rooms. Outliers are ignored. The size is 1, 2 or 5 times a power of
/// ten. It is chosen so that:
/// - the extents fit the 12/12/8 packing;
/// - there are about half as many occupied voxels as points, because voxels have no neighbours in a finer
///   grid;
/// - at least 64 cells lie across the scene, or fewer if only larger voxels have neighbours (regular grid of
///   points).
[[nodiscard]] Grid suggest_grid(const PointCloud& cloud, const std::optional<Bounds>& crop = {});

}  // namespace spira
