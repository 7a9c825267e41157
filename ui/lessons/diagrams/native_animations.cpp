#include "engine/backend/host_read.hpp"
#include "engine/map/kernel_map.hpp"
#include "ui/lessons/diagrams/animation_scenes.hpp"

#include <algorithm>
#include <cstdlib>

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
/// position. The view draws the cells and the inputs as it does without a lesson.
AnimationScene cells_of(const LessonInput& input) {
  AnimationScene picture;
  picture.nothing =
      !input.map || !input.voxel || !row_of_voxel(input.scene->level(input.stride), *input.voxel);
  if (!picture.nothing) picture.cells_of = ChosenVoxel{*input.voxel, input.stride};
  return picture;
}

}  // namespace

std::optional<AnimationScene> native_animation(const std::string& kind, const LessonInput& input) {
  if (kind == "centres") return centres_of(input);
  if (kind == "cells") return cells_of(input);
  return std::nullopt;
}

}  // namespace spira::ui
