#include "ui/lessons/diagrams/animation_scenes.hpp"

#include "engine/backend/host_read.hpp"
#include "engine/lesson/diagrams/diagram.hpp"
#include "engine/lesson/facts/density_facts.hpp"
#include "engine/lesson/facts/pack_facts.hpp"
#include "engine/lesson/shuffled_level.hpp"

#include <QCoreApplication>

#include <algorithm>
#include <array>
#include <cmath>

namespace spira::ui {
namespace {

// Maximum number of points. Without a GPU, drawing more points per frame is too slow.
constexpr std::int64_t max_points = 100'000;

std::int64_t step_for(std::int64_t count) {
  return (count + max_points - 1) / max_points;
}

AnimationScene points_of(const LessonInput& input, bool shrinking_plane) {
  const PointCloud& cloud = *input.scene->cloud;
  AnimationScene picture;
  picture.of = cloud.size();
  const std::int64_t step = std::max<std::int64_t>(1, step_for(cloud.size()));
  double low = INFINITY, high = -INFINITY;
  for (std::int64_t at = 0; at < cloud.size(); at += step) {
    const Point& p = cloud.positions[static_cast<std::size_t>(at)];
    if (!input.scene->grid.keeps(p)) continue;
    picture.from.push_back(p);
    low = std::min(low, p[2]);
    high = std::max(high, p[2]);
  }
  picture.one_by_one = picture.alone = !shrinking_plane;
  const double room = input.scene->grid.voxel_m[2];
  if (shrinking_plane) picture.plane_m = {high + room, low - room};
  return picture;
}

Point corner_of(const VoxelScene& scene, const Voxel& voxel) {
  Point corner{};
  for (std::size_t axis = 0; axis < 3; ++axis)
    corner[axis] = static_cast<double>(voxel[axis] + scene.shift[axis]) * scene.grid.voxel_m[axis];
  return corner;
}

/// Returns the animation of rounding down: it moves the first point of the selected voxel to the lower corner
/// of this voxel.
AnimationScene point_of(const LessonInput& input) {
  AnimationScene picture;
  if (!input.voxel || input.stride != 1) return picture;
  const VoxelScene& scene = *input.scene;
  const auto row = row_of_voxel(scene.level(1), *input.voxel);
  if (!row) return picture;
  const auto found = std::find(scene.voxel_of_point.begin(), scene.voxel_of_point.end(), *row);
  if (found == scene.voxel_of_point.end()) return picture;
  const Point from = scene.cloud->positions[static_cast<std::size_t>(found - scene.voxel_of_point.begin())];
  const Point to = corner_of(scene, *input.voxel);
  picture.cell_m = scene.grid.voxel_m;
  picture.marks.push_back({MotionMark::Kind::cell, scene.centre_m(*input.voxel, 1), -1});
  constexpr int pieces = 24;
  picture.moments.resize(pieces);
  for (int piece = -1; piece < pieces; ++piece) {
    Point place{};
    for (std::size_t axis = 0; axis < 3; ++axis)
      place[axis] = from[axis] + ((to[axis] - from[axis]) * (piece + 1) / pieces);
    picture.marks.push_back({MotionMark::Kind::point, place, piece, piece});
  }
  return picture;
}

/// Returns the animation that moves three axes from the origin of the file to the corner of the scene. If
/// this origin is far away, the axes start at the edge of the picture.
AnimationScene shift_of(const LessonInput& input) {
  const VoxelScene& scene = *input.scene;
  AnimationScene picture;
  picture.role = AnimationScene::Role::curve;
  picture.joined = true;
  picture.size = 3;
  const Point corner = corner_of(scene, {0, 0, 0});
  Point start{};
  double longest = 0;
  for (std::size_t axis = 0; axis < 3; ++axis)
    longest = std::max(longest, static_cast<double>(scene.span[axis]) * scene.grid.voxel_m[axis]);
  for (std::size_t axis = 0; axis < 3; ++axis)
    start[axis] = std::clamp(0.0, corner[axis] - longest, corner[axis] + longest);
  const double length = longest / 8;
  picture.framed = true;
  Voxel far{};
  for (std::size_t axis = 0; axis < 3; ++axis)
    far[axis] = static_cast<std::int32_t>(scene.span[axis]);
  picture.around = {corner, corner_of(scene, far)};
  constexpr std::array<std::array<double, 3>, 6> ends{
      {{1, 0, 0}, {0, 0, 0}, {0, 1, 0}, {0, 0, 0}, {0, 0, 1}, {0, 0, 0}}};
  for (const auto& end : ends) {
    Point from = start, to = corner;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      from[axis] += length * end[axis];
      to[axis] += length * end[axis];
    }
    picture.from.push_back(from);
    picture.to.push_back(to);
  }
  return picture;
}

std::vector<Point> centres(const LessonInput& input, int stride, std::int64_t step) {
  const CoordSet& level = input.scene->level(stride);
  std::vector<Point> places;
  for (std::int64_t row = 0; row < size_of(level); row += step)
    places.push_back(input.scene->centre_m(voxel_at(level, row), stride));
  return places;
}

AnimationScene order_of(const LessonInput& input) {
  AnimationScene picture;
  picture.role = AnimationScene::Role::curve;
  picture.of = size_of(input.scene->level(1));
  picture.from = centres(input, 1, step_for(picture.of));
  picture.joined = picture.one_by_one = true;
  picture.size = 1.5;
  return picture;
}

AnimationScene overflow_of(const LessonInput& input, Job& job) {
  AnimationScene picture;
  picture.role = AnimationScene::Role::fault;
  picture.size = 4;
  // The camera shows the whole picture, because misread voxels may be outside the scene.
  picture.framed = true;
  const auto misread = misread_voxels(input, tried_pack(input), job);
  picture.of = std::ssize(misread);
  const auto step = static_cast<std::size_t>(std::max<std::int64_t>(1, step_for(picture.of)));
  for (std::size_t at = 0; at < misread.size(); at += step) {
    picture.from.push_back(input.scene->centre_m(misread[at].voxel, 1));
    picture.to.push_back(input.scene->centre_m(misread[at].read, 1));
  }
  return picture;
}

/// Returns the animation of a carry between rows. An arrow leaves a voxel of the lowest z layer downwards,
/// and enters the previous row at the highest z layer.
AnimationScene alias_of(const LessonInput& input) {
  const VoxelScene& scene = *input.scene;
  const CoordSet& level = scene.level(1);
  Voxel q = voxel_at(level, 0);
  for (std::int64_t row = 1; row < size_of(level); ++row) {
    if (voxel_at(level, row)[2] < q[2]) q = voxel_at(level, row);
  }
  const int height = 1 << tight_z_bits(input);
  const Voxel below{q[0], q[1], q[2] - 1}, read{q[0], q[1] - 1, q[2] + height - 1};
  AnimationScene picture;
  picture.role = AnimationScene::Role::arrow;
  picture.framed = true;
  picture.size = 6;
  picture.cell_m = scene.grid.voxel_m;
  // The dotted line has two separate parts, so that no line connects the bottom of one row with the top of
  // the other.
  constexpr int dots = 16;
  const double leg = std::max(2, height / 8) * scene.grid.voxel_m[2];
  const auto add_leg = [&](const Voxel& cell, double higher, const QString& note) {
    Point place = scene.centre_m(cell, 1);
    place[2] += higher;
    for (int dot = 0; dot < dots; ++dot) {
      picture.from.push_back(place);
      picture.moments.push_back({0, std::ssize(picture.from), {}, 0, note});
      place[2] -= leg / dots;
    }
  };
  add_leg(q, 0,
          QCoreApplication::translate("spira::ui::Lessons", "The query leaves the scene at the bottom"));
  add_leg(
      read, leg,
      QCoreApplication::translate("spira::ui::Lessons", "The query reaches the top cell of another column"));
  picture.marks = {{MotionMark::Kind::asks, scene.centre_m(q, 1), -1},
                   {MotionMark::Kind::wanted, scene.centre_m(below, 1), 0},
                   {MotionMark::Kind::alias, scene.centre_m(read, 1), (2 * dots) - 1}};
  return picture;
}

/// Returns the animation that moves a copy of all voxels by the selected offset, or by one step along x if no
/// offset is selected. Copies that end at another voxel come first and remain visible.
AnimationScene slide_of(const LessonInput& input) {
  const KernelOffsets offsets(input.kernel_size, input.stride);
  Voxel offset{input.stride, 0, 0};
  if (input.columns.size() == 1 && input.columns.front() < offsets.columns())
    offset = offsets.offset(input.columns.front());
  AnimationScene picture;
  picture.role = AnimationScene::Role::copy;
  const CoordSet& level = input.scene->level(input.stride);
  picture.of = size_of(level);
  std::vector<Point> alone;
  for (std::int64_t row = 0; row < picture.of; row += step_for(picture.of)) {
    Voxel there = voxel_at(level, row);
    const Point centre = input.scene->centre_m(there, input.stride);
    for (std::size_t axis = 0; axis < 3; ++axis)
      there[axis] += offset[axis];
    (row_of_voxel(level, there) ? picture.from : alone).push_back(centre);
  }
  picture.remain = std::ssize(picture.from);
  picture.from.insert(picture.from.end(), alone.begin(), alone.end());
  picture.to = picture.from;
  for (Point& place : picture.to) {
    for (std::size_t axis = 0; axis < 3; ++axis)
      place[axis] += offset[axis] * input.scene->grid.voxel_m[axis];
  }
  picture.size = 7;
  return picture;
}

AnimationScene shuffle_of(const LessonInput& input, Job& job) {
  const CoordSet& level = input.scene->level(input.stride);
  const SortedVoxels shuffled = sorted_voxels(shuffled_level(level, shuffle_seed, job));
  AnimationScene picture;
  picture.of = std::ssize(shuffled);
  const std::int64_t step = step_for(picture.of);
  picture.from = centres(input, input.stride, step);
  for (std::int64_t row = 0; row < picture.of; row += step)
    picture.to.push_back(input.scene->centre_m(shuffled[static_cast<std::size_t>(row)], input.stride));
  picture.alone = true;
  return picture;
}

/// Returns the animation that moves each voxel to its cell of the displayed level. The cell is computed by
/// clearing the low bits of the level 0 coordinates, so no other level is needed.
AnimationScene floor_of(const LessonInput& input) {
  const CoordSet& level = input.scene->level(1);
  AnimationScene picture;
  picture.role = AnimationScene::Role::copy;
  picture.size = 4;
  picture.of = size_of(level);
  for (std::int64_t row = 0; row < picture.of; row += step_for(picture.of)) {
    Voxel voxel = voxel_at(level, row);
    picture.from.push_back(input.scene->centre_m(voxel, 1));
    for (std::int32_t& component : voxel)
      component -= component % input.stride;
    picture.to.push_back(input.scene->centre_m(voxel, input.stride));
  }
  return picture;
}

/// Returns the picture that marks the outputs of a diagram. The marks are visible through other voxels,
/// because adjacent rows of the array may be far apart in space.
AnimationScene outputs_of(const LessonInput& input, const std::vector<std::int64_t>& outputs) {
  const CoordSet& level = input.scene->level(input.stride);
  AnimationScene picture;
  picture.framed = true;
  for (std::size_t axis = 0; axis < 3; ++axis)
    picture.cell_m[axis] = input.scene->grid.voxel_m[axis] * input.stride;
  for (const std::int64_t row : outputs)
    picture.marks.push_back(
        {MotionMark::Kind::output, input.scene->centre_m(voxel_at(level, row), input.stride), -1});
  return picture;
}

}  // namespace

AnimationScene animation_scene(const std::string& kind, const LessonInput& input, Job& job) {
  if (kind == "points") return points_of(input, false);
  if (kind == "grid") return points_of(input, true);
  if (kind == "point") return point_of(input);
  if (kind == "shift") return shift_of(input);
  if (kind == "order") return order_of(input);
  if (kind == "overflow") return overflow_of(input, job);
  if (kind == "alias") return alias_of(input);
  if (kind == "slide") return slide_of(input);
  if (kind == "shuffle") return shuffle_of(input, job);
  if (auto search = search_animation(kind, input, job)) return *std::move(search);
  if (auto native = native_animation(kind, input)) return *std::move(native);
  if (kind == "floor") return floor_of(input);
  if (const auto outputs = outputs_of_diagram(kind, input); !outputs.empty())
    return outputs_of(input, outputs);
  return {};
}

std::vector<LessonCommand> commands_of_motion(const std::string& kind) {
  if (kind == "norms") {
    return {{"choose.l1", {"1"}}, {"choose.l1", {"2"}}, {"choose.l1", {"3"}}, {"choose.l1", {"4"}}};
  }
  if (kind == "strides") {
    return {{"view.stride_1", {}}, {"view.stride_2", {}},  {"view.stride_4", {}},
            {"view.stride_8", {}}, {"view.stride_16", {}}, {"view.stride_1", {}}};
  }
  return {};
}

}  // namespace spira::ui
