// Counts the pairs of each column and writes the pair lists (stage "filter").
#include "kernels/cuda/device/launch.cuh"
#include "kernels/cuda/map/map_layouts.cuh"
#include "kernels/cuda/map/pair_lists.hpp"
#include "kernels/cuda/map/pair_writes.cuh"

#include <algorithm>
#include <numeric>
#include <vector>

namespace spira::cuda {
namespace {

constexpr int max_threads_of_lists = 512;

/// The words of a thread block's outputs in shared memory. The constructor starts to copy them. The copies
/// are complete after the next barrier.
template <class Word> struct WordTile {
  Word* words;  ///< Shape: [rows][groups].
  std::int64_t first;
  int rows;

  __device__ WordTile(const Runs<Word>& runs, std::int64_t outputs, int max_rows) {
    extern __shared__ __align__(16) unsigned char shared[];
    words = reinterpret_cast<Word*>(shared);
    first = static_cast<std::int64_t>(blockIdx.x) * max_rows;
    rows = static_cast<int>(min(static_cast<std::int64_t>(max_rows), outputs - first));
    for (int at = static_cast<int>(threadIdx.x); at < rows * runs.groups; at += static_cast<int>(blockDim.x))
      words[at] = runs.words[(first * runs.groups) + at];
  }
};

template <class Word, int K>
__global__ void __launch_bounds__(max_threads_of_lists)
    count_pairs_kernel(const __grid_constant__ PairCounts counts, Runs<Word> runs, std::int64_t outputs,
                       int max_rows) {
  const WordTile<Word> tile(runs, outputs, max_rows);
  __syncthreads();
  count_pairs<K>(counts, tile.words, tile.rows, runs.groups);
}

/// Counters that a previous set of lists has used. This launch must clear them.
struct LeftOver {
  std::uint32_t* counters;
  int count;

  /// Clears the counters. Must be called by all threads of the launch.
  __device__ void empty() const {
    const auto threads = static_cast<int>(gridDim.x * blockDim.x);
    for (auto at = static_cast<int>((blockIdx.x * blockDim.x) + threadIdx.x); at < count; at += threads)
      counters[at] = 0;
  }
};

template <class Word, int K>
__global__ void __launch_bounds__(max_threads_of_lists)
    write_pairs_kernel(const __grid_constant__ PairCounts counts, Runs<Word> runs, std::int64_t outputs,
                       int max_rows, PairTargets targets, LeftOver left_over) {
  left_over.empty();
  const WordTile<Word> tile(runs, outputs, max_rows);
  write_pairs<K>(counts, targets, tile.words, tile.rows, runs.groups, tile.first);
}

/// Returns one task per z-group that has stored columns.
ColumnTasks tasks_of(std::span<const int> columns, int z_cells) {
  ColumnTasks tasks{};
  for (std::size_t slot = 0; slot < columns.size(); ++slot) {
    const int group = columns[slot] / z_cells;
    if (tasks.count == 0 || tasks.group[tasks.count - 1] != group) {
      tasks.group[tasks.count] = static_cast<std::uint8_t>(group);
      tasks.slot[tasks.count] = static_cast<std::uint16_t>(slot);
      ++tasks.count;
    }
    tasks.offsets[tasks.count - 1] |=
        static_cast<std::uint8_t>(1U << static_cast<unsigned>(columns[slot] % z_cells));
  }
  return tasks;
}

}  // namespace

PairLists::PairLists(const Device& device, const KernelMap& map, std::span<const int> columns, int groups)
    : device_(device), map_(map), columns_(columns.begin(), columns.end()), rows_(rows_of_block(groups)) {
  SPIRA_ASSERT(columns.size() <= max_columns, "a map has more columns than any supported kernel");
  of_columns_ = Buffer(device.pool, columns.size() * sizeof(std::uint32_t));
}

std::size_t PairLists::max_bytes() const {
  return static_cast<std::size_t>(map_.outputs) * columns_.size() * sizeof(int2);
}

PublishedCounts PairLists::published_counts(unsigned blocks) {
  published_ = device_.counters->published_counts(device_, blocks);
  const PublishedCounts counts{published_.words,
                               published_.launch,
                               published_.blocks,
                               published_.last,
                               static_cast<int>(columns_.size()),
                               static_cast<int>(blocks),
                               tasks_of(columns_, map_.offsets->z_cells())};
  SPIRA_ASSERT(static_cast<std::size_t>(counts.stored) * static_cast<std::size_t>(counts.blocks) <=
                   max_published_counts,
               "more counts than the pair memory allows");
  return counts;
}

PairCounts PairLists::by_ranges() {
  PairCounts counts{};
  counts.stored = static_cast<int>(columns_.size());
  counts.blocks = static_cast<int>(blocks_for(map_.outputs, rows_));
  if (of_blocks_.bytes() == 0) {
    of_ranges_ = device_.counters->take(device_);
    of_blocks_ = Buffer(device_.pool,
                        columns_.size() * static_cast<std::size_t>(counts.blocks) * sizeof(std::uint32_t));
  }
  counts.of_ranges = values<std::uint32_t>(of_ranges_.memory);
  counts.of_blocks = values<std::uint32_t>(of_blocks_);
  counts.tasks = tasks_of(columns_, map_.offsets->z_cells());
  counts.blocks_of_range = (counts.blocks + ranges - 1) / ranges;
  return counts;
}

PairCounts PairLists::to_count() {
  counted_ = true;
  return by_ranges();
}

PairTargets PairLists::room_for_all() {
  entries_ = Buffer(device_.pool, max_bytes());
  return {values<int2>(entries_), values<std::uint32_t>(of_columns_)};
}

void PairLists::launched() {
  device_.counters->launched(published_);
}

unsigned PairLists::threads() const {
  const int tasks = tasks_of(columns_, map_.offsets->z_cells()).count;
  return tasks <= max_threads_of_lists / 64 ? max_threads_of_lists / 2 : max_threads_of_lists;
}

void PairLists::count(const RunWordsOnDevice& runs) {
  const PairCounts places = to_count();
  visit_runs(runs, map_, [&]<class Word>(const Runs<Word>& words) {
    visit_z_cells(map_.offsets->z_cells(), [&]<int K>(std::integral_constant<int, K>) {
      const std::size_t tile = static_cast<std::size_t>(rows_ * runs.groups) * sizeof(Word);
      count_pairs_kernel<Word, K><<<blocks_for(map_.outputs, rows_), threads(), tile, device_.stream>>>(
          places, words, map_.outputs, rows_);
    });
  });
  SPIRA_CUDA(cudaGetLastError());
}

void PairLists::write(const RunWordsOnDevice& runs) {
  const PairCounts places = by_ranges();
  const auto counters = static_cast<std::size_t>(places.stored) * ranges;
  entries_ = Buffer(device_.pool, sum_of_counts(places.of_ranges, counters) * sizeof(int2));
  const PairTargets targets{values<int2>(entries_), values<std::uint32_t>(of_columns_)};
  CounterSets::Set* before = device_.counters->to_empty();
  const LeftOver left_over =
      before == nullptr ? LeftOver{} : LeftOver{values<std::uint32_t>(before->memory), before->left_over};
  visit_runs(runs, map_, [&]<class Word>(const Runs<Word>& words) {
    visit_z_cells(map_.offsets->z_cells(), [&]<int K>(std::integral_constant<int, K>) {
      const std::size_t tile = static_cast<std::size_t>(rows_ * runs.groups) * sizeof(Word);
      write_pairs_kernel<Word, K><<<blocks_for(map_.outputs, rows_), threads(), tile, device_.stream>>>(
          places, words, map_.outputs, rows_, targets, left_over);
    });
  });
  SPIRA_CUDA(cudaGetLastError());
  if (before != nullptr) before->left_over = 0;
  device_.counters->give(std::move(of_ranges_), static_cast<int>(counters));
}

std::size_t PairLists::sum_of_counts(const std::uint32_t* counts, std::size_t number) const {
  std::vector<std::uint32_t> counted(number);
  copy_from_device(device_, counted.data(), counts, counted.size() * sizeof(counted[0]));
  return std::accumulate(counted.begin(), counted.end(), std::size_t{0});
}

void PairLists::finish(const RunWordsOnDevice& runs, KernelMap::Part& part) {
  if (max_bytes() == 0) {
    if (!columns_.empty())
      SPIRA_CUDA(cudaMemsetAsync(of_columns_.data(), 0, of_columns_.bytes(), device_.stream));
  } else if (entries_.bytes() != 0) {
    const auto* counts = values<std::uint32_t>(of_columns_);
    entries_.narrow(sum_of_counts(counts, columns_.size()) * sizeof(int2));
  } else {
    if (!counted_) count(runs);
    write(runs);
  }
  part.counts = std::move(of_columns_);
  part.entries = std::move(entries_);
}

}  // namespace spira::cuda
