#include "ui/view3d/tools/picking.hpp"

#include "engine/backend/host_read.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace spira::ui {
namespace {

/// A ray in units of cells of the level, counted from 0 on each axis.
struct GridRay {
  std::array<double, 3> from{}, direction{};
};

GridRay in_cells(const VoxelScene& scene, int stride, const Ray& ray) {
  GridRay result;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double cell_m = scene.grid.voxel_m[axis] * stride;
    result.from[axis] = (ray.from[axis] / cell_m) - (static_cast<double>(scene.shift[axis]) / stride);
    result.direction[axis] = ray.direction[axis] / cell_m;
  }
  return result;
}

/// Returns the ray parameters where the ray enters and leaves [0, size) on all axes. If enter > leave, the
/// ray misses.
std::pair<double, double> clip(const GridRay& ray, const std::array<std::int64_t, 3>& size) {
  double enter = 0.0, leave = std::numeric_limits<double>::infinity();
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto end = static_cast<double>(size[axis]);
    if (std::abs(ray.direction[axis]) < 1e-300) {
      if (ray.from[axis] < 0.0 || ray.from[axis] >= end) return {1.0, 0.0};
      continue;
    }
    const double a = -ray.from[axis] / ray.direction[axis], b = (end - ray.from[axis]) / ray.direction[axis];
    enter = std::max(enter, std::min(a, b));
    leave = std::min(leave, std::max(a, b));
  }
  return {enter, leave};
}

}  // namespace

std::optional<std::int64_t> pick_voxel(const VoxelScene& scene, int stride, const Ray& scene_ray,
                                       const std::vector<bool>& hidden) {
  const CoordSet& level = scene.level(stride);
  const GridRay ray = in_cells(scene, stride, scene_ray);
  std::array<std::int64_t, 3> size{};
  for (std::size_t axis = 0; axis < 3; ++axis)
    size[axis] = (scene.fit.axes[axis].extent + stride - 1) / stride;
  const auto [enter, leave] = clip(ray, size);
  if (enter > leave) return std::nullopt;
  std::array<std::int64_t, 3> cell{}, step{};
  std::array<double, 3> next{}, each{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double at = ray.from[axis] + (enter * ray.direction[axis]);
    cell[axis] = std::clamp(static_cast<std::int64_t>(std::floor(at)), std::int64_t{0}, size[axis] - 1);
    const double d = ray.direction[axis];
    step[axis] = d > 0 ? 1 : -1;
    each[axis] = std::abs(d) < 1e-300 ? std::numeric_limits<double>::infinity() : std::abs(1.0 / d);
    const double edge = d > 0 ? static_cast<double>(cell[axis] + 1) : static_cast<double>(cell[axis]);
    next[axis] = std::abs(d) < 1e-300 ? std::numeric_limits<double>::infinity() : (edge - ray.from[axis]) / d;
  }
  while (true) {
    Voxel voxel{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (cell[axis] < 0 || cell[axis] >= size[axis]) return std::nullopt;
      voxel[axis] = static_cast<std::int32_t>(cell[axis] * stride);
    }
    const auto row = row_of_voxel(level, voxel);
    if (row && (hidden.empty() || !hidden[static_cast<std::size_t>(*row)])) return row;
    const auto axis = static_cast<std::size_t>(std::min_element(next.begin(), next.end()) - next.begin());
    cell[axis] += step[axis];
    next[axis] += each[axis];
  }
}

}  // namespace spira::ui
