// Chooses the position of each row of a level (see PositionKind).
#pragma once

#include "engine/base/thread_pool.hpp"
#include "engine/job/job.hpp"
#include "engine/voxel/coord_set.hpp"
#include "engine/voxel/positions.hpp"
#include "kernels/cpu/radix_sort.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace spira::cpu {

[[nodiscard]] Positions make_positions(const std::shared_ptr<MemoryPool>& pool, PositionKind kind,
                                       std::int64_t rows);

/// Implements Backend::downsample() for positions.
[[nodiscard]] Positions coarser_positions(ThreadPool& threads, const std::shared_ptr<MemoryPool>& pool,
                                          const CoordSet& fine, const Positions& of_fine,
                                          const CoordSet& coarse, Job& job);

/// Returns the positions of level 0. `sorted` contains the points inside the crop, sorted by key and then by
/// index. `word_of` contains the position word of each point of the cloud.
template <class Key>
[[nodiscard]] Positions nearest_points(const std::shared_ptr<MemoryPool>& pool, PositionKind kind,
                                       const std::vector<std::uint64_t>& word_of,
                                       const std::vector<IndexedKey<Key>>& sorted, std::int64_t rows,
                                       Job& job) {
  const auto stage = job.stage("positions");
  Positions chosen = make_positions(pool, kind, rows);
  const auto words = chosen.words.host_span<std::uint64_t>();
  const auto points = chosen.points.host_span<std::int32_t>();
  std::int64_t nearest = 0;
  std::size_t row = 0;
  for (std::size_t at = 0; at < sorted.size(); ++at) {
    constexpr std::size_t points_per_checkpoint = std::size_t{1} << 18U;
    if (at % points_per_checkpoint == 0) job.checkpoint({"positions of points", 0, 0});
    const bool first = at == 0 || sorted[at].key != sorted[at - 1].key;
    if (first && at != 0) ++row;
    const std::uint64_t word = word_of[static_cast<std::size_t>(sorted[at].index)];
    std::int64_t distance = 0;
    for (const std::int32_t field : position_fields(word)) {
      const std::int64_t from_centre = field - (position_one / 2);
      distance += from_centre * from_centre;
    }
    if (!first && distance >= nearest) continue;  // The first of several nearest points is kept.
    nearest = distance;
    words[row] = kind == PositionKind::grid ? 0 : word;
    points[row] = sorted[at].index;
  }
  return chosen;
}

}  // namespace spira::cpu
