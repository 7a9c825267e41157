#include "engine/scene/point_cloud.hpp"

#include "engine/base/text.hpp"

#include <algorithm>
#include <cmath>

namespace spira {

Bounds bounds(const PointCloud& cloud) {
  if (cloud.positions.empty()) return {};
  Bounds box{cloud.positions.front(), cloud.positions.front()};
  for (const Point& p : cloud.positions) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      box.low[axis] = std::min(box.low[axis], p[axis]);
      box.high[axis] = std::max(box.high[axis], p[axis]);
    }
  }
  return box;
}

std::string text_of(const Bounds& box) {
  std::string text;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    text += std::string(text.empty() ? "" : ", ") + "xyz"[axis] + " " + fixed(box.low.at(axis), 2) + " to " +
            fixed(box.high.at(axis), 2);
  }
  return text + " m";
}

Point display_origin(const PointCloud& cloud) {
  constexpr double far_m = 10'000.0;  // beyond it single precision is coarser than a millimetre
  const Bounds box = bounds(cloud);
  Point origin{0, 0, 0};
  bool far = false;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    far = far || std::abs(box.low[axis]) >= far_m || std::abs(box.high[axis]) >= far_m;
    origin[axis] = std::round((box.low[axis] + box.high[axis]) / 2.0);
  }
  return far ? origin : Point{0, 0, 0};
}

}  // namespace spira
