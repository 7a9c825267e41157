// Finds the voxel that the user clicks: the first voxel along the ray through the clicked pixel. Distant
// voxels are too small to be hit exactly. For these, finds the voxel nearest to the eye within a few pixels
// of the click.
#pragma once

#include "engine/run/voxel_scene.hpp"
#include "ui/view3d/view_detail.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace spira::ui {

struct Ray {
  Point from{}, direction{};  ///< In metres, in scene coordinates. `direction` need not have unit length.
};

/// Returns the row of the first voxel of the level along the ray (Amanatides and Woo, 1987). Searches only
/// the cells inside the bounds of the level. Ignores all rows whose flag in `hidden` is true. `hidden` may be
/// empty.
[[nodiscard]] std::optional<std::int64_t> pick_voxel(const VoxelScene& scene, int number, const Ray& ray,
                                                     const std::vector<bool>& hidden = {});

/// Size of the view in device-independent pixels. Positions count from the upper left corner.
struct Picture {
  double width = 0, height = 0;
};
struct OnPicture {
  double x = 0, y = 0;
  /// Sizes on the screen are divided by this value: the distance along the viewing direction in metres, or 1
  /// for a parallel projection.
  double depth = 0;
  double along = 0;  ///< Distance along the viewing direction, in metres.
};
/// Projects a position onto the picture. Returns `nullopt` if the position is behind the eye.
[[nodiscard]] std::optional<OnPicture> on_picture(const ViewPoint& from, const Picture& picture,
                                                  const std::array<double, 3>& place);

struct ScreenPick {
  std::int64_t row = -1;  ///< Row of the voxel nearest to the eye within the tolerance; -1 if there is none.
  /// Distance from the click to the closest voxel. Infinite if no voxel is within `reach`.
  double distance_px = 0;
};
/// Returns the voxel nearest to the eye among the voxels within `tolerance` pixels of the click on each side.
/// Also computes the distance to the closest voxel, up to `reach` pixels. Examines all cells of the mesh, at
/// about 10 ns each, and the voxels of the cells near the click.
[[nodiscard]] ScreenPick pick_near(const VoxelMesh& mesh, const ViewPoint& from, const Picture& picture,
                                   const std::array<double, 2>& click, double tolerance, double reach);

}  // namespace spira::ui
