#include "kernels/cpu/map_search.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

namespace spira::cpu {
namespace {

/// The stored columns of one z-group. Bit iz of `wanted` is set if the part stores column iz of the group.
/// `slot` is the index of each column in the part, or -1 if the part does not store the column.
struct GroupColumns {
  int group = 0;
  std::uint32_t wanted = 0;
  std::array<std::int32_t, 7> slot{-1, -1, -1, -1, -1, -1, -1};
};

std::vector<GroupColumns> group_columns(const KernelMap::Part& part, int z_cells) {
  std::vector<GroupColumns> groups;
  for (std::size_t slot = 0; slot < part.columns.size(); ++slot) {
    const int group = part.columns[slot] / z_cells, iz = part.columns[slot] % z_cells;
    if (groups.empty() || groups.back().group != group)
      groups.push_back({group, 0, {-1, -1, -1, -1, -1, -1, -1}});
    groups.back().wanted |= 1U << iz;
    groups.back().slot.at(static_cast<std::size_t>(iz)) = static_cast<std::int32_t>(slot);
  }
  return groups;
}

template <class Word> std::uint32_t mask_of(const RunWords<Word>& runs, Word word) {
  return static_cast<std::uint32_t>(word) & ((1U << runs.z_cells) - 1U);
}

/// Calls visit(iz, input) for each match of a z-run word. Skips matches whose bit iz in `wanted` is not set.
template <class Word, class Visit>
void for_matches(const RunWords<Word>& runs, Word word, std::uint32_t wanted, Visit&& visit) {
  const std::uint32_t mask = mask_of(runs, word);
  const auto first = static_cast<std::int32_t>(word >> runs.z_cells);
  for (std::uint32_t left = mask & wanted; left != 0; left &= left - 1) {
    const int iz = std::countr_zero(left);
    visit(iz, first + std::popcount(mask & ((1U << iz) - 1U)));
  }
}

/// Writes all columns of each output row, in column order. The loop has no branch per match.
template <int z_cells, class Word>
void write_whole_rows(const RunWords<Word>& runs, std::int64_t begin, std::int64_t end, std::int32_t* to) {
  for (std::int64_t row = begin; row < end; ++row) {
    const Word* const words = runs.row(row);
    for (int group = 0; group < runs.groups; ++group) {
      auto position = static_cast<std::int32_t>(words[group] >> z_cells);
      const auto mask = static_cast<std::int32_t>(words[group] & ((Word{1} << z_cells) - 1));
      for (int iz = 0; iz < z_cells; ++iz) {
        const std::int32_t hit = (mask >> iz) & 1;
        // Writes -1 if no match exists.
        *to++ = position | (hit - 1);
        position += hit;
      }
    }
  }
}

template <class Word>
void write_whole_rows(const RunWords<Word>& runs, std::int64_t begin, std::int64_t end, std::int32_t* to) {
  switch (runs.z_cells) {
    case 1:
      return write_whole_rows<1>(runs, begin, end, to);
    case 2:
      return write_whole_rows<2>(runs, begin, end, to);
    case 3:
      return write_whole_rows<3>(runs, begin, end, to);
    case 4:
      return write_whole_rows<4>(runs, begin, end, to);
    case 5:
      return write_whole_rows<5>(runs, begin, end, to);
    case 6:
      return write_whole_rows<6>(runs, begin, end, to);
    case 7:
      return write_whole_rows<7>(runs, begin, end, to);
    default:
      SPIRA_ASSERT(false, "this kernel size has no map");
  }
}

}  // namespace

template <class Word>
void fill_dense(ThreadPool& threads, const std::shared_ptr<MemoryPool>& pool, const RunWords<Word>& runs,
                const KernelMap& map, KernelMap::Part& part, Job& job) {
  const auto stage = job.stage("transpose");
  const auto columns = static_cast<std::int64_t>(part.columns.size());
  part.entries = Buffer(pool, static_cast<std::size_t>(map.outputs * columns) * sizeof(std::int32_t));
  std::int32_t* const entries = part.entries.host_span<std::int32_t>().data();
  const auto groups = group_columns(part, runs.z_cells);
  const bool output_major = part.layout == MapLayout::output_major;
  const std::int64_t row_step = output_major ? columns : 1, slot_step = output_major ? 1 : map.outputs;
  const bool whole = output_major && columns == map.offsets->columns();
  const auto fill_block = [&](std::int64_t begin, std::int64_t end, int) {
    if (whole) return write_whole_rows(runs, begin, end, entries + (begin * columns));
    for (std::int64_t run = 0; run < (output_major ? 1 : columns); ++run) {
      std::int32_t* const first = entries + (run * slot_step) + (begin * row_step);
      std::fill(first, first + ((end - begin) * row_step), -1);
    }
    for (const GroupColumns& group : groups) {
      for (std::int64_t row = begin; row < end; ++row) {
        for_matches(runs, runs.row(row)[group.group], group.wanted, [&](int iz, std::int32_t input) {
          entries[(row * row_step) + (group.slot[static_cast<std::size_t>(iz)] * slot_step)] = input;
        });
      }
    }
  };
  threads.for_blocks(map.outputs, outputs_per_block, fill_block, job.stop_token());
  job.checkpoint({"writing the dense map", 0, 0});
}

template <class Word>
void fill_pair_lists(ThreadPool& threads, const std::shared_ptr<MemoryPool>& pool, const RunWords<Word>& runs,
                     const KernelMap& map, KernelMap::Part& part, Job& job) {
  const auto stage = job.stage("filter");
  const std::size_t columns = part.columns.size();
  const auto groups = group_columns(part, runs.z_cells);
  const std::int64_t blocks = (map.outputs + outputs_per_block - 1) / outputs_per_block;
  // The first pass counts the matches of each block and column. With these counts, each block knows in the
  // second pass where it must write.
  std::vector<std::int64_t> starts(static_cast<std::size_t>(blocks) * columns, 0);
  const auto counts_of = [&](std::int64_t begin) {
    return starts.data() + static_cast<std::size_t>(begin / outputs_per_block) * columns;
  };
  const auto count_block = [&](std::int64_t begin, std::int64_t end, int) {
    std::int64_t* const counts = counts_of(begin);
    for (const GroupColumns& group : groups) {
      for (std::int64_t row = begin; row < end; ++row) {
        const std::uint32_t mask = mask_of(runs, runs.row(row)[group.group]);
        for (std::uint32_t left = mask & group.wanted; left != 0; left &= left - 1) {
          ++counts[group.slot[static_cast<std::size_t>(std::countr_zero(left))]];
        }
      }
    }
  };
  threads.for_blocks(map.outputs, outputs_per_block, count_block, job.stop_token());
  job.checkpoint({"counting pairs", 0, 0});

  part.counts = Buffer(pool, columns * sizeof(std::int32_t));
  std::int64_t sum = 0;
  for (std::size_t column = 0; column < columns; ++column) {
    const std::int64_t first = sum;
    for (std::int64_t block = 0; block < blocks; ++block) {
      auto& start = starts[(static_cast<std::size_t>(block) * columns) + column];
      const std::int64_t count = start;
      start = sum;
      sum += count;
    }
    part.counts.host_span<std::int32_t>()[column] = static_cast<std::int32_t>(sum - first);
  }
  using Pair = std::array<std::int32_t, 2>;
  part.entries = Buffer(pool, static_cast<std::size_t>(sum) * sizeof(Pair));
  Pair* const pairs = part.entries.host_span<Pair>().data();
  const auto fill_block = [&](std::int64_t begin, std::int64_t end, int) {
    std::int64_t* const next = counts_of(begin);
    for (const GroupColumns& group : groups) {
      for (std::int64_t row = begin; row < end; ++row) {
        for_matches(runs, runs.row(row)[group.group], group.wanted, [&](int iz, std::int32_t input) {
          pairs[next[group.slot[static_cast<std::size_t>(iz)]]++] = {static_cast<std::int32_t>(row), input};
        });
      }
    }
  };
  threads.for_blocks(map.outputs, outputs_per_block, fill_block, job.stop_token());
  job.checkpoint({"writing pairs", 0, 0});
}

namespace {

/// Returns a number whose lowest `count` bits are 1. `count` is at most 64.
std::uint64_t mask_of_bits(int count) {
  return count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

/// Returns the bits of the columns `first` to `first + count - 1` of an output. `count` is at most 64.
template <class Word>
std::uint64_t mask_of_columns(const RunWords<Word>& runs, std::int64_t output, int first, int count) {
  std::uint64_t mask = 0;
  for (int group = first / runs.z_cells; group * runs.z_cells < first + count; ++group) {
    const std::uint64_t bits = mask_of(runs, runs.row(output)[group]);
    const int shift = (group * runs.z_cells) - first;
    mask |= shift < 0 ? bits >> -shift : bits << shift;
  }
  return mask & mask_of_bits(count);
}

}  // namespace

template <class Word>
void fill_mask_sorted(ThreadPool& threads, const std::shared_ptr<MemoryPool>& pool,
                      const RunWords<Word>& runs, const KernelMap& map, KernelMap::Part& part, Job& job) {
  const auto columns = static_cast<int>(part.columns.size());
  const int length = columns_per_split(columns, part.splits);
  const std::int64_t rows = padded_rows_of(map.outputs);
  const auto all_rows = static_cast<std::size_t>(rows * part.splits);
  part.order = Buffer(pool, all_rows * sizeof(std::int32_t));
  part.entries = Buffer(pool, all_rows * static_cast<std::size_t>(length) * sizeof(std::int32_t));
  const auto order = part.order.host_span<std::int32_t>(), entries = part.entries.host_span<std::int32_t>();
  std::fill(order.begin(), order.end(), -1);
  std::fill(entries.begin(), entries.end(), -1);
  std::vector<IndexedKey<std::uint64_t>> keys(static_cast<std::size_t>(map.outputs));
  for (int split = 0; split < part.splits; ++split) {
    const int first = split * length, count = std::min(length, columns - first);
    const std::uint64_t all_bits = mask_of_bits(count);
    {
      const auto stage = job.stage("mask");
      // Inverts the masks, because radix_sort() sorts in ascending order.
      const auto fill = [&](std::int64_t begin, std::int64_t end, int) {
        for (std::int64_t output = begin; output < end; ++output)
          keys[static_cast<std::size_t>(output)] = {all_bits ^ mask_of_columns(runs, output, first, count),
                                                    static_cast<std::int32_t>(output)};
      };
      threads.for_blocks(map.outputs, outputs_per_block, fill, job.stop_token());
      job.checkpoint({"masks of the kernel map", split, part.splits});
    }
    {
      const auto stage = job.stage("argsort");
      radix_sort(keys, count, job);
    }
    const auto stage = job.stage("reorder");
    const auto reorder = [&](std::int64_t begin, std::int64_t end, int) {
      for (std::int64_t row = begin; row < end; ++row) {
        const std::int32_t output = keys[static_cast<std::size_t>(row)].index;
        order[static_cast<std::size_t>((split * rows) + row)] = output;
        std::int32_t* const to = entries.data() + (((split * rows) + row) * length);
        for (int group = first / runs.z_cells; group * runs.z_cells < first + count; ++group) {
          for_matches(runs, runs.row(output)[group], ~0U, [&](int iz, std::int32_t input) {
            const int slot = (group * runs.z_cells) + iz - first;
            if (slot >= 0 && slot < count) to[slot] = input;
          });
        }
      }
    };
    threads.for_blocks(map.outputs, outputs_per_block, reorder, job.stop_token());
    job.checkpoint({"sorting the rows of the kernel map", split, part.splits});
  }
}

template void fill_mask_sorted(ThreadPool&, const std::shared_ptr<MemoryPool>&,
                               const RunWords<std::uint32_t>&, const KernelMap&, KernelMap::Part&, Job&);
template void fill_mask_sorted(ThreadPool&, const std::shared_ptr<MemoryPool>&,
                               const RunWords<std::uint64_t>&, const KernelMap&, KernelMap::Part&, Job&);
template void fill_dense(ThreadPool&, const std::shared_ptr<MemoryPool>&, const RunWords<std::uint32_t>&,
                         const KernelMap&, KernelMap::Part&, Job&);
template void fill_dense(ThreadPool&, const std::shared_ptr<MemoryPool>&, const RunWords<std::uint64_t>&,
                         const KernelMap&, KernelMap::Part&, Job&);
template void fill_pair_lists(ThreadPool&, const std::shared_ptr<MemoryPool>&, const RunWords<std::uint32_t>&,
                              const KernelMap&, KernelMap::Part&, Job&);
template void fill_pair_lists(ThreadPool&, const std::shared_ptr<MemoryPool>&, const RunWords<std::uint64_t>&,
                              const KernelMap&, KernelMap::Part&, Job&);

}  // namespace spira::cpu
