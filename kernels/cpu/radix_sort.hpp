// A radix sort that starts with the least significant digit and processes only the bits in use.
#pragma once

#include "engine/job/job.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace spira::cpu {

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

/// Sorts the entries by key in O(n * bits / 11). The sort is stable. No key may have a bit set at position
/// `bits` or above. The job can be cancelled between passes.
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
