// Declares the data that the four mapping algorithms share: the queries of a map, and the z-run words that
// the algorithms write.
#pragma once

#include "engine/base/thread_pool.hpp"
#include "engine/job/job.hpp"
#include "engine/map/kernel_map.hpp"
#include "engine/map/kernel_offsets.hpp"
#include "kernels/cpu/radix_sort.hpp"

#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace spira::cpu {

/// Number of outputs per block. With K = 5, the words of a block need 51 kB and fit in the second-level
/// cache.
constexpr std::int64_t outputs_per_block = 512;

/// The queries of a map, which search for keys of inputs. Keys are compared as signed 64-bit numbers.
/// PackSpec keeps keys below 2^63. Therefore a negative query is smaller than every input, and a query that
/// is too large for the packed word is larger than every input. If the outputs ascend, the queries ascend
/// too.
template <class Key> struct Queries {
  std::span<const Key> inputs, outputs;
  std::vector<std::int64_t> delta;  ///< Packed, signed offsets. Shape: [columns].
  int z_cells = 1, z_groups = 1, z_stride = 1;

  Queries(const CoordSet& in, const CoordSet& out, const KernelOffsets& offsets)
      : inputs(keys_of<Key>(in)),
        outputs(keys_of<Key>(out)),
        z_cells(offsets.z_cells()),
        z_groups(offsets.z_groups()),
        z_stride(offsets.stride()[2]) {
    for (int column = 0; column < offsets.columns(); ++column) {
      const Voxel d = offsets.offset(column);
      delta.push_back((std::int64_t{d[0]} * (std::int64_t{1} << (in.pack.y_bits + in.pack.z_bits))) +
                      (std::int64_t{d[1]} * (std::int64_t{1} << in.pack.z_bits)) + std::int64_t{d[2]});
    }
  }
  [[nodiscard]] int groups() const noexcept { return z_groups; }
  [[nodiscard]] std::int64_t input(std::size_t at) const noexcept {
    return static_cast<std::int64_t>(inputs[at]);
  }
  [[nodiscard]] std::int64_t output(std::int64_t at) const noexcept {
    return static_cast<std::int64_t>(outputs[static_cast<std::size_t>(at)]);
  }
  /// Returns the position of the first input that is not less than `key`.
  [[nodiscard]] std::size_t lower_bound(std::int64_t key) const noexcept {
    const Key* base = inputs.data();
    std::size_t length = inputs.size();
    while (length > 1) {  // The body has no branch: it compiles to a conditional move.
      const std::size_t half = length / 2;
      base += static_cast<std::int64_t>(base[half - 1]) < key ? half : 0;
      length -= half;
    }
    const auto at = static_cast<std::size_t>(base - inputs.data());
    return at + (length == 1 && static_cast<std::int64_t>(*base) < key ? 1 : 0);
  }
};

/// Memory for the z-run words of all outputs. Shape: [outputs][z-groups], as in the z_runs layout of
/// KernelMap.
template <class Word> struct RunWords {
  Word* words = nullptr;
  int groups = 0, z_cells = 1;

  [[nodiscard]] Word* row(std::int64_t output) const noexcept { return words + output * groups; }
  [[nodiscard]] Word word(std::uint32_t mask, std::size_t first) const noexcept {
    return mask == 0 ? Word{0} : static_cast<Word>((static_cast<Word>(first) << z_cells) | mask);
  }
};

/// Adds a match to a z-run word: the input at position `input` matches column iz of the word's z-group. The
/// matches of a word must be added in ascending order of iz.
template <class Word>
void add_match(const RunWords<Word>& runs, Word& word, int iz, std::size_t input) noexcept {
  if (word == 0) word = static_cast<Word>(static_cast<Word>(input) << runs.z_cells);
  word = static_cast<Word>(word | (Word{1} << iz));
}

/// Builds the only part of the map of a native layer.
[[nodiscard]] KernelMap::Part native_part(ThreadPool& threads, const std::shared_ptr<MemoryPool>& pool,
                                          const CoordSet& in, const CoordSet& out, const MapRequest& request,
                                          Job& job);

/// The functions below fill one part of the map from the z-run words of all outputs, and allocate the buffers
/// of the part. `part.columns` must be set.
template <class Word>
void fill_dense(ThreadPool& threads, const std::shared_ptr<MemoryPool>& pool, const RunWords<Word>& runs,
                const KernelMap& map, KernelMap::Part& part, Job& job);
template <class Word>
void fill_pair_lists(ThreadPool& threads, const std::shared_ptr<MemoryPool>& pool, const RunWords<Word>& runs,
                     const KernelMap& map, KernelMap::Part& part, Job& job);
/// `part.splits` must also be set.
template <class Word>
void fill_mask_sorted(ThreadPool& threads, const std::shared_ptr<MemoryPool>& pool,
                      const RunWords<Word>& runs, const KernelMap& map, KernelMap::Part& part, Job& job);

// The function below searches by binary search (a baseline): one search over all inputs per output and
// offset.

/// Fills the words of outputs [begin, end) by binary search. Runs in O(outputs * K^3 * log inputs).
template <class Key, class Word>
void search_bsearch(const Queries<Key>& queries, const RunWords<Word>& runs, std::int64_t begin,
                    std::int64_t end) {
  for (std::int64_t output = begin; output < end; ++output) {
    Word* row = runs.row(output);
    for (int group = 0; group < queries.groups(); ++group) {
      Word word = 0;
      for (int iz = 0; iz < queries.z_cells; ++iz) {
        const auto column = static_cast<std::size_t>(group * queries.z_cells + iz);
        const std::int64_t wanted = queries.output(output) + queries.delta[column];
        const std::size_t at = queries.lower_bound(wanted);
        if (at < queries.inputs.size() && queries.input(at) == wanted) add_match(runs, word, iz, at);
      }
      row[group] = word;
    }
  }
}

// The function below searches by sorted queries (a baseline, as in Minuet). The queries of an offset are
// sorted, and so are the inputs, so merging these two lists gives the column of the offset.

/// Fills the words of outputs [begin, end) by merging. Runs in O(outputs * K^3 + blocks * K^3 * log inputs).
template <class Key, class Word>
void search_sorted(const Queries<Key>& queries, const RunWords<Word>& runs, std::int64_t begin,
                   std::int64_t end) {
  const std::size_t count = queries.inputs.size();
  for (int group = 0; group < queries.groups(); ++group) {
    for (int iz = 0; iz < queries.z_cells; ++iz) {
      const std::int64_t delta = queries.delta[static_cast<std::size_t>(group * queries.z_cells + iz)];
      std::size_t at = queries.lower_bound(queries.output(begin) + delta);
      for (std::int64_t output = begin; output < end; ++output) {
        Word& word = runs.row(output)[group];
        if (iz == 0) word = 0;
        const std::int64_t wanted = queries.output(output) + delta;
        while (at < count && queries.input(at) < wanted)
          ++at;
        if (at < count && queries.input(at) == wanted) add_match(runs, word, iz, at);
      }
    }
  }
}

// The function below searches by one-shot z-delta search (section 5.2 of the Spira paper): one search per
// output and z-group, then a scan of at most K - 1 neighbours.

/// Fills the words of outputs [begin, end) by z-delta search. The outputs ascend, so the anchor queries of a
/// z-group ascend too. Each block starts with one binary search. After this search, the position only moves
/// forward, in amortised O(1) per query. Runs in O(outputs * K^2 + blocks * K^2 * log inputs) in total.
template <class Key, class Word>
void search_zdelta(const Queries<Key>& queries, const RunWords<Word>& runs, std::int64_t begin,
                   std::int64_t end) {
  const std::size_t count = queries.inputs.size();
  const std::int64_t reach = std::int64_t{queries.z_cells - 1} * queries.z_stride;
  const int stride_bits = std::countr_zero(static_cast<unsigned>(queries.z_stride));
  const Key* const inputs = queries.inputs.data();
  for (int group = 0; group < queries.groups(); ++group) {
    const std::int64_t anchor = queries.delta[static_cast<std::size_t>(group * queries.z_cells)];
    std::size_t at = queries.lower_bound(queries.output(begin) + anchor);
    Word* word = runs.row(begin) + group;
    for (std::int64_t output = begin; output < end; ++output, word += runs.groups) {
      const std::int64_t first = queries.output(output) + anchor;
      while (at < count && static_cast<std::int64_t>(inputs[at]) < first)
        ++at;
      std::uint32_t mask = 0;
      // The scan stops before it leaves the anchor's column (x, y), because fit() keeps guard cells free
      // (trap 1 in docs/architecture.md).
      for (std::size_t next = at; next < count; ++next) {
        const std::int64_t dz = static_cast<std::int64_t>(inputs[next]) - first;
        if (dz > reach) break;
        mask |= 1U << (dz >> stride_bits);
      }
      *word = runs.word(mask, at);
    }
  }
}

// The declarations below search with a hash table (a baseline, as in TorchSparse++). The inputs are inserted
// into the table once. Each (output, offset) then needs one look-up.

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

  /// Returns the position of the input with this key, or -1 if there is none.
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

/// Fills the words of outputs [begin, end) by hash look-ups. Runs in O(outputs * K^3) on average.
template <class Key, class Word>
void search_hash(const Queries<Key>& queries, const HashTable<Key>& table, const RunWords<Word>& runs,
                 std::int64_t begin, std::int64_t end) {
  for (std::int64_t output = begin; output < end; ++output) {
    Word* row = runs.row(output);
    for (int group = 0; group < queries.groups(); ++group) {
      Word word = 0;
      for (int iz = 0; iz < queries.z_cells; ++iz) {
        const auto column = static_cast<std::size_t>(group * queries.z_cells + iz);
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
