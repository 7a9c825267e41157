// Data shared by the four mapping algorithms: the queries of a map and the z-run words that they fill.
#pragma once

#include "engine/base/thread_pool.hpp"
#include "engine/job/job.hpp"
#include "engine/map/kernel_map.hpp"
#include "engine/map/kernel_offsets.hpp"
#include "kernels/cpu/keys.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace spira::cpu {

/// For K = 5, the words of a block have 51 kB and fit in the second-level cache.
constexpr std::int64_t outputs_per_block = 512;

/// The queries of a map. Keys are compared as signed 64-bit words. PackSpec keeps keys below 2^63. A query
/// below 0 or beyond the range of the packed word is therefore smaller or larger than every input. Ascending
/// outputs give ascending queries.
template <class Key> struct Queries {
  std::span<const Key> inputs, outputs;
  std::vector<std::int64_t> delta;  ///< Shape: [K^3]. Packed offsets, signed.
  int kernel_size = 1, stride = 1;

  Queries(const CoordSet& in, const CoordSet& out, const KernelOffsets& offsets)
      : inputs(keys_of<Key>(in)),
        outputs(keys_of<Key>(out)),
        kernel_size(offsets.kernel_size()),
        stride(offsets.stride()) {
    for (int column = 0; column < offsets.columns(); ++column) {
      const Voxel d = offsets.offset(column);
      delta.push_back((std::int64_t{d[0]} * (std::int64_t{1} << (in.pack.y_bits + in.pack.z_bits))) +
                      (std::int64_t{d[1]} * (std::int64_t{1} << in.pack.z_bits)) + std::int64_t{d[2]});
    }
  }
  [[nodiscard]] int groups() const noexcept { return kernel_size * kernel_size; }
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
    while (length > 1) {  // This loop has no branch: it compiles to a conditional move.
      const std::size_t half = length / 2;
      base += static_cast<std::int64_t>(base[half - 1]) < key ? half : 0;
      length -= half;
    }
    const auto at = static_cast<std::size_t>(base - inputs.data());
    return at + (length == 1 && static_cast<std::int64_t>(*base) < key ? 1 : 0);
  }
};

/// Destination of the words of all outputs. Shape: [outputs][K^2], the z_runs layout of KernelMap.
template <class Word> struct RunWords {
  Word* words = nullptr;
  int groups = 0, kernel_size = 1;

  [[nodiscard]] Word* row(std::int64_t output) const noexcept { return words + output * groups; }
  [[nodiscard]] Word word(std::uint32_t mask, std::size_t first) const noexcept {
    return mask == 0 ? Word{0} : static_cast<Word>((static_cast<Word>(first) << kernel_size) | mask);
  }
};

/// Adds the match of column (group, iz) with the input at position `input` to a word. The matches of a group
/// must be added in ascending order of iz.
template <class Word>
void add_match(const RunWords<Word>& runs, Word& word, int iz, std::size_t input) noexcept {
  if (word == 0) word = static_cast<Word>(static_cast<Word>(input) << runs.kernel_size);
  word = static_cast<Word>(word | (Word{1} << iz));
}

/// This function and the next fill one part of the map from the words of all outputs, and allocate the
/// buffers of the part. `part.columns` must be set.
template <class Word>
void fill_dense(ThreadPool& threads, const std::shared_ptr<MemoryPool>& pool, const RunWords<Word>& runs,
                const KernelMap& map, KernelMap::Part& part, Job& job);
template <class Word>
void fill_pair_lists(ThreadPool& threads, const std::shared_ptr<MemoryPool>& pool, const RunWords<Word>& runs,
                     const KernelMap& map, KernelMap::Part& part, Job& job);

}  // namespace spira::cpu
