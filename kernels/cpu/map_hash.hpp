// Builds a map with a hash table (a baseline, as in TorchSparse++). The table is built once from the inputs;
// then each (output, offset) needs one look-up.
#pragma once

#include "kernels/cpu/map_search.hpp"

#include <bit>
#include <limits>

namespace spira::cpu {

/// A hash table with open addressing and linear probing. It is at most half full.
template <class Key> class HashTable {
 public:
  explicit HashTable(std::span<const Key> keys) {
    const std::size_t slots = std::bit_ceil(std::max<std::size_t>(16, keys.size() * 2));
    shift_ = 64 - std::countr_zero(slots);
    mask_ = slots - 1;
    slots_.assign(slots, Slot{});
    for (std::size_t at = 0; at < keys.size(); ++at) {
      std::size_t slot = first_slot(keys[at]);
      while (slots_[slot].index >= 0)
        slot = (slot + 1) & mask_;
      slots_[slot] = {keys[at], static_cast<std::int32_t>(at)};
    }
  }

  /// Returns the position of the input, or -1 if the key is missing.
  [[nodiscard]] std::int32_t find(Key key) const noexcept {
    std::size_t slot = first_slot(key);
    while (true) {
      if (slots_[slot].index < 0 || slots_[slot].key == key) return slots_[slot].index;
      slot = (slot + 1) & mask_;
    }
  }

 private:
  struct Slot {
    Key key = 0;
    std::int32_t index = -1;  ///< -1 marks a free slot.
  };
  [[nodiscard]] std::size_t first_slot(Key key) const noexcept {
    return static_cast<std::size_t>((static_cast<std::uint64_t>(key) * 0x9E3779B97F4A7C15ULL) >> shift_);
  }

  std::vector<Slot> slots_;
  std::size_t mask_ = 0;
  int shift_ = 0;
};

/// Fills `words` by hash look-ups. Runs in O(outputs * K^3) on average.
template <class Key, class Word>
void search_hash(const Queries<Key>& queries, const HashTable<Key>& table, const RunWords<Word>& runs,
                 std::int64_t begin, std::int64_t end) {
  for (std::int64_t output = begin; output < end; ++output) {
    Word* row = runs.row(output);
    for (int group = 0; group < queries.groups(); ++group) {
      Word word = 0;
      for (int iz = 0; iz < queries.kernel_size; ++iz) {
        const auto column = static_cast<std::size_t>(group * queries.kernel_size + iz);
        const std::int64_t wanted = queries.output(output) + queries.delta[column];
        if (static_cast<std::uint64_t>(wanted) > std::numeric_limits<Key>::max()) continue;
        const std::int32_t at = table.find(static_cast<Key>(wanted));
        if (at >= 0) add_match(runs, word, iz, static_cast<std::size_t>(at));
      }
      row[group] = word;
    }
  }
}

}  // namespace spira::cpu
