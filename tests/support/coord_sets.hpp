// Creates small coordinate sets and maps for tests, without a back end.
#pragma once

#include "engine/base/hash_and_random.hpp"
#include "engine/map/map_view.hpp"
#include "engine/voxel/coord_set.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>
#include <vector>

namespace spira::test {

/// Each tuple is (output, column, input).
using Pairs = std::set<std::tuple<int, int, int>>;

[[nodiscard]] inline CoordSet coord_set(const PackSpec& pack, const std::vector<Voxel>& voxels,
                                        int stride = 1) {
  std::set<std::uint64_t> keys;
  for (const Voxel& voxel : voxels)
    keys.insert(pack.pack(voxel));
  const auto pool = make_host_pool();
  CoordSet coords;
  coords.pack = pack;
  coords.stride = stride;
  coords.rule = LevelRule(PerAxis(stride));
  coords.capacity = static_cast<std::int64_t>(keys.size());
  coords.size = coords.capacity;
  coords.count = Buffer(pool, sizeof(std::int64_t));
  coords.count.host_span<std::int64_t>()[0] = coords.capacity;
  coords.keys = Buffer(pool, keys.size() * static_cast<std::size_t>(pack.word_bits() / 8));
  std::size_t at = 0;
  for (const std::uint64_t key : keys) {
    if (pack.word_bits() == 32) {
      coords.keys.host_span<std::uint32_t>()[at++] = static_cast<std::uint32_t>(key);
    } else {
      coords.keys.host_span<std::uint64_t>()[at++] = key;
    }
  }
  return coords;
}

/// Returns the same level in a buffer with spare capacity. A device creates such buffers for levels whose
/// count the host never reads.
[[nodiscard]] inline CoordSet with_room(const CoordSet& exact) {
  constexpr std::int64_t spare = 37;
  const std::int64_t count = exact.size.value();
  CoordSet roomy{exact.pack, exact.stride, exact.rule, count + spare, {}, {}, count, exact.extent};
  const auto pool = make_host_pool();
  roomy.count = Buffer(pool, sizeof(std::int64_t));
  roomy.count.host_span<std::int64_t>()[0] = count;
  const auto fill = [&]<class Key>(Key key) {
    roomy.keys = Buffer(pool, static_cast<std::size_t>(roomy.capacity) * sizeof(Key));
    for (std::int64_t row = 0; row < roomy.capacity; ++row) {
      const auto at = static_cast<std::size_t>(row);
      // The spare keys would match if they were read.
      key = row < count ? exact.keys.host_span<Key>()[at] : static_cast<Key>(key + 1);
      roomy.keys.host_span<Key>()[at] = key;
    }
  };
  exact.pack.word_bits() == 32 ? fill(std::uint32_t{0}) : fill(std::uint64_t{0});
  return roomy;
}

[[nodiscard]] inline Pairs pairs_of(const KernelMap& map) {
  Pairs pairs;
  for_each_pair(map, [&](std::int32_t output, int column, std::int32_t input) {
    pairs.emplace(output, column, input);
  });
  return pairs;
}

[[nodiscard]] inline std::vector<int> all_columns(const KernelOffsets& offsets) {
  std::vector<int> columns(static_cast<std::size_t>(offsets.columns()));
  std::iota(columns.begin(), columns.end(), 0);
  return columns;
}

/// Returns random voxels within `extent` cells on each axis. Their coordinates are multiples of `stride`.
/// Includes the corners of the box. Many voxels are on its faces and edges, where borrow and carry occur.
[[nodiscard]] inline std::vector<Voxel> box_voxels(std::array<std::int64_t, 3> extent, int stride, int count,
                                                   std::uint64_t seed) {
  Random random(seed);
  std::vector<Voxel> voxels;
  std::array<std::int32_t, 3> last{};
  for (std::size_t axis = 0; axis < 3; ++axis)
    last.at(axis) = static_cast<std::int32_t>((extent.at(axis) - 1) / stride * stride);
  for (std::uint64_t corner = 0; corner < 8; ++corner) {
    voxels.push_back({(corner & 1U) != 0 ? last[0] : 0, (corner & 2U) != 0 ? last[1] : 0,
                      (corner & 4U) != 0 ? last[2] : 0});
  }
  for (int at = 0; at < count; ++at) {
    Voxel voxel{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto cells = static_cast<std::uint64_t>(last.at(axis) / stride) + 1;
      const std::uint64_t near = random.below(std::min<std::uint64_t>(cells, 4));
      // 0 selects the low face, 1 selects the high face, and 2 and 3 select any cell.
      const std::uint64_t choice = random.below(4);
      const std::uint64_t cell = choice == 0 ? near : (choice == 1 ? cells - 1 - near : random.below(cells));
      voxel.at(axis) = static_cast<std::int32_t>(cell) * stride;
    }
    voxels.push_back(voxel);
  }
  return voxels;
}

}  // namespace spira::test
