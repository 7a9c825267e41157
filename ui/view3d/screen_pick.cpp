#include "ui/view3d/screen_pick.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace spira::ui {

std::optional<OnPicture> on_picture(const ViewPoint& from, const Picture& picture,
                                    const std::array<double, 3>& place) {
  const auto row_times = [&](std::size_t row) {
    const double* m = from.to_clip.data() + (4 * row);
    return (m[0] * place[0]) + (m[1] * place[1]) + (m[2] * place[2]) + m[3];
  };
  const double depth = row_times(3);
  if (depth <= 0) return std::nullopt;
  return OnPicture{(0.5 + (0.5 * row_times(0) / depth)) * picture.width,
                   (0.5 - (0.5 * row_times(1) / depth)) * picture.height, depth, row_times(2)};
}

ScreenPick pick_near(const VoxelMesh& mesh, const ViewPoint& from, const Picture& picture,
                     const std::array<double, 2>& click, double tolerance) {
  ScreenPick found{-1, std::numeric_limits<double>::infinity()};
  double nearest = std::numeric_limits<double>::infinity();
  const auto cell = static_cast<double>(*std::min_element(mesh.cell.begin(), mesh.cell.end()));
  for (std::int64_t row = 0; row < mesh.voxels; ++row) {
    if (mesh.hides(static_cast<std::size_t>(row))) continue;
    const float* centre = mesh.centres.data() + (3 * row);
    const auto at = on_picture(from, picture, {centre[0], centre[1], centre[2]});
    if (!at) continue;
    const double half = 0.5 * cell * from.pixels_per_radian / at->depth;
    const double away =
        std::max(0.0, std::max(std::abs(at->x - click[0]), std::abs(at->y - click[1])) - half);
    found.distance_px = std::min(found.distance_px, away);
    if (away > tolerance || at->along >= nearest) continue;
    nearest = at->along;
    found.row = row;
  }
  return found;
}

}  // namespace spira::ui
