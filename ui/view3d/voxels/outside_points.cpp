#include "ui/view3d/voxels/outside_points.hpp"

namespace spira::ui {

std::vector<float> outside_points(const PointCloud& cloud, const Bounds& crop, const Point& origin,
                                  std::size_t most, const std::stop_token& stop) {
  const std::size_t step = (cloud.positions.size() / most) + 1;
  std::vector<float> points;
  for (std::size_t at = 0; at < cloud.positions.size(); at += step) {
    if (at % 65'536 < step && stop.stop_requested()) return {};
    const Point& p = cloud.positions[at];
    if (inside(crop, p)) continue;
    for (std::size_t axis = 0; axis < 3; ++axis)
      points.push_back(static_cast<float>(p[axis] - origin[axis]));
  }
  return points;
}

}  // namespace spira::ui
