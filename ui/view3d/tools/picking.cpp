#include "ui/view3d/tools/picking.hpp"

#include "engine/backend/host_read.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace spira::ui {
namespace {

/// A ray in units of cells of the level, in which the first cell of each axis begins at 0.
struct GridRay {
  std::array<double, 3> from{}, direction{};
};

GridRay in_cells(const VoxelScene& scene, const PerAxis& stride, const Ray& ray) {
  GridRay result;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double cell_m = scene.grid.voxel_m[axis] * stride[axis];
    result.from[axis] = (ray.from[axis] / cell_m) - (static_cast<double>(scene.shift[axis]) / stride[axis]);
    result.direction[axis] = ray.direction[axis] / cell_m;
  }
  return result;
}

/// Returns the two ray parameters at which the ray enters and leaves the box [0, size). If the first
/// parameter is larger than the second, the ray misses the box.
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

std::optional<std::int64_t> pick_voxel(const VoxelScene& scene, int number, const Ray& scene_ray,
                                       const std::vector<bool>& hidden) {
  const CoordSet& level = scene.level(number);
  const PerAxis stride = level.rule.stride();
  const GridRay ray = in_cells(scene, stride, scene_ray);
  std::array<std::int64_t, 3> size{};
  for (std::size_t axis = 0; axis < 3; ++axis)
    size[axis] = (scene.fit.axes[axis].extent + stride[axis] - 1) / stride[axis];
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
      voxel[axis] = static_cast<std::int32_t>(cell[axis] * stride[axis]);
    }
    const auto row = row_of_voxel(level, voxel);
    if (row && (hidden.empty() || !hidden[static_cast<std::size_t>(*row)])) return row;
    const auto axis = static_cast<std::size_t>(std::min_element(next.begin(), next.end()) - next.begin());
    cell[axis] += step[axis];
    next[axis] += each[axis];
  }
}

std::optional<OnPicture> on_picture(const ViewPoint& from, const Picture& picture,
                                    const std::array<double, 3>& place) {
  const auto row_times = [&](std::size_t row) {
    const double* m = from.to_clip.data() + (4 * row);
    return (m[0] * place[0]) + (m[1] * place[1]) + (m[2] * place[2]) + m[3];
  };
  const double depth = row_times(3);
  if (depth <= 0) return std::nullopt;
  return OnPicture{(0.5 + (0.5 * row_times(0) / depth)) * picture.width,
                   (0.5 - (0.5 * row_times(1) / depth)) * picture.height, depth, row_times(2)};
}

namespace {

/// Finds the voxel that the user clicks. Rows are examined one after the other.
class Nearest {
 public:
  Nearest(const VoxelMesh& mesh, const ViewPoint& from, const Picture& picture,
          const std::array<double, 2>& click, double tolerance)
      : mesh_(mesh), from_(from), picture_(picture), click_(click), tolerance_(tolerance) {
    found_.distance_px = std::numeric_limits<double>::infinity();
  }

  void look_at(std::int64_t row) {
    if (mesh_.hides(static_cast<std::size_t>(row))) return;
    const auto at = place(mesh_.centres.data() + (3 * row));
    if (!at) return;
    const double away = pixels_to(*at, half_cell_ * from_.pixels_per_radian / at->depth);
    found_.distance_px = std::min(found_.distance_px, away);
    if (away > tolerance_ || at->along >= nearest_) return;
    nearest_ = at->along;
    found_.row = row;
  }

  /// Returns false if no point within `radius` of the centre can appear within `pixels` of the click.
  [[nodiscard]] bool may_reach(const float* centre, double radius, double pixels) const {
    double square = 0;
    for (std::size_t axis = 0; axis < 3; ++axis)
      square += std::pow(static_cast<double>(centre[axis]) - from_.eye.at(axis), 2);
    // Return true if the eye is inside or close to the sphere.
    if (square <= 9 * radius * radius) return true;
    const auto at = place(centre);
    if (!at) return false;
    const bool parallel = from_.to_clip[12] == 0 && from_.to_clip[13] == 0 && from_.to_clip[14] == 0;
    const double depth = parallel ? at->depth : at->depth - radius;
    // Points that are nearer to the eye than the centre appear farther from the middle of the screen. Within
    // 45 degrees of the view direction, this shift is smaller than their size on the screen, so a factor of 2
    // is sufficient.
    return depth <= 0 || pixels_to(*at, 2 * radius * from_.pixels_per_radian / depth) <= pixels;
  }
  [[nodiscard]] const ScreenPick& found() const noexcept { return found_; }

 private:
  [[nodiscard]] std::optional<OnPicture> place(const float* centre) const {
    return on_picture(from_, picture_, {centre[0], centre[1], centre[2]});
  }
  [[nodiscard]] double pixels_to(const OnPicture& at, double half) const {
    return std::max(0.0, std::max(std::abs(at.x - click_[0]), std::abs(at.y - click_[1])) - half);
  }

  const VoxelMesh& mesh_;
  const ViewPoint& from_;
  const Picture& picture_;
  std::array<double, 2> click_;
  double tolerance_;
  double half_cell_ = 0.5 * static_cast<double>(*std::min_element(mesh_.cell.begin(), mesh_.cell.end()));
  double nearest_ = std::numeric_limits<double>::infinity();
  ScreenPick found_{};
};

}  // namespace

ScreenPick pick_near(const VoxelMesh& mesh, const ViewPoint& from, const Picture& picture,
                     const std::array<double, 2>& click, double tolerance, double reach) {
  Nearest nearest(mesh, from, picture, click, tolerance);
  const RowsByCell& cells = mesh.cells;
  if (cells.rows.empty()) {
    for (std::int64_t row = 0; row < mesh.voxels; ++row)
      nearest.look_at(row);
    return nearest.found();
  }
  const double radius =
      std::sqrt(0.75) * static_cast<double>(*std::max_element(cells.size.begin(), cells.size.end()));
  for (std::size_t cell = 0; cell + 1 < cells.first.size(); ++cell) {
    if (!nearest.may_reach(cells.centres.data() + (3 * cell), radius, reach)) continue;
    for (std::int32_t at = cells.first[cell]; at < cells.first[cell + 1]; ++at)
      nearest.look_at(cells.rows[static_cast<std::size_t>(at)]);
  }
  return nearest.found();
}

}  // namespace spira::ui
