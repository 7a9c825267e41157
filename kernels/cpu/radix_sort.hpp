// A radix sort that starts with the least significant digit and skips the bits that no key uses.
#pragma once

#include "engine/job/job.hpp"
#include "engine/voxel/coord_set.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace spira::cpu {

// The functions below give access to packed keys as words of the right type. All CPU code selects the key
// type with visit_key().

/// Calls body(Key{}), where Key is the word type of the packing: std::uint32_t or std::uint64_t.
template <class Body> decltype(auto) visit_key(const PackSpec& pack, Body&& body) {
  if (pack.word_bits() == 32) return body(std::uint32_t{});
  return body(std::uint64_t{});
}

template <class Key> [[nodiscard]] std::span<const Key> keys_of(const CoordSet& coords) {
  return coords.keys.host_span<Key>().first(static_cast<std::size_t>(coords.size.value()));
}

/// Creates a coordinate set in host memory whose capacity is exactly the size of `keys`.
template <class Key>
[[nodiscard]] CoordSet make_coord_set(const std::shared_ptr<MemoryPool>& pool, const PackSpec& pack,
                                      const SceneLevel& level, std::span<const Key> keys) {
  CoordSet coords;
  coords.pack = pack;
  coords.stride = level.number;
  coords.rule = level.rule;
  coords.capacity = static_cast<std::int64_t>(keys.size());
  coords.size = coords.capacity;
  coords.keys = Buffer(pool, keys.size_bytes());
  std::copy(keys.begin(), keys.end(), coords.keys.host_span<Key>().begin());
  coords.count = Buffer(pool, sizeof(std::int64_t));
  coords.count.host_span<std::int64_t>()[0] = coords.capacity;
  return coords;
}

template <class Key> struct IndexedKey {
  Key key;
  std::int32_t index;  ///< Index of the point that has this key.
};

template <class Key> [[nodiscard]] constexpr std::uint64_t digits_of(const Key& key) noexcept {
  return key;
}
template <class Key> [[nodiscard]] constexpr std::uint64_t digits_of(const IndexedKey<Key>& entry) noexcept {
  return entry.key;
}

/// Sorts the entries by key in O(n * bits / 11). The sort is stable. All keys must be less than 2^bits. The
/// job can be cancelled between two passes.
template <class Entry> void radix_sort(std::vector<Entry>& entries, int bits, Job& job) {
  // The 2,048 counters of a digit stay in the first-level cache.
  constexpr int digit_bits = 11;
  constexpr std::size_t buckets = std::size_t{1} << digit_bits;
  std::vector<Entry> other(entries.size());
  std::array<std::size_t, buckets> starts{};
  for (int shift = 0; shift < bits; shift += digit_bits) {
    job.checkpoint({"sorting voxels", shift, bits});
    starts.fill(0);
    const auto digit = [shift](const Entry& entry) { return (digits_of(entry) >> shift) & (buckets - 1); };
    for (const Entry& entry : entries)
      ++starts[digit(entry)];
    std::size_t sum = 0;
    for (auto& start : starts) {
      const std::size_t count = start;
      start = sum;
      sum += count;
    }
    for (const Entry& entry : entries)
      other[starts[digit(entry)]++] = entry;
    entries.swap(other);
  }
}

}  // namespace spira::cpu
