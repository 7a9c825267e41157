#include "kernels/cpu/positions.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

namespace spira::cpu {
namespace {

constexpr std::int64_t rows_per_checkpoint = 1 << 18;

/// Returns the position of the first key that is not less than `wanted`. Searches near `at` first, because
/// consecutive voxels mostly have adjacent parents.
template <class Key> std::size_t seek(std::span<const Key> keys, std::size_t at, Key wanted) {
  if (at < keys.size() && keys[at] == wanted) return at;
  if (at + 1 < keys.size() && keys[at + 1] == wanted) return at + 1;
  return static_cast<std::size_t>(std::lower_bound(keys.begin(), keys.end(), wanted) - keys.begin());
}

template <class Key>
void choose(const CoordSet& fine, const Positions& of_fine, const CoordSet& coarse, Positions& chosen,
            Job& job) {
  const auto fine_keys = keys_of<Key>(fine), coarse_keys = keys_of<Key>(coarse);
  const auto fine_words = of_fine.words.host_span<std::uint64_t>();
  const auto fine_points = of_fine.points.host_span<std::int32_t>();
  const auto words = chosen.words.host_span<std::uint64_t>();
  const auto points = chosen.points.host_span<std::int32_t>();
  const int stride = coarse.rule.stride()[0];
  const auto mask = static_cast<Key>(coarse.pack.round_down_mask(coarse.rule.stride()));
  const std::int64_t centre = stride * position_one / 2;
  std::vector<std::int64_t> nearest(coarse_keys.size(), std::numeric_limits<std::int64_t>::max());
  std::size_t parent = 0;
  for (std::size_t row = 0; row < fine_keys.size(); ++row) {
    if (static_cast<std::int64_t>(row) % rows_per_checkpoint == 0)
      job.checkpoint({"positions of points", 0, 0});
    parent = seek(coarse_keys, parent, static_cast<Key>(fine_keys[row] & mask));
    const Voxel voxel = fine.pack.unpack(fine_keys[row]);
    const auto fields = position_fields(fine_words[row]);
    std::array<std::int64_t, 3> in_voxel{};
    std::int64_t distance = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      in_voxel[axis] = ((voxel[axis] & (stride - 1)) * position_one) + fields[axis];
      distance += (in_voxel[axis] - centre) * (in_voxel[axis] - centre);
    }
    if (distance >= nearest[parent]) continue;  // The lowest of several nearest rows is kept.
    nearest[parent] = distance;
    words[parent] = chosen.kind == PositionKind::grid ? 0 : position_word(in_voxel);
    points[parent] = fine_points[row];
  }
}

}  // namespace

Positions make_positions(const std::shared_ptr<MemoryPool>& pool, PositionKind kind, std::int64_t rows) {
  const auto count = static_cast<std::size_t>(rows);
  return {kind, Buffer(pool, count * sizeof(std::uint64_t)), Buffer(pool, count * sizeof(std::int32_t))};
}

Positions coarser_positions(const std::shared_ptr<MemoryPool>& pool, const CoordSet& fine,
                            const Positions& of_fine, const CoordSet& coarse, Job& job) {
  const auto stage = job.stage("positions");
  Positions chosen = make_positions(pool, of_fine.kind, coarse.size.value());
  visit_key(fine.pack, [&]<class Key>(Key) { choose<Key>(fine, of_fine, coarse, chosen, job); });
  return chosen;
}

}  // namespace spira::cpu
