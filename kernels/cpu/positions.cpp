#include "kernels/cpu/positions.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <span>
#include <vector>

namespace spira::cpu {
namespace {

/// Walks through the parents of voxels that ascend on the fine level. A column is a range of parents with the
/// same x and y, and a slab is a range with the same x.
template <class Key> class ParentWalk {
 public:
  /// Begins with the slab of the first voxel.
  ParentWalk(const CoordSet& coarse, Key first)
      : keys_(keys_of<Key>(coarse)), z_bits_(coarse.pack.z_bits), yz_bits_(z_bits_ + coarse.pack.y_bits) {
    const Key mask = static_cast<Key>(first >> yz_bits_ << yz_bits_);
    at_ = static_cast<std::size_t>(std::lower_bound(keys_.begin(), keys_.end(), mask) - keys_.begin());
    column_ = slab_ = at_;
  }
  [[nodiscard]] std::size_t at() const noexcept { return at_; }
  /// Moves to the parent with this key, which must exist. Voxels with an odd y have the same column of
  /// parents as voxels with the y below, and voxels with an odd x have the same slab.
  std::size_t seek(Key wanted) noexcept {
    if (wanted < keys_[at_]) at_ = column_;
    if (wanted < keys_[at_]) at_ = column_ = slab_;
    while (keys_[at_] < wanted) {
      const auto changed = static_cast<Key>(keys_[at_] ^ keys_[at_ + 1]);
      ++at_;
      if (changed >> z_bits_ != 0) column_ = at_;
      if (changed >> yz_bits_ != 0) slab_ = at_;
    }
    return at_;
  }

 private:
  std::span<const Key> keys_;
  int z_bits_, yz_bits_;
  std::size_t at_ = 0, column_ = 0, slab_ = 0;
};

/// Returns the first row of the first slab that begins at `row` or later. The rows of different slabs have
/// different parents.
template <class Key>
std::size_t next_slab(std::span<const Key> keys, std::size_t row, const PackSpec& pack, int stride) {
  if (row == 0 || row >= keys.size()) return row;
  const int bits = pack.y_bits + pack.z_bits + std::countr_zero(static_cast<unsigned>(stride));
  const std::uint64_t x = static_cast<std::uint64_t>(keys[row - 1]) >> bits;
  const auto next =
      std::partition_point(keys.begin() + static_cast<std::ptrdiff_t>(row), keys.end(),
                           [&](Key key) { return (static_cast<std::uint64_t>(key) >> bits) == x; });
  return static_cast<std::size_t>(next - keys.begin());
}

/// Chooses the positions of all parents of the rows from `begin` to `end`, which must be whole slabs.
template <class Key>
void choose(const CoordSet& fine, const Positions& of_fine, const CoordSet& coarse, std::size_t begin,
            std::size_t end, Positions& chosen) {
  if (begin >= end) return;
  const auto fine_keys = keys_of<Key>(fine);
  const auto fine_words = of_fine.words.host_span<std::uint64_t>();
  const auto fine_points = of_fine.points.host_span<std::int32_t>();
  const auto words = chosen.words.host_span<std::uint64_t>();
  const auto points = chosen.points.host_span<std::int32_t>();
  const int stride = coarse.rule.stride()[0];
  const auto mask = static_cast<Key>(coarse.pack.round_down_mask(coarse.rule.stride()));
  const std::int64_t centre = stride * position_one / 2;
  ParentWalk<Key> parents(coarse, static_cast<Key>(fine_keys[begin] & mask));
  const std::size_t first = parents.at();
  std::vector<std::int64_t> nearest(end - begin, std::numeric_limits<std::int64_t>::max());
  for (std::size_t row = begin; row < end; ++row) {
    const std::size_t parent = parents.seek(static_cast<Key>(fine_keys[row] & mask));
    const Voxel voxel = fine.pack.unpack(fine_keys[row]);
    const auto fields = position_fields(fine_words[row]);
    std::array<std::int64_t, 3> in_voxel{};
    std::int64_t distance = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      in_voxel[axis] = ((voxel[axis] & (stride - 1)) * position_one) + fields[axis];
      distance += (in_voxel[axis] - centre) * (in_voxel[axis] - centre);
    }
    if (distance >= nearest[parent - first]) continue;  // The lowest of several nearest rows is kept.
    nearest[parent - first] = distance;
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
  visit_key(fine.pack, [&]<class Key>(Key) {
    const auto keys = keys_of<Key>(fine);
    const int stride = coarse.rule.stride()[0];
    // A block contains the slabs whose first row is in its range.
    const auto choose_block = [&](std::int64_t begin, std::int64_t end, int) {
      choose<Key>(fine, of_fine, coarse, next_slab(keys, static_cast<std::size_t>(begin), fine.pack, stride),
                  next_slab(keys, static_cast<std::size_t>(end), fine.pack, stride), chosen);
    };
    constexpr std::int64_t rows_per_block = 8'192;
    threads.for_blocks(std::ssize(keys), rows_per_block, choose_block, job.stop_token());
  });
  job.checkpoint({"positions of points", 0, 0});
  return chosen;
}

}  // namespace spira::cpu
