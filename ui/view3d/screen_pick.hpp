// Which voxel did a click mean? The nearest one to the eye within some pixels: a voxel far away is smaller
// than the pointer can hit.
#pragma once

#include "ui/view3d/view_detail.hpp"

#include <array>
#include <cstdint>
#include <optional>

namespace spira::ui {

/// Device-independent pixels, from the upper left corner.
struct Picture {
  double width = 0, height = 0;
};
struct OnPicture {
  double x = 0, y = 0;
  double depth = 0;  ///< what sizes are divided by: metres along the view, or 1 where rays are parallel
  double along = 0;  ///< metres along the view
};
/// Empty: behind the eye.
[[nodiscard]] std::optional<OnPicture> on_picture(const ViewPoint& from, const Picture& picture,
                                                  const std::array<double, 3>& place);

struct ScreenPick {
  std::int64_t row = -1;   ///< nearest to the eye of those within the tolerance; -1: none
  double distance_px = 0;  ///< from the click to the closest voxel; infinite where none is within the reach
};
/// `tolerance`: pixels on each side of the click; `reach`: so far away it is still said how far. Looks at the
/// cells of the mesh, some 10 ns each, and at the voxels of those that are near.
[[nodiscard]] ScreenPick pick_near(const VoxelMesh& mesh, const ViewPoint& from, const Picture& picture,
                                   const std::array<double, 2>& click, double tolerance, double reach);

}  // namespace spira::ui
