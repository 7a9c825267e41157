// Sorts the outputs of a kernel map by mask (section 4.1 of the TorchSparse++ paper), for the layout
// mask_sorted (stages "mask", "argsort" and "reorder").
#include "kernels/cuda/device/launch.cuh"
#include "kernels/cuda/map/map_layouts.cuh"

#include <cub/cub.cuh>

#include <bit>
#include <limits>

namespace spira::cuda {
namespace {

template <class Word> struct Splits {
  Runs<Word> runs;
  std::int64_t outputs, rows;  ///< `rows` includes the padding.
  int columns, count, length;  ///< `count` splits of `length` columns. The last split can have fewer columns.

  /// Returns the mask of an output in a split. The bits beyond the last column of the split are 0.
  [[nodiscard]] __device__ std::uint64_t mask(std::int64_t output, int split) const {
    const int first = split * length, end = min(first + length, columns);
    std::uint64_t mask = 0;
    for (int group = first / runs.z_cells; group * runs.z_cells < end; ++group) {
      const std::uint64_t bits = runs.word(output, group) & ((Word{1} << runs.z_cells) - 1);
      const int shift = (group * runs.z_cells) - first;
      mask |= shift < 0 ? bits >> -shift : bits << shift;
    }
    return mask & (~std::uint64_t{0} >> (64 - (end - first)));
  }
};

/// Writes the sort key and the number of each output, one split after another. A key contains the split,
/// counted from `first_split`, and the inverted mask, because radix sort sorts in ascending order.
template <class Word, class Key> struct WriteKeys {
  Splits<Word> splits;
  int first_split;
  Key* keys;
  std::int32_t* outputs;

  __device__ void operator()(std::int64_t at) const {
    const auto split = static_cast<int>(at / splits.outputs);
    const std::int64_t output = at - (split * splits.outputs);
    const std::uint64_t ones = ~std::uint64_t{0} >> (64 - splits.length);
    std::uint64_t key = splits.mask(output, first_split + split) ^ ones;
    // If the key has only one split, a mask can fill it.
    if (split != 0) key |= static_cast<std::uint64_t>(split) << splits.length;
    keys[at] = static_cast<Key>(key);
    outputs[at] = static_cast<std::int32_t>(output);
  }
};

/// Writes the order and the entries of consecutive splits, beginning with `first_split`. `sorted` contains
/// the outputs of these splits.
template <class Word> struct WriteEntries {
  Splits<Word> splits;
  int first_split;
  const std::int32_t* sorted;
  std::int32_t *order, *entries;  ///< They point to the rows of the first split.

  __device__ void operator()(std::int64_t at) const {
    const std::int64_t place = at / splits.length;
    const auto slot = static_cast<int>(at - (place * splits.length));
    const auto split = static_cast<int>(place / splits.rows);
    const std::int64_t row = place - (split * splits.rows);
    const std::int32_t output = row < splits.outputs ? sorted[(split * splits.outputs) + row] : -1;
    const int column = ((first_split + split) * splits.length) + slot;
    entries[at] = output >= 0 && column < splits.columns ? splits.runs.input(output, column) : -1;
    if (slot == 0) order[place] = output;
  }
};

/// Sorts `at_once` splits in each step, by the lowest `bits` of their keys.
template <class Key, class Word>
void sort_splits(const Device& device, const Splits<Word>& splits, int at_once, int bits,
                 KernelMap::Part& part, Job& job) {
  const std::int64_t items = splits.outputs * at_once;
  Buffer keys(device.pool, static_cast<std::size_t>(items) * sizeof(Key) * 2);
  Buffer outputs(device.pool, static_cast<std::size_t>(items) * sizeof(std::int32_t) * 2);
  for (int split = 0; split < splits.count; split += at_once) {
    cub::DoubleBuffer<Key> key(values<Key>(keys), values<Key>(keys) + items);
    cub::DoubleBuffer<std::int32_t> output(values<std::int32_t>(outputs),
                                           values<std::int32_t>(outputs) + items);
    {
      const auto stage = job.stage("mask");
      for_each(device, items, WriteKeys<Word, Key>{splits, split, key.Current(), output.Current()});
    }
    if (items != 0) {
      const auto stage = job.stage("argsort");
      with_scratch(device, [&](void* scratch, std::size_t& bytes) {
        return cub::DeviceRadixSort::SortPairs(scratch, bytes, key, output, items, 0, bits, device.stream);
      });
    }
    const auto stage = job.stage("reorder");
    const std::int64_t first_row = split * splits.rows;
    for_each(device, splits.rows * at_once * splits.length,
             WriteEntries<Word>{splits, split, output.Current(), values<std::int32_t>(part.order) + first_row,
                                values<std::int32_t>(part.entries) + (first_row * splits.length)});
  }
}

}  // namespace

void fill_mask_sorted(const Device& device, const RunWordsOnDevice& runs, const KernelMap& map,
                      KernelMap::Part& part, Job& job) {
  const int columns = map.offsets->columns(), length = columns_per_split(columns, part.splits);
  const std::int64_t rows = padded_rows_of(map.outputs);
  part.order = Buffer(device.pool, static_cast<std::size_t>(rows * part.splits) * sizeof(std::int32_t));
  part.entries =
      Buffer(device.pool, static_cast<std::size_t>(rows * part.splits * length) * sizeof(std::int32_t));
  const int bits = length + std::bit_width(static_cast<unsigned>(part.splits - 1));
  visit_runs(runs, map, [&]<class Word>(const Runs<Word>& words) {
    const Splits<Word> splits{words, map.outputs, rows, columns, part.splits, length};
    if (bits <= std::numeric_limits<std::uint32_t>::digits)
      return sort_splits<std::uint32_t>(device, splits, part.splits, bits, part, job);
    const bool at_once = bits <= std::numeric_limits<std::uint64_t>::digits;
    sort_splits<std::uint64_t>(device, splits, at_once ? part.splits : 1, at_once ? bits : length, part, job);
  });
}

}  // namespace spira::cuda
