#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/pair_counts.cuh"
#include "kernels/cuda/pair_lists.hpp"
#include "kernels/cuda/runs.cuh"

#include <algorithm>
#include <numeric>
#include <vector>

namespace spira::cuda {
namespace {

constexpr int most_threads_of_lists = 512;

/// The words of a block's outputs, in shared memory after the next barrier.
template <class Word> struct WordTile {
  Word* words;  ///< [rows][groups]
  std::int64_t first;
  int rows;  ///< that there are

  __device__ WordTile(const Runs<Word>& runs, std::int64_t outputs, int most_rows) {
    extern __shared__ __align__(16) unsigned char shared[];
    words = reinterpret_cast<Word*>(shared);
    first = static_cast<std::int64_t>(blockIdx.x) * most_rows;
    rows = static_cast<int>(min(static_cast<std::int64_t>(most_rows), outputs - first));
    for (int at = static_cast<int>(threadIdx.x); at < rows * runs.groups; at += static_cast<int>(blockDim.x))
      words[at] = runs.words[(first * runs.groups) + at];
  }
};

template <class Word, int K>
__global__ void __launch_bounds__(most_threads_of_lists)
    count_pairs_kernel(const __grid_constant__ PairCounts counts, Runs<Word> runs, std::int64_t outputs,
                       int most_rows) {
  const WordTile<Word> tile(runs, outputs, most_rows);
  __syncthreads();
  count_pairs<K>(counts, tile.words, tile.rows, runs.groups);
}

/// Where the pairs of a z-group go that some rows of a block have.
template <int K> struct PairPlaces {
  int2* to[K];
  unsigned stored;  ///< a bit an offset

  __device__ PairPlaces(const PairCounts& counts, const PairStarts& starts, int task, int2* pairs)
      : stored(counts.tasks.offsets[task]) {
    int slot = counts.tasks.slot[task];
#pragma unroll
    for (int offset = 0; offset < K; ++offset)
      if ((stored >> offset & 1U) != 0) {
        to[offset] = pairs + starts.columns[slot] + starts.blocks[slot];
        ++slot;
      }
  }
  /// The pairs of 32 outputs, a lane each, in the order of the lanes.
  template <class Word> __device__ void write(Word word, int output) {
    const unsigned lanes_before = (1U << (threadIdx.x & 31U)) - 1U;
    auto input = static_cast<std::int32_t>(word >> K);
#pragma unroll
    for (int offset = 0; offset < K; ++offset) {
      const bool there = (word >> offset & 1U) != 0;
      if ((stored >> offset & 1U) != 0) {
        const unsigned found = __ballot_sync(0xFFFFFFFFU, there);
        if (there) to[offset][__popc(found & lanes_before)] = make_int2(output, input);
        to[offset] += __popc(found);
      }
      input += there ? 1 : 0;
    }
  }
};

/// Counters of a set of lists before this one.
struct LeftOver {
  std::uint32_t* counters;
  int count;

  /// By all threads of a launch.
  __device__ void empty() const {
    const auto threads = static_cast<int>(gridDim.x * blockDim.x);
    for (auto at = static_cast<int>((blockIdx.x * blockDim.x) + threadIdx.x); at < count; at += threads)
      counters[at] = 0;
  }
};

/// A warp writes the pairs of a z-group that its block has, in the order of the outputs.
template <class Word, int K>
__global__ void __launch_bounds__(most_threads_of_lists)
    write_pairs_kernel(const __grid_constant__ PairCounts counts, Runs<Word> runs, std::int64_t outputs,
                       int most_rows, int2* pairs, std::uint32_t* column_counts, LeftOver left_over) {
  __shared__ PairStarts starts;
  left_over.empty();
  const WordTile<Word> tile(runs, outputs, most_rows);
  starts.find(counts);
  const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x),
            lane = thread % 32;
  for (int task = thread / 32; task < counts.tasks.count; task += threads / 32) {
    const Word* words = tile.words + counts.tasks.group[task];
    PairPlaces<K> places(counts, starts, task, pairs);
#pragma unroll 2
    for (int row = lane; row < most_rows; row += 32)
      places.write(row < tile.rows ? words[row * runs.groups] : Word{0}, static_cast<int>(tile.first) + row);
  }
  if (blockIdx.x != 0) return;
  for (int slot = thread; slot < counts.stored; slot += threads)
    column_counts[slot] = starts.sums[slot];
}

/// A z-group each.
ColumnTasks tasks_of(std::span<const int> columns, int kernel_size) {
  ColumnTasks tasks{};
  for (std::size_t slot = 0; slot < columns.size(); ++slot) {
    const int group = columns[slot] / kernel_size;
    if (tasks.count == 0 || tasks.group[tasks.count - 1] != group) {
      tasks.group[tasks.count] = static_cast<std::uint8_t>(group);
      tasks.slot[tasks.count] = static_cast<std::uint16_t>(slot);
      ++tasks.count;
    }
    tasks.offsets[tasks.count - 1] |=
        static_cast<std::uint8_t>(1U << static_cast<unsigned>(columns[slot] % kernel_size));
  }
  return tasks;
}

}  // namespace

PairLists::PairLists(const Device& device, const KernelMap& map, std::span<const int> columns, int groups)
    : device_(device), map_(map), columns_(columns.begin(), columns.end()), rows_(rows_of_block(groups)) {
  SPIRA_ASSERT(columns.size() <= most_columns, "a map has more columns than any kernel of ours");
  if (map.outputs == 0 || columns.empty()) return;
  of_ranges_ = device.counters->take(device);
  of_blocks_ = Buffer(device.pool, columns.size() * blocks_for(map.outputs, rows_) * sizeof(std::uint32_t));
}

PairCounts PairLists::counts() const {
  PairCounts counts{};
  counts.of_ranges = static_cast<std::uint32_t*>(const_cast<void*>(of_ranges_.memory.data()));
  counts.of_blocks = static_cast<std::uint32_t*>(const_cast<void*>(of_blocks_.data()));
  counts.stored = static_cast<int>(columns_.size());
  counts.blocks = static_cast<int>(blocks_for(map_.outputs, rows_));
  counts.blocks_of_range = (counts.blocks + ranges - 1) / ranges;
  counts.tasks = tasks_of(columns_, map_.offsets->kernel_size());
  return counts;
}

unsigned PairLists::threads() const {
  const int tasks = tasks_of(columns_, map_.offsets->kernel_size()).count;
  return tasks <= most_threads_of_lists / 64 ? most_threads_of_lists / 2 : most_threads_of_lists;
}

void PairLists::count(const RunWordsOnDevice& runs) const {
  if (of_blocks_.bytes() == 0) return;
  visit_runs(runs, map_, [&]<class Word>(const Runs<Word>& words) {
    visit_kernel_size(map_.offsets->kernel_size(), [&]<int K>(std::integral_constant<int, K>) {
      const std::size_t tile = static_cast<std::size_t>(rows_ * runs.groups) * sizeof(Word);
      count_pairs_kernel<Word, K><<<blocks_for(map_.outputs, rows_), threads(), tile, device_.stream>>>(
          counts(), words, map_.outputs, rows_);
    });
  });
  SPIRA_CUDA(cudaGetLastError());
}

void PairLists::write(const RunWordsOnDevice& runs, KernelMap::Part& part) {
  part.counts = Buffer(device_.pool, columns_.size() * sizeof(std::uint32_t));
  if (of_blocks_.bytes() == 0) {
    if (!columns_.empty())
      SPIRA_CUDA(cudaMemsetAsync(part.counts.data(), 0, part.counts.bytes(), device_.stream));
    return;
  }
  const PairCounts places = counts();
  std::vector<std::uint32_t> counted(static_cast<std::size_t>(places.stored) * ranges);
  copy_from_device(device_, counted.data(), places.of_ranges, counted.size() * sizeof(counted[0]));
  const auto all = std::accumulate(counted.begin(), counted.end(), std::size_t{0});
  part.entries = Buffer(device_.pool, all * sizeof(int2));
  CounterSets::Set* before = device_.counters->to_empty();
  const LeftOver left_over =
      before == nullptr ? LeftOver{} : LeftOver{values<std::uint32_t>(before->memory), before->left_over};
  visit_runs(runs, map_, [&]<class Word>(const Runs<Word>& words) {
    visit_kernel_size(map_.offsets->kernel_size(), [&]<int K>(std::integral_constant<int, K>) {
      const std::size_t tile = static_cast<std::size_t>(rows_ * runs.groups) * sizeof(Word);
      write_pairs_kernel<Word, K><<<blocks_for(map_.outputs, rows_), threads(), tile, device_.stream>>>(
          places, words, map_.outputs, rows_, values<int2>(part.entries), values<std::uint32_t>(part.counts),
          left_over);
    });
  });
  SPIRA_CUDA(cudaGetLastError());
  if (before != nullptr) before->left_over = 0;
  device_.counters->give(std::move(of_ranges_), static_cast<int>(counted.size()));
}

}  // namespace spira::cuda
