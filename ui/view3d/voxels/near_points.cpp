#include "ui/view3d/voxels/near_points.hpp"

#include "engine/run/native_row.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace spira::ui {
namespace {

constexpr double min_voxel_px = 36;  // Points of smaller voxels would cover each other.
// Software OpenGL draws this number of points in a few milliseconds.
constexpr std::size_t max_points = 20'000;

double times_row(const ViewPoint& from, std::size_t row, const float* place) {
  const double* m = from.to_clip.data() + (4 * row);
  return (m[0] * static_cast<double>(place[0])) + (m[1] * static_cast<double>(place[1])) +
         (m[2] * static_cast<double>(place[2])) + m[3];
}

/// Returns true for the voxels in the picture that are large enough.
std::vector<bool> large_voxels(const VoxelMesh& mesh, const ViewPoint& from, const std::stop_token& stop) {
  constexpr std::size_t rows_between_checks = 65'536;
  const auto cell = static_cast<double>(*std::min_element(mesh.cell.begin(), mesh.cell.end()));
  std::vector<bool> large(static_cast<std::size_t>(mesh.voxels), false);
  for (std::size_t row = 0; row < large.size(); ++row) {
    if (row % rows_between_checks == 0 && stop.stop_requested()) break;
    const float* centre = mesh.centres.data() + (3 * row);
    large[row] = !mesh.hides(row) &&
                 cell * from.pixels_per_radian >= min_voxel_px * times_row(from, 3, centre) &&
                 in_picture(from, {centre[0], centre[1], centre[2]});
  }
  return large;
}

/// Keeps at most `max_merged` merged points of each voxel, spread evenly over the cloud.
void thin_merged(std::vector<VoxelPoint>& points, std::size_t rows) {
  constexpr std::int64_t max_merged = 8;
  std::vector<std::int32_t> merged(rows, 0), seen(rows, 0);
  for (const VoxelPoint& point : points)
    merged[static_cast<std::size_t>(point.row)] += point.kept ? 0 : 1;
  std::erase_if(points, [&](const VoxelPoint& point) {
    const auto row = static_cast<std::size_t>(point.row);
    if (point.kept || merged[row] <= max_merged) return false;
    const std::int64_t index = seen[row]++;
    return (index * max_merged) / merged[row] == ((index - 1) * max_merged) / merged[row] && index > 0;
  });
}

/// Keeps the points of the nearest voxels if there are more than `max_points`.
void keep_nearest(std::vector<VoxelPoint>& points, const VoxelMesh& mesh, const ViewPoint& from) {
  if (points.size() <= max_points) return;
  const auto distance = [&](const VoxelPoint& point) {
    return times_row(from, 2, mesh.centres.data() + (3 * static_cast<std::size_t>(point.row)));
  };
  std::sort(points.begin(), points.end(), [&](const VoxelPoint& a, const VoxelPoint& b) {
    return std::pair(distance(a), a.row) < std::pair(distance(b), b.row);
  });
  // The last voxel may be incomplete, so remove its points.
  const std::int32_t first_omitted = points[max_points].row;
  points.resize(max_points);
  while (!points.empty() && points.back().row == first_omitted)
    points.pop_back();
}

}  // namespace

std::shared_ptr<const NearPoints> build_near_points(const VoxelScene& scene,
                                                    std::shared_ptr<const VoxelMesh> mesh,
                                                    const ViewPoint& from, const std::stop_token& stop) {
  const std::vector<bool> large = large_voxels(*mesh, from, stop);
  if (stop.stop_requested()) return nullptr;
  auto near = std::make_shared<NearPoints>();
  near->from = from;
  if (std::find(large.begin(), large.end(), true) != large.end()) {
    auto points = points_of_voxels(scene, mesh->stride, large);
    thin_merged(points, large.size());
    keep_nearest(points, *mesh, from);
    for (const VoxelPoint& point : points) {
      PointsInVoxels& group = point.kept ? near->kept : near->merged;
      const Point& place = scene.cloud->positions[static_cast<std::size_t>(point.point)];
      for (std::size_t axis = 0; axis < 3; ++axis)
        group.places.push_back(static_cast<float>(place[axis] - mesh->origin[axis]));
      group.row.push_back(point.row);
    }
  }
  near->mesh = std::move(mesh);
  return stop.stop_requested() ? nullptr : near;
}

void move_out_of_voxels(const PointsInVoxels& points, const VoxelMesh& mesh, const ViewPoint& from,
                        float* places) {
  // Distance from the voxel, as a fraction of its size. It is larger than a drawn point, so that no face of
  // the voxel cuts the point.
  constexpr double distance = 0.25, nearest_to_eye = 0.95;
  const auto cell = static_cast<double>(*std::min_element(mesh.cell.begin(), mesh.cell.end()));
  const double* m = from.to_clip.data();
  const bool parallel = m[12] == 0 && m[13] == 0 && m[14] == 0;
  for (std::size_t point = 0; point < points.count(); ++point) {
    const float* place = points.places.data() + (3 * point);
    const float* centre = mesh.centres.data() + (3 * static_cast<std::size_t>(points.row[point]));
    // The share of the way to the eye, or metres along the viewing direction of a parallel projection.
    const double limit = parallel ? std::numeric_limits<double>::max() : nearest_to_eye;
    double way = limit;
    std::array<double, 3> towards{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      towards[axis] = parallel ? -m[8 + axis] : from.eye[axis] - static_cast<double>(place[axis]);
      const double half = 0.5 * static_cast<double>(mesh.cell[axis]);
      const double to_face =
          towards[axis] > 0 ? static_cast<double>(centre[axis]) + half - static_cast<double>(place[axis])
                            : static_cast<double>(centre[axis]) - half - static_cast<double>(place[axis]);
      if (towards[axis] != 0) way = std::min(way, std::max(0.0, to_face / towards[axis]));
    }
    way = std::min(limit, way + (distance * cell / std::hypot(towards[0], towards[1], towards[2])));
    for (std::size_t axis = 0; axis < 3; ++axis)
      places[(3 * point) + axis] =
          static_cast<float>(static_cast<double>(place[axis]) + (way * towards[axis]));
  }
}

}  // namespace spira::ui
