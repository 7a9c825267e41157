// Chooses the position of each row of a level (see PositionKind).
#pragma once

#include "engine/job/job.hpp"
#include "engine/voxel/coord_set.hpp"
#include "engine/voxel/grid.hpp"
#include "engine/voxel/positions.hpp"
#include "kernels/cpu/radix_sort.hpp"

#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

namespace spira::cpu {

[[nodiscard]] Positions make_positions(const std::shared_ptr<MemoryPool>& pool, PositionKind kind,
                                       std::int64_t rows);

/// Implements Backend::downsample() for positions.
[[nodiscard]] Positions coarser_positions(const std::shared_ptr<MemoryPool>& pool, const CoordSet& fine,
                                          const Positions& of_fine, const CoordSet& coarse, Job& job);

/// Returns the positions of level 0. `sorted` contains the points inside the crop, sorted by key and then by
/// index.
template <class Key>
[[nodiscard]] Positions nearest_points(const std::shared_ptr<MemoryPool>& pool, const PointCloud& cloud,
                                       const Grid& grid, const std::vector<IndexedKey<Key>>& sorted,
                                       std::int64_t rows, Job& job) {
  const auto stage = job.stage("positions");
  Positions chosen = make_positions(pool, grid.positions, rows);
  const auto words = chosen.words.host_span<std::uint64_t>();
  const auto points = chosen.points.host_span<std::int32_t>();
  std::int64_t nearest = 0;
  std::size_t row = 0;
  for (std::size_t at = 0; at < sorted.size(); ++at) {
    constexpr std::size_t points_per_checkpoint = std::size_t{1} << 18U;
    if (at % points_per_checkpoint == 0) job.checkpoint({"positions of points", 0, 0});
    const bool first = at == 0 || sorted[at].key != sorted[at - 1].key;
    if (first && at != 0) ++row;
    const Point& p = cloud.positions[static_cast<std::size_t>(sorted[at].index)];
    std::array<std::int64_t, 3> in_voxel{};
    std::int64_t distance = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double units = std::floor(p[axis] / grid.voxel_m[axis] * static_cast<double>(position_one));
      in_voxel[axis] = static_cast<std::int64_t>(units) & (position_one - 1);
      const std::int64_t from_centre = in_voxel[axis] - (position_one / 2);
      distance += from_centre * from_centre;
    }
    if (!first && distance >= nearest) continue;  // The first of several nearest points is kept.
    nearest = distance;
    words[row] = grid.positions == PositionKind::grid ? 0 : position_word(in_voxel);
    points[row] = sorted[at].index;
  }
  return chosen;
}

}  // namespace spira::cpu
