// Describes an animation that a lesson shows in the 3D view. The description is plain data, created by a task
// in the thread pool.
#pragma once

#include "engine/scene/point_cloud.hpp"
#include "ui/model/selection.hpp"

#include <QString>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace spira::ui {

/// A cell that is marked from step `first` to step `last` of the animation. Steps are indices into
/// AnimationScene::moments.
struct MotionMark {
  enum class Kind {
    asks,
    compared,
    wanted,
    hit,
    miss,
    missed,
    stray,
    read,
    read_slot,
    stored,
    point,
    cell,
    alias,
    output
  };
  Kind kind = Kind::asks;
  Point at{};
  int first = -1;  ///< -1 if the mark is visible before the animation starts.
  int last = std::numeric_limits<int>::max();
};

/// A memory whose accesses the animation shows: the sorted array, or a hash table. `size` is in words.
struct MotionMemory {
  QString name;
  std::int64_t size = 0;
};

struct MotionMoment {
  /// Search interval in the first memory. If `begin` equals `end`, there is none.
  std::int64_t begin = 0, end = 0;
  std::vector<std::int64_t> positions;  ///< Indices of the words that are read.
  std::size_t memory = 0;               ///< Index of the memory that is read.
  QString note;
};

struct AnimationScene {
  enum class Role { point, fault, copy, curve, arrow };
  Role role = Role::point;
  std::vector<Point> from;  ///< Start positions, in metres in scene coordinates.
  std::vector<Point> to;    ///< End positions; empty if the points do not move.
  /// The first `remain` points of `from` stay visible at the end, and the others disappear. `nullopt` keeps
  /// all points.
  std::optional<std::int64_t> remain;
  bool one_by_one = false;  ///< True if the points appear one after the other.
  bool joined = false;      ///< True if a line joins the points in their order.
  bool alone = false;       ///< True if the voxels are hidden during the animation.
  /// The voxel whose native row is shown: its cells move from the voxel to its point. Empty if the animation
  /// moves no cells.
  std::optional<ChosenVoxel> cells_of{};
  /// True if the camera moves so that the whole animation and `around` are visible.
  bool framed = false;
  std::vector<Point> around;
  /// Start and end height of a horizontal plane that moves down during the animation. Above the plane, voxels
  /// are drawn. Below it, points are drawn.
  std::optional<std::pair<double, double>> plane_m;
  double size = 3;  ///< Point size or line width, in device-independent pixels.
  /// Total number of points. If it is larger than the size of `from`, then `from` contains only an evenly
  /// spread selection of the points.
  std::int64_t of = 0;

  /// Steps of the animation. Each step adds marks, and shows only those points of `from` that are in the
  /// search interval.
  std::vector<MotionMoment> moments;
  std::vector<MotionMark> marks;
  std::vector<MotionMemory> memory;
  Point cell_m{};  ///< Size of a marked cell.
  /// True if there is nothing to show, because the open scene or the selection does not contain the subject
  /// of the animation.
  bool nothing = false;

  /// Returns the index of the step at the fraction `part` of the animation, or -1 before the first step.
  [[nodiscard]] int moment_at(double part) const {
    const auto count = static_cast<int>(moments.size());
    return part <= 0 ? -1 : std::min(count - 1, static_cast<int>(part * count));
  }
};

}  // namespace spira::ui
