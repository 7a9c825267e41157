// What a still picture adds to the points of a large level: cubes where a voxel is large enough on the screen
// to be seen as one. Nothing outside the picture is built, and of a cube only the faces that look at the eye.
#pragma once

#include "ui/view3d/voxel_mesh.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <vector>

namespace spira::ui {

/// Where a picture is taken from, relative to the origin of the mesh.
struct ViewPoint {
  std::array<double, 16>
      to_clip{};  ///< row-major; clip = to_clip * (x, y, z, 1): z is the metres along the view, w the depth
                  ///< that sizes are divided by, the same or, where rays are parallel, 1
  std::array<double, 3> eye{};
  double pixels_per_radian = 0;  ///< device-independent pixels that one metre takes at a depth of one metre
  double least_cube = 3.0;       ///< pixels; a smaller voxel cannot be told from a point and is drawn as one
  bool operator==(const ViewPoint&) const = default;
};

/// A place in front of the eye and within the borders of the picture.
[[nodiscard]] bool in_picture(const ViewPoint& from, const std::array<float, 3>& place);

struct ViewDetail {
  std::shared_ptr<const VoxelMesh> mesh;  ///< what it is a detail of
  ViewPoint from;
  bool whole = true;           ///< false: more is in the picture than can be drawn; nothing is here
  std::vector<float> corners;  ///< [quads * 4][3]
  std::vector<std::int32_t> row_of_quad;  ///< [quads]
  std::vector<float> points;              ///< [far voxels][3]: too small on the screen for cubes
  std::vector<std::int32_t> row_of_point;
};

/// Null when stopped.
[[nodiscard]] std::shared_ptr<const ViewDetail> build_view_detail(std::shared_ptr<const VoxelMesh> mesh,
                                                                  const ViewPoint& from,
                                                                  const std::stop_token& stop);

}  // namespace spira::ui
