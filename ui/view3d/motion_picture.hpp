// What moves in the 3D view while a lesson shows something: plain data, made on a worker.
#pragma once

#include "engine/scene/point_cloud.hpp"

#include <QString>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace spira::ui {

/// A cell that is marked, from one moment of the motion to another.
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
  int first = -1;  ///< -1: before the motion begins
  int last = std::numeric_limits<int>::max();
};

/// Words in memory that a motion reads: the sorted array, or a hash table.
struct MotionMemory {
  QString name;
  std::int64_t size = 0;
};

struct MotionMoment {
  std::int64_t begin = 0, end = 0;   ///< what may still be the answer, of the first memory; equal: not told
  std::vector<std::int64_t> places;  ///< what is read
  std::size_t memory = 0;            ///< of which
  QString note;
};

struct MotionPicture {
  enum class Role { point, fault, copy, curve, arrow };
  Role role = Role::point;
  std::vector<Point> from;  ///< metres of the scene
  std::vector<Point> to;    ///< where they go; empty: they stay
  /// Of `from`: so many, from the first, are there when they have arrived; the others go.
  std::optional<std::int64_t> remain;
  bool one_by_one = false;  ///< they appear in their order
  bool joined = false;      ///< by a line, in their order
  bool alone = false;       ///< the voxels are not drawn
  bool framed = false;      ///< the camera goes where all of it is seen, and these places too
  std::vector<Point> around;
  /// A plane that sinks from the first height to the second: voxels are drawn above it, these points below.
  std::optional<std::pair<double, double>> plane_m;
  double size = 3;      ///< of a point, or the width of the line, in points of the screen
  std::int64_t of = 0;  ///< as many there are; more than `from`: an even selection

  /// A motion in moments: each adds marks, and leaves of `from` what may still be the answer.
  std::vector<MotionMoment> moments;
  std::vector<MotionMark> marks;
  std::vector<MotionMemory> memory;
  Point cell_m{};        ///< size of a marked cell
  bool nothing = false;  ///< what it is about does not exist in what is open or chosen

  /// -1: before the first.
  [[nodiscard]] int moment_at(double part) const {
    const auto count = static_cast<int>(moments.size());
    return part <= 0 ? -1 : std::min(count - 1, static_cast<int>(part * count));
  }
};

}  // namespace spira::ui
