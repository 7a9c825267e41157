// The automatic voxel size, used if the user gives none.
#pragma once

#include "engine/voxel/grid.hpp"

#include <optional>

namespace spira {

/// Returns a voxel size that suits the points inside `crop` (0.05 m for LiDAR, 0.02 m for rooms, ...)
/// together with this crop. Outliers are ignored. The size is 1, 2 or 5 times a power of ten. The 12/12/8
/// packing fits the extents; about half of the points keep a voxel of their own (in a finer grid, voxels have
/// no neighbours); at least 64 cells lie across, unless so few cells are needed for voxels to have neighbours
/// at all, as on a regular grid of points.
[[nodiscard]] Grid suggest_grid(const PointCloud& cloud, const std::optional<Bounds>& crop = {});

}  // namespace spira
