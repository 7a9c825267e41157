// Chooses a voxel size if the user gives none.
#pragma once

#include "engine/voxel/grid.hpp"

#include <optional>

namespace spira {

/// Returns a voxel size that suits the points inside `crop`, together with this crop. Typical sizes are
/// 0.05 m for LiDAR and 0.02 m for rooms. Outliers are ignored. The size is 1, 2 or 5 times a power of ten
/// and is chosen so that:
/// - the extents fit the 12/12/8 packing;
/// - about half of the points keep a voxel of their own, because voxels have no neighbours in a finer grid;
/// - at least 64 cells lie across the scene. A regular grid of points can have fewer, if its voxels have no
///   neighbours otherwise.
[[nodiscard]] Grid suggest_grid(const PointCloud& cloud, const std::optional<Bounds>& crop = {});

}  // namespace spira
