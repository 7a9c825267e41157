#include "ui/view3d/view_detail.hpp"

#include "ui/view3d/voxels/level_of_detail.hpp"

#include <algorithm>
#include <cmath>

namespace spira::ui {
namespace {

struct OnScreen {
  double depth = 0;
  bool inside = false;
};

/// Returns the position of the point `p` on the screen. A point up to `radius` outside the picture counts as
/// inside, so that a cell that only touches the picture is included.
OnScreen project(const ViewPoint& from, const float* p, double radius) {
  std::array<double, 4> clip{};
  for (std::size_t row = 0; row < 4; ++row) {
    const double* m = from.to_clip.data() + (4 * row);
    clip[row] = (m[0] * static_cast<double>(p[0])) + (m[1] * static_cast<double>(p[1])) +
                (m[2] * static_cast<double>(p[2])) + m[3];
  }
  const double depth = clip[3];
  const double slack = std::max(0.0, depth) + (8.0 * radius);
  return {depth, depth > -radius && std::abs(clip[0]) <= slack && std::abs(clip[1]) <= slack};
}

bool looks_at_eye(const VoxelMesh& mesh, std::size_t row, std::size_t face,
                  const std::array<double, 3>& eye) {
  const std::size_t axis = face / 2;
  const double half = 0.5 * static_cast<double>(mesh.cell[axis]);
  const double away = eye[axis] - static_cast<double>(mesh.centres[(row * 3) + axis]);
  return face % 2 == 0 ? away < -half : away > half;
}

}  // namespace

bool in_picture(const ViewPoint& from, const std::array<float, 3>& place) {
  const OnScreen at = project(from, place.data(), 0.0);
  return at.inside && at.depth > 0;
}

std::shared_ptr<const ViewDetail> build_view_detail(std::shared_ptr<const VoxelMesh> mesh,
                                                    const ViewPoint& from, const std::stop_token& stop) {
  auto detail = std::make_shared<ViewDetail>();
  detail->from = from;
  const auto cell = static_cast<double>(*std::max_element(mesh->cell.begin(), mesh->cell.end()));
  const auto voxels = static_cast<std::size_t>(mesh->voxels);
  for (std::size_t row = 0; row < voxels; ++row) {
    if (row % 65'536 == 0) {
      if (stop.stop_requested()) return nullptr;
      if (std::ssize(detail->row_of_quad) + std::ssize(detail->row_of_point) > max_still) {
        detail->whole = false;
        break;
      }
    }
    if (mesh->hides(row)) continue;
    const float* centre = mesh->centres.data() + (3 * row);
    const OnScreen at = project(from, centre, cell);
    if (!at.inside) continue;
    if (cell * from.pixels_per_radian < from.min_cube * at.depth) {
      detail->points.insert(detail->points.end(), centre, centre + 3);
      detail->row_of_point.push_back(static_cast<std::int32_t>(row));
      continue;
    }
    for (std::size_t face = 0; face < 6; ++face) {
      if (((mesh->open[row] >> face) & 1U) == 0 || !looks_at_eye(*mesh, row, face, from.eye)) continue;
      append_face(*mesh, row, face, detail->corners);
      detail->row_of_quad.push_back(static_cast<std::int32_t>(row));
    }
  }
  if (!detail->whole) {
    detail->corners = detail->points = {};
    detail->row_of_quad = detail->row_of_point = {};
  }
  detail->mesh = std::move(mesh);
  return detail;
}

}  // namespace spira::ui
