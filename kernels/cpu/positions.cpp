#include "kernels/cpu/positions.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <span>
#include <vector>

namespace spira::cpu {
namespace {

/// Rows of the fine level with the same x in the coarse level. The rows of different slabs have different
/// parents.
struct Slab {
  std::size_t first = 0, last = 0;
};

template <class Key> std::vector<Slab> slabs_of(std::span<const Key> keys, const PackSpec& pack, int stride) {
  const int bits = pack.y_bits + pack.z_bits + std::countr_zero(static_cast<unsigned>(stride));
  std::vector<Slab> slabs;
  for (std::size_t at = 0; at < keys.size();) {
    // The first key of the next slab is found in few steps, because a slab has many rows.
    const std::uint64_t x = static_cast<std::uint64_t>(keys[at]) >> bits;
    const auto next =
        std::partition_point(keys.begin() + static_cast<std::ptrdiff_t>(at), keys.end(),
                             [&](Key key) { return (static_cast<std::uint64_t>(key) >> bits) == x; });
    const auto end = static_cast<std::size_t>(next - keys.begin());
    slabs.push_back({at, end});
    at = end;
  }
  return slabs;
}

/// Returns the position of the first key that is not less than `wanted`. Searches the keys after `at` first,
/// because consecutive voxels mostly have parents near each other.
template <class Key> std::size_t seek(std::span<const Key> keys, std::size_t at, Key wanted) {
  constexpr std::size_t near = 4;
  if (at < keys.size() && keys[at] <= wanted) {
    const std::size_t end = std::min(keys.size(), at + near);
    for (; at < end; ++at) {
      if (keys[at] >= wanted) return at;
    }
  }
  return static_cast<std::size_t>(std::lower_bound(keys.begin(), keys.end(), wanted) - keys.begin());
}

/// Chooses the positions of all parents of a slab.
template <class Key>
void choose(const CoordSet& fine, const Positions& of_fine, const CoordSet& coarse, const Slab& slab,
            std::vector<std::int64_t>& nearest, Positions& chosen) {
  const auto fine_keys = keys_of<Key>(fine), coarse_keys = keys_of<Key>(coarse);
  const auto fine_words = of_fine.words.host_span<std::uint64_t>();
  const auto fine_points = of_fine.points.host_span<std::int32_t>();
  const auto words = chosen.words.host_span<std::uint64_t>();
  const auto points = chosen.points.host_span<std::int32_t>();
  const int stride = coarse.rule.stride()[0];
  const auto mask = static_cast<Key>(coarse.pack.round_down_mask(coarse.rule.stride()));
  const std::int64_t centre = stride * position_one / 2;
  std::size_t parent = 0;
  for (std::size_t row = slab.first; row < slab.last; ++row) {
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

Positions coarser_positions(ThreadPool& threads, const std::shared_ptr<MemoryPool>& pool,
                            const CoordSet& fine, const Positions& of_fine, const CoordSet& coarse,
                            Job& job) {
  const auto stage = job.stage("positions");
  Positions chosen = make_positions(pool, of_fine.kind, coarse.size.value());
  std::vector<std::int64_t> nearest(static_cast<std::size_t>(coarse.size.value()),
                                    std::numeric_limits<std::int64_t>::max());
  visit_key(fine.pack, [&]<class Key>(Key) {
    const std::vector<Slab> slabs = slabs_of(keys_of<Key>(fine), fine.pack, coarse.rule.stride()[0]);
    const auto choose_slabs = [&](std::int64_t begin, std::int64_t end, int) {
      for (std::int64_t slab = begin; slab < end; ++slab)
        choose<Key>(fine, of_fine, coarse, slabs[static_cast<std::size_t>(slab)], nearest, chosen);
    };
    constexpr std::int64_t slabs_per_block = 16;
    threads.for_blocks(std::ssize(slabs), slabs_per_block, choose_slabs, job.stop_token());
  });
  job.checkpoint({"positions of points", 0, 0});
  return chosen;
}

}  // namespace spira::cpu
