// Chooses the position of each row of a level (see PositionKind).
#pragma once

#include "engine/base/thread_pool.hpp"
#include "engine/job/job.hpp"
#include "engine/voxel/coord_set.hpp"
#include "engine/voxel/positions.hpp"
#include "kernels/cpu/radix_sort.hpp"

#include <algorithm>
#include <cstddef>
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

/// The squared distance between a position in a voxel of stride 1 and the centre of the voxel.
[[nodiscard]] constexpr std::int64_t distance_to_centre(std::uint64_t word) noexcept {
  std::int64_t distance = 0;
  for (const std::int32_t field : position_fields(word)) {
    const std::int64_t from_centre = field - (position_one / 2);
    distance += from_centre * from_centre;
  }
  return distance;
}

/// Returns the positions of the voxels `coords` of level 0. `sorted` contains the points inside the crop,
/// sorted by key and then by index. `word_of` contains the position word of each point of the cloud.
template <class Key>
[[nodiscard]] Positions nearest_points(ThreadPool& threads, const std::shared_ptr<MemoryPool>& pool,
                                       PositionKind kind, const std::vector<std::uint64_t>& word_of,
                                       const std::vector<IndexedKey<Key>>& sorted, const CoordSet& coords,
                                       Job& job) {
  const auto stage = job.stage("positions");
  Positions chosen = make_positions(pool, kind, coords.size.value());
  const auto keys = keys_of<Key>(coords);
  const auto words = chosen.words.host_span<std::uint64_t>();
  const auto points = chosen.points.host_span<std::int32_t>();
  const auto same_voxel = [&](std::size_t at) {  // Returns true if the previous point is in the same voxel.
    return at > 0 && at < sorted.size() && sorted[at].key == sorted[at - 1].key;
  };
  const auto word_at = [&](std::size_t at) { return word_of[static_cast<std::size_t>(sorted[at].index)]; };
  // A block contains the voxels whose first point is in its range.
  const auto choose_block = [&](std::int64_t begin, std::int64_t end, int) {
    const auto last = static_cast<std::size_t>(end);
    auto at = static_cast<std::size_t>(begin);
    while (at < last && same_voxel(at))
      ++at;
    if (at == last) return;
    auto row =
        static_cast<std::size_t>(std::lower_bound(keys.begin(), keys.end(), sorted[at].key) - keys.begin());
    for (; at < last; ++row) {
      std::size_t best = at++;
      if (same_voxel(at)) {  // Most voxels have one point, which needs no distance.
        std::int64_t nearest = distance_to_centre(word_at(best));
        for (; same_voxel(at); ++at) {
          const std::int64_t distance = distance_to_centre(word_at(at));
          if (distance >= nearest) continue;  // The first of several nearest points is kept.
          nearest = distance;
          best = at;
        }
      }
      words[row] = kind == PositionKind::grid ? 0 : word_at(best);
      points[row] = sorted[best].index;
    }
  };
  constexpr std::int64_t points_per_block = 16'384;
  threads.for_blocks(std::ssize(sorted), points_per_block, choose_block, job.stop_token());
  job.checkpoint({"positions of points", 0, 0});
  return chosen;
}

}  // namespace spira::cpu
