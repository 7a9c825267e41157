#include "ui/view3d/voxels/level_of_detail.hpp"

#include "engine/backend/host_read.hpp"
#include "engine/base/hash_and_random.hpp"
#include "ui/model/tables/chosen_rows.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace spira::ui {
namespace {

constexpr std::int64_t stop_every = 65'536;

/// Returns for each voxel the row of the coarse voxel that contains it. The key of the coarse voxel is the
/// key of the voxel with the low bits of each axis cleared. Consecutive voxels usually have the same coarse
/// row, so few searches are needed. Returns an empty list after a stop request.
std::vector<std::int32_t> coarse_rows(const CoordSet& level, const CoordSet& coarse,
                                      const std::stop_token& stop) {
  std::vector<std::int32_t> rows(static_cast<std::size_t>(size_of(level)));
  Voxel last{-1, -1, -1};
  std::int32_t at = 0;
  const PerAxis step = coarse.rule.stride();
  for (std::int64_t row = 0; row < size_of(level); ++row) {
    if (row % stop_every == 0 && stop.stop_requested()) return {};
    const Voxel voxel = cell_around(voxel_at(level, row), step);
    if (voxel != last) at = static_cast<std::int32_t>(row_of_voxel(coarse, voxel).value());
    last = voxel;
    rows[static_cast<std::size_t>(row)] = at;
  }
  return rows;
}

/// Selects about `most` rows that are evenly spread. Returns the position of each row in the selection, or -1
/// if the row is not selected. The selection is pseudo-random and always the same. Taking every k-th row
/// would draw stripes, because consecutive rows are neighbours in space.
std::vector<std::int32_t> even_selection(std::int64_t rows, std::int64_t most) {
  std::vector<std::int32_t> place(static_cast<std::size_t>(rows), -1);
  const double share = std::min(1.0, static_cast<double>(most) / static_cast<double>(rows));
  const auto limit = static_cast<std::uint64_t>(share * static_cast<double>(std::uint64_t{1} << 32U));
  std::int32_t next = 0;
  for (std::size_t row = 0; row < place.size(); ++row) {
    if ((Random(row).bits() >> 32U) < limit) place[row] = next++;
  }
  return place;
}

void add_centre(VoxelMesh& mesh, const VoxelScene& scene, const CoordSet& level, std::int64_t row) {
  const Point centre = scene.centre_m(voxel_at(level, row), level.stride);
  for (std::size_t axis = 0; axis < 3; ++axis)
    mesh.centres.push_back(static_cast<float>(centre[axis] - mesh.origin[axis]));
}

/// Creates points from the rows of a level that have a position in `place`.
VoxelMesh points_of(const VoxelScene& scene, const CoordSet& level, const Point& origin,
                    const std::vector<std::int32_t>& place) {
  VoxelMesh mesh;
  mesh.stride = level.stride;
  mesh.origin = origin;
  const PerAxis step = level.rule.stride();
  for (std::size_t axis = 0; axis < 3; ++axis)
    mesh.cell[axis] = static_cast<float>(scene.grid.voxel_m[axis] * step[axis]);
  for (std::size_t row = 0; row < place.size(); ++row) {
    if (place[row] < 0) continue;
    add_centre(mesh, scene, level, static_cast<std::int64_t>(row));
    ++mesh.voxels;
  }
  mesh.box = box_around(mesh.centres, mesh.cell);
  return mesh;
}

/// Groups the rows by cells of the coarsest stride. The first pass counts the rows of each cell, and the
/// second pass stores them.
RowsByCell rows_by_cell(const VoxelMesh& mesh, const VoxelScene& scene, const std::stop_token& stop) {
  const CoordSet& coarse = coarsest_floor_level(scene);
  RowsByCell cells;
  const auto cell_of_row = coarse_rows(scene.level(mesh.stride), coarse, stop);
  if (stop.stop_requested()) return cells;
  std::vector<std::int32_t> all(static_cast<std::size_t>(size_of(coarse)));
  std::iota(all.begin(), all.end(), 0);
  VoxelMesh places = points_of(scene, coarse, mesh.origin, all);
  cells.size = places.cell;
  cells.centres = std::move(places.centres);
  cells.first.assign(all.size() + 1, 0);
  for (const std::int32_t cell : cell_of_row)
    ++cells.first[static_cast<std::size_t>(cell) + 1];
  std::partial_sum(cells.first.begin(), cells.first.end(), cells.first.begin());
  std::vector<std::int32_t> next(cells.first.begin(), cells.first.end() - 1);
  cells.rows.resize(cell_of_row.size());
  for (std::size_t row = 0; row < cell_of_row.size(); ++row) {
    std::int32_t& at = next[static_cast<std::size_t>(cell_of_row[row])];
    cells.rows[static_cast<std::size_t>(at++)] = static_cast<std::int32_t>(row);
  }
  return cells;
}

}  // namespace

LevelOfDetail level_of_detail(const VoxelMesh& mesh, const VoxelScene& scene, std::int64_t most,
                              const std::stop_token& stop) {
  // If a level does not use the floor rule, no coarser level contains all of its voxels.
  const bool floor = mesh.stride < first_numbered_level;
  const CoordSet* chosen = floor ? &coarsest_floor_level(scene) : &scene.level(mesh.stride);
  for (const auto& level : scene.levels) {
    if (!floor || level->stride >= first_numbered_level) break;
    if (level->stride < mesh.stride || size_of(*level) > 2 * most) continue;
    chosen = level.get();
    break;
  }
  LevelOfDetail result;
  result.of_stride = size_of(*chosen);
  const auto place = even_selection(result.of_stride, most);
  if (chosen->stride == mesh.stride) {
    result.of_row = place;
  } else {
    result.of_row = coarse_rows(scene.level(mesh.stride), *chosen, stop);
    for (std::int32_t& row : result.of_row)
      row = place[static_cast<std::size_t>(row)];
  }
  if (stop.stop_requested()) return {};
  VoxelMesh points = points_of(scene, *chosen, mesh.origin, place);
  points.hidden = hidden_coarse(mesh.hidden, result.of_row, points.voxels);
  result.mesh = std::make_shared<const VoxelMesh>(std::move(points));
  return result;
}

void add_levels_of_detail(VoxelMesh& mesh, const VoxelScene& scene, const std::stop_token& stop) {
  constexpr std::int64_t few = 20'000;  // A search examines this many voxels in less than a millisecond.
  if (mesh.voxels > few && coarsest_floor_level(scene).stride > mesh.stride && !stop.stop_requested())
    mesh.cells = rows_by_cell(mesh, scene, stop);
  if (mesh.voxels > max_moving && !stop.stop_requested())
    mesh.moving = level_of_detail(mesh, scene, max_moving, stop);
  if (mesh.voxels > max_still && !stop.stop_requested())
    mesh.still = level_of_detail(mesh, scene, max_still, stop);
}

std::vector<float> outside_points(const PointCloud& cloud, const Bounds& crop, const Point& origin,
                                  std::size_t most, const std::stop_token& stop) {
  const std::size_t step = (cloud.positions.size() / most) + 1;
  std::vector<float> points;
  for (std::size_t at = 0; at < cloud.positions.size(); at += step) {
    if (at % 65'536 < step && stop.stop_requested()) return {};
    const Point& p = cloud.positions[at];
    if (inside(crop, p)) continue;
    for (std::size_t axis = 0; axis < 3; ++axis)
      points.push_back(static_cast<float>(p[axis] - origin[axis]));
  }
  return points;
}

}  // namespace spira::ui
