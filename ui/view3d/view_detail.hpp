// Detail for a large level that is drawn as points: while the camera is at rest, voxels that are large enough
// on the screen become cubes. Only faces that are inside the picture and point towards the eye are built.
#pragma once

#include "ui/view3d/voxels/voxel_mesh.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <vector>

namespace spira::ui {

/// The camera of a picture. Positions are relative to the origin of the mesh.
struct ViewPoint {
  /// Row-major matrix: clip = to_clip * (x, y, z, 1). clip.z is the distance along the viewing direction in
  /// metres. Sizes on the screen are divided by clip.w, which is the same distance, or 1 for a parallel
  /// projection.
  std::array<double, 16> to_clip{};
  std::array<double, 3> eye{};
  double pixels_per_radian = 0;  ///< Size of one metre at a depth of one metre, in device-independent pixels.
  /// Minimum size of a cube, in pixels. A smaller voxel would look like a point and is drawn as a point.
  double min_cube = 3.0;
  bool operator==(const ViewPoint&) const = default;
};

/// Returns true if the position is in front of the eye and inside the picture.
[[nodiscard]] bool in_picture(const ViewPoint& from, const std::array<float, 3>& place);

struct ViewDetail {
  std::shared_ptr<const VoxelMesh> mesh;  ///< Mesh to which the detail belongs.
  ViewPoint from;
  /// False if the picture contains more quads and points than can be drawn. In this case, all arrays are
  /// empty.
  bool whole = true;
  std::vector<float> corners;             ///< Shape: [quads * 4][3].
  std::vector<std::int32_t> row_of_quad;  ///< Shape: [quads].
  /// Centres of voxels that are too small on the screen for cubes. Shape: [far voxels][3].
  std::vector<float> points;
  std::vector<std::int32_t> row_of_point;
};

/// Builds the detail of a view. Returns `nullptr` after a stop request.
[[nodiscard]] std::shared_ptr<const ViewDetail> build_view_detail(std::shared_ptr<const VoxelMesh> mesh,
                                                                  const ViewPoint& from,
                                                                  const std::stop_token& stop);

}  // namespace spira::ui
