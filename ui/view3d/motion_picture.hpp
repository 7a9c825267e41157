// What moves in the 3D view while a lesson shows something: plain data, made on a worker.
#pragma once

#include "engine/scene/point_cloud.hpp"

#include <optional>
#include <utility>
#include <vector>

namespace spira::ui {

struct MotionPicture {
  enum class Role { point, fault, copy, curve, arrow };
  Role role = Role::point;
  std::vector<Point> from;  ///< metres of the scene
  std::vector<Point> to;    ///< where they go; empty: they stay
  bool one_by_one = false;  ///< they appear in their order
  bool joined = false;      ///< by a line, in their order
  bool alone = false;       ///< the voxels are not drawn
  bool framed = false;      ///< the camera goes where all of it is seen
  /// A plane that sinks from the first height to the second: voxels are drawn above it, these points below.
  std::optional<std::pair<double, double>> plane_m;
  double size = 3;      ///< of a point, or the width of the line, in points of the screen
  std::int64_t of = 0;  ///< as many there are; more than `from`: an even selection
};

}  // namespace spira::ui
