// Gather-GEMM-scatter, the baseline method for computing features (as in TorchSparse). For each column, it
// gathers the input rows, multiplies them by one weight matrix, and adds the products to the output rows.
#pragma once

#include "engine/base/thread_pool.hpp"
#include "engine/job/job.hpp"
#include "engine/map/kernel_map.hpp"
#include "engine/voxel/coord_set.hpp"
#include "kernels/cpu/panel.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

namespace spira::cpu {

// The functions below decode a range of rows of a kernel map part. The part can have any layout. The result
// is one list of (output, input) indices per column.

/// Scratch memory of one worker: the index lists of at most K columns.
struct ColumnLists {
  std::array<std::vector<std::int32_t>, 7> outputs, inputs;
  void clear() {
    for (auto& list : outputs)
      list.clear();
    for (auto& list : inputs)
      list.clear();
  }
  void add(std::size_t list, std::int32_t output, std::int32_t input) {
    outputs[list].push_back(output);
    inputs[list].push_back(input);
  }
};

/// Decodes one z-group for outputs [begin, end) into one list per offset of the group. Skips offsets whose
/// bit in `wanted` is not set.
template <class Word>
void decode_z_group(const KernelMap& map, const Word* words, int group, std::uint32_t wanted,
                    std::int64_t begin, std::int64_t end, ColumnLists& lists) {
  const int groups = map.offsets->z_groups(), k = map.offsets->z_cells();
  const std::uint32_t field = (1U << k) - 1U;
  for (std::int64_t output = begin; output < end; ++output) {
    const Word word = words[(output * groups) + group];
    const std::uint32_t mask = static_cast<std::uint32_t>(word) & field;
    auto input = static_cast<std::int32_t>(word >> k);
    for (std::uint32_t left = mask; left != 0; left &= left - 1, ++input) {
      const int iz = std::countr_zero(left);
      if (((wanted >> iz) & 1U) != 0)
        lists.add(static_cast<std::size_t>(iz), static_cast<std::int32_t>(output), input);
    }
  }
}

/// Calls multiply(column, rows, inputs, count) for every column of a split that has matches in the rows
/// [begin, end) of a mask_sorted part. The columns are in ascending order, and so are the rows of a column.
/// They count from `begin`.
template <class Multiply>
void for_each_sorted_column(const KernelMap& map, const KernelMap::Part& part, int split, std::int64_t begin,
                            std::int64_t end, ColumnLists& lists, const Multiply& multiply) {
  const auto columns = static_cast<int>(part.columns.size());
  const int length = columns_per_split(columns, part.splits), first = split * length;
  const std::int64_t first_row = split * padded_rows_of(map.outputs);
  const std::int32_t* const entries = part.entries.host_span<std::int32_t>().data() + (first_row * length);
  for (int slot = 0; slot < std::min(length, columns - first); ++slot) {
    lists.clear();
    for (std::int64_t row = begin; row < end; ++row) {
      const std::int32_t input = entries[(row * length) + slot];
      if (input >= 0) lists.add(0, static_cast<std::int32_t>(row - begin), input);
    }
    if (lists.outputs[0].empty()) continue;
    multiply(part.columns[static_cast<std::size_t>(first + slot)], lists.outputs[0].data(),
             lists.inputs[0].data(), std::ssize(lists.outputs[0]));
  }
}

/// Calls multiply(column, outputs, inputs, count) for every column of an output-stationary part with unsorted
/// outputs that has matches in outputs [begin, end). The columns are in ascending order, and so are the
/// outputs of a column.
template <class Multiply>
void for_each_column(const KernelMap& map, const KernelMap::Part& part, std::int64_t begin, std::int64_t end,
                     ColumnLists& lists, const Multiply& multiply) {
  const auto columns = static_cast<std::int64_t>(part.columns.size());
  const auto flush = [&](std::size_t list, int column) {
    if (lists.outputs[list].empty()) return;
    multiply(column, lists.outputs[list].data(), lists.inputs[list].data(),
             static_cast<std::int64_t>(lists.outputs[list].size()));
  };
  if (part.layout == MapLayout::z_runs) {
    const int k = map.offsets->z_cells();
    std::vector<std::uint32_t> wanted(static_cast<std::size_t>(map.offsets->z_groups()), 0);
    for (const int column : part.columns)
      wanted[static_cast<std::size_t>(column / k)] |= 1U << (column % k);
    for (int group = 0; group < map.offsets->z_groups(); ++group) {
      const std::uint32_t bits = wanted[static_cast<std::size_t>(group)];
      if (bits == 0) continue;
      lists.clear();
      if (part.word_bits == 32) {
        decode_z_group(map, part.entries.host_span<std::uint32_t>().data(), group, bits, begin, end, lists);
      } else {
        decode_z_group(map, part.entries.host_span<std::uint64_t>().data(), group, bits, begin, end, lists);
      }
      for (int iz = 0; iz < k; ++iz)
        flush(static_cast<std::size_t>(iz), (group * k) + iz);
    }
    return;
  }
  const std::int32_t* const entries = part.entries.host_span<std::int32_t>().data();
  const bool output_major = part.layout == MapLayout::output_major;
  for (std::int64_t slot = 0; slot < columns; ++slot) {
    lists.clear();
    for (std::int64_t output = begin; output < end; ++output) {
      const std::int32_t input =
          entries[output_major ? (output * columns) + slot : (slot * map.outputs) + output];
      if (input >= 0) lists.add(0, static_cast<std::int32_t>(output), input);
    }
    flush(0, part.columns[static_cast<std::size_t>(slot)]);
  }
}

/// Calls multiply(column, results, sources, count) for the pairs of a pair_lists part whose result row is in
/// [begin, end). The result rows are the map's outputs, or its inputs if `transposed` is true. In a half map,
/// also processes the partner of each stored column, with results and sources exchanged. Packing preserves
/// the order of coordinates. Therefore both rows of the pairs ascend along a list, and a binary search finds
/// the range. The inputs of a native map do not ascend, so the whole list is read.
template <class Multiply>
void for_each_pair_list(const KernelMap& map, const KernelMap::Part& part, bool transposed,
                        std::int64_t begin, std::int64_t end, ColumnLists& lists, const Multiply& multiply) {
  using Pair = std::array<std::int32_t, 2>;
  const auto counts = part.counts.host_span<std::int32_t>();
  const Pair* pairs = part.entries.host_span<Pair>().data();
  const auto run = [&](int column, const Pair* first, const Pair* last, std::size_t result) {
    if (map.many() && result == 1) {
      lists.clear();
      for (const Pair* pair = first; pair != last; ++pair) {
        if ((*pair)[1] >= begin && (*pair)[1] < end) lists.add(0, (*pair)[1], (*pair)[0]);
      }
      if (!lists.outputs[0].empty())
        multiply(column, lists.outputs[0].data(), lists.inputs[0].data(), std::ssize(lists.outputs[0]));
      return;
    }
    const auto below = [result](const Pair& pair, std::int64_t row) { return pair[result] < row; };
    first = std::lower_bound(first, last, begin, below);
    last = std::lower_bound(first, last, end, below);
    if (first == last) return;
    lists.clear();
    for (const Pair* pair = first; pair != last; ++pair)
      lists.add(0, (*pair)[result], (*pair)[1 - result]);
    multiply(column, lists.outputs[0].data(), lists.inputs[0].data(), last - first);
  };
  for (std::size_t slot = 0; slot < part.columns.size(); ++slot) {
    const int column = part.columns[slot];
    const Pair* const last = pairs + counts[slot];
    run(column, pairs, last, transposed ? 1 : 0);
    const int partner = map.offsets->partner(column);
    if (map.half && partner != column) run(partner, pairs, last, transposed ? 0 : 1);
    pairs = last;
  }
}

struct GatherGemm {
  const Features* in;
  const float* weight;  ///< Shape: [K^3][C_in][C_out].
  int out_channels;
  float* sums;  ///< Shape: [result rows][C_out]. Must be zero before the call.
  const PanelKernels* kernels;
};
/// Computes sums += x W for every pair of a map in pair_lists layout, one column after another. Divides the
/// rows of a column among the threads. Atomics are not needed: a column has at most one pair per result row,
/// and in a native map, each result row belongs to one thread. The order of the additions never changes.
/// Records the "gather", "gemm" and "scatter" stages.
void gather_gemm_scatter(ThreadPool& threads, const KernelMap& map, bool transposed, const GatherGemm& work,
                         Job& job);

}  // namespace spira::cpu
