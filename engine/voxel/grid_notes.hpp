// Checks a scene on a given grid and returns notes for the user.
#pragma once

#include "engine/scene/extents.hpp"
#include "engine/voxel/grid.hpp"

#include <string>
#include <vector>

namespace spira {

/// Returns notes of one line each. They report outliers, coordinates that are stored in steps larger than a
/// voxel, points on voxel boundaries, and input features beyond the range of fp16. `extents` must be the
/// extents of the points inside the crop of the grid.
[[nodiscard]] std::vector<std::string> grid_notes(const PointCloud& cloud, const Grid& grid,
                                                  const Extents& extents);

}  // namespace spira
