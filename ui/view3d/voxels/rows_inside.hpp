// Finds the voxels inside an outline that the user drew on the picture.
#pragma once

#include "ui/model/tables/chosen_rows.hpp"
#include "ui/view3d/tools/screen_pick.hpp"

#include <QPolygonF>

#include <cstdint>
#include <memory>
#include <stop_token>
#include <vector>

namespace spira::ui {

/// Everything that the result depends on, so that it can be computed on any thread.
struct DrawnOutline {
  std::shared_ptr<const VoxelMesh> mesh;
  ViewPoint from;
  Picture picture;
  QPolygonF outline;  ///< device-independent pixels of the picture
  Combine how = Combine::replace;
};

/// Returns the rows of the voxels whose centre is inside the outline on the picture, ascending. Voxels behind
/// others are included, hidden voxels are not. Takes about 10 ns per voxel, independent of the number of
/// corners.
[[nodiscard]] std::vector<std::int32_t> rows_inside(const DrawnOutline& drawn, const std::stop_token& stop);

}  // namespace spira::ui
