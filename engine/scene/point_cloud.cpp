#include "engine/scene/point_cloud.hpp"

#include "engine/base/text.hpp"

#include <algorithm>

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

std::string_view text_of(LengthUnit unit) noexcept {
  return unit == LengthUnit::metres ? "metres" : "cells";
}

std::string with_unit(const std::string& number, LengthUnit unit) {
  if (unit == LengthUnit::metres) return number + " m";
  return number + (number == "1" ? " cell" : " cells");
}

std::string text_of(const Bounds& box, LengthUnit unit) {
  std::string text;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    text += std::string(text.empty() ? "" : ", ") + "xyz"[axis] + " " + fixed(box.low.at(axis), 2) + " to " +
            fixed(box.high.at(axis), 2);
  }
  return with_unit(text, unit);
}

}  // namespace spira
