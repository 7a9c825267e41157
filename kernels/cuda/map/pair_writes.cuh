// Writes the pairs of a block's outputs to their positions in the lists, from words in shared memory.
#pragma once

#include "kernels/cuda/map/pair_counts.cuh"

#include <cstdint>

namespace spira::cuda {

/// Positions in the lists for the pairs of one z-group in some rows of a block.
template <int K> struct PairPlaces {
  int2* to[K];
  unsigned stored;  ///< Stored offsets, one bit each.

  /// `before(slot)` returns the number of pairs of a column that are written before these rows within the
  /// block.
  template <class Before>
  __device__ PairPlaces(const ColumnTasks& tasks, const PairStarts& starts, int task, int2* pairs,
                        const Before& before)
      : stored(tasks.offsets[task]) {
    int slot = tasks.slot[task];
#pragma unroll
    for (int offset = 0; offset < K; ++offset)
      if ((stored >> offset & 1U) != 0) {
        to[offset] = pairs + starts.columns[slot] + starts.blocks[slot] + before(slot);
        ++slot;
      }
  }
  /// Writes the pairs of rows [begin, end) of a tile whose first row is output `first`. Must be called by all
  /// lanes of a warp.
  template <class Word>
  __device__ void write(const Word* words, int groups, int begin, int end, std::int64_t first) {
#pragma unroll 2
    for (int row = begin; row < end; row += 32) {
      const int own = row + static_cast<int>(threadIdx.x & 31U);
      write(own < end ? words[own * groups] : Word{0}, static_cast<int>(first) + own);
    }
  }

 private:
  /// Writes the pairs of 32 outputs, one per lane, in the order of the lanes.
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

struct PairTargets {
  int2* pairs;
  std::uint32_t* column_counts;  ///< [stored]
};

/// Writes the pairs of a block. Each warp writes the pairs of one z-group at a time, in the order of the
/// outputs. Must be called by all threads of all blocks, after every count has been written. Does not end
/// with a barrier.
template <int K, class Word>
__device__ void write_pairs(const PairCounts& counts, const PairTargets& targets, const Word* tile, int rows,
                            int groups, std::int64_t first) {
  __shared__ PairStarts starts;
  starts.find(counts);
  const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
  for (int task = thread / 32; task < counts.tasks.count; task += threads / 32) {
    PairPlaces<K> places(counts.tasks, starts, task, targets.pairs, [](int) { return 0U; });
    places.write(tile + counts.tasks.group[task], groups, 0, rows, first);
  }
  if (blockIdx.x != 0) return;
  for (int slot = thread; slot < counts.stored; slot += threads)
    targets.column_counts[slot] = starts.sums[slot];
}

}  // namespace spira::cuda
