#include "engine/backend/host_read.hpp"
#include "engine/map/kernel_map.hpp"
#include "engine/run/native_row.hpp"
#include "ui/lessons/diagrams/animation_scenes.hpp"

#include <algorithm>
#include <cstdlib>
#include <set>

namespace spira::ui {
namespace {

bool is_near(const Voxel& voxel, const Voxel& other, int steps) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (std::abs(voxel.at(axis) - other.at(axis)) > steps) return false;
  }
  return true;
}

/// Returns the animation that moves the points near the selected voxel to the centres of their voxels.
AnimationScene centres_of(const LessonInput& input) {
  constexpr int reach = 6;
  const VoxelScene& scene = *input.scene;
  const CoordSet& level = scene.level(1);
  AnimationScene picture;
  picture.nothing = !input.voxel || input.stride != 1;
  if (picture.nothing) return picture;
  picture.alone = picture.framed = true;
  picture.size = 6;
  for (std::size_t point = 0; point < scene.voxel_of_point.size(); ++point) {
    const std::int32_t row = scene.voxel_of_point[point];
    if (row < 0) continue;
    const Voxel voxel = voxel_at(level, row);
    if (!is_near(voxel, *input.voxel, reach)) continue;
    picture.from.push_back(scene.cloud->positions[point]);
    picture.to.push_back(scene.centre_m(voxel, 1));
  }
  picture.around = picture.from;
  picture.of = std::ssize(picture.from);
  return picture;
}

/// Returns the animation that moves the local cells of the selected row from the centre of its voxel to its
/// position. The points are the inputs of the row.
AnimationScene cells_of(const LessonInput& input) {
  const VoxelScene& scene = *input.scene;
  const auto found =
      input.voxel && input.map ? row_of_voxel(scene.level(input.stride), *input.voxel) : std::nullopt;
  AnimationScene picture;
  picture.nothing = !found;
  if (!found) return picture;
  const NativeRow row =
      native_row(scene, *input.map, input.stride, input.stride, static_cast<std::int32_t>(*found));
  picture.cell_m = row.cell_m;
  constexpr int pieces = 24;
  picture.moments.resize(pieces);
  std::set<int> columns;
  for (const NativeInput& one : row.inputs)
    columns.insert(one.column);
  const KernelOffsets offsets(row.kernel_size, 1);
  for (int column = 0; column < offsets.columns(); ++column) {
    const auto kind = columns.contains(column) ? MotionMark::Kind::hit : MotionMark::Kind::miss;
    for (int piece = -1; piece < pieces; ++piece) {
      Point place{};
      for (std::size_t axis = 0; axis < 3; ++axis)
        place.at(axis) = row.voxel_centre_m.at(axis) +
                         ((row.position_m.at(axis) - row.voxel_centre_m.at(axis)) * (piece + 1) / pieces) +
                         (offsets.offset(column).at(axis) * row.cell_m.at(axis));
      picture.marks.push_back({kind, place, piece, piece});
    }
  }
  for (const NativeInput& one : row.inputs) {  // Add the points last, so that they cover the marks of cells.
    if (one.column >= 0) picture.marks.push_back({MotionMark::Kind::point, one.position_m});
  }
  return picture;
}

}  // namespace

std::optional<AnimationScene> native_animation(const std::string& kind, const LessonInput& input) {
  if (kind == "centres") return centres_of(input);
  if (kind == "cells") return cells_of(input);
  return std::nullopt;
}

}  // namespace spira::ui
