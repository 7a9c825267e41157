// Makes pair lists in one launch. All blocks run at once: each publishes how many pairs it has, and waits for
// the counts of the other blocks.
#pragma once

#include "kernels/cuda/map/pair_writes.cuh"

#include <cstdint>

namespace spira::cuda {

/// Each count is stored together with the number of its launch, so a reader knows whether the count is valid.
/// No memory has to be cleared before, and no write waits for another. The number of blocks that have
/// published is only used for waiting, because polling one word is cheaper than polling all counts.
struct ToldCounts {
  static constexpr int count_bits = 10, reads = 10;

  volatile std::uint32_t* words;  ///< [stored][blocks]
  std::uint32_t launch;
  std::uint32_t* told;      ///< Number of blocks that have published, in this and all earlier launches.
  std::uint32_t told_last;  ///< Value of `*told` when all blocks of this launch have published.
  int stored, blocks;
  ColumnTasks tasks;

  __device__ void tell(int slot, std::uint32_t pairs) const {
    words[(slot * blocks) + static_cast<int>(blockIdx.x)] = (launch << count_bits) | pairs;
  }
  /// Must be called once by all threads of a block.
  __device__ void wait() const {
    if (threadIdx.x == 0) {
      atomicAdd(told, 1U);
      const volatile std::uint32_t* now = told;
      while (static_cast<std::int32_t>(*now - told_last) < 0) {
      }
    }
    __syncthreads();
  }
  /// Returns the pairs of a column in all blocks, and in the blocks before `block`. Must be called by all
  /// lanes of a warp together.
  [[nodiscard]] __device__ uint2 sums(int slot, int block) const {
    std::uint32_t all = 0, before = 0;
    for (int first = static_cast<int>(threadIdx.x & 31U); first < blocks; first += 32 * reads) {
      std::uint32_t told[reads];
      bool there = false;
      while (!there) {
        there = true;
#pragma unroll
        for (int at = 0; at < reads; ++at)
          told[at] =
              first + (32 * at) < blocks ? words[(slot * blocks) + first + (32 * at)] : launch << count_bits;
#pragma unroll
        for (int at = 0; at < reads; ++at)
          there = there && told[at] >> count_bits == launch;
      }
#pragma unroll
      for (int at = 0; at < reads; ++at) {
        const std::uint32_t pairs = told[at] & ((1U << count_bits) - 1U);
        all += pairs;
        before += first + (32 * at) < block ? pairs : 0;
      }
    }
    return make_uint2(sum_of_warp(all), sum_of_warp(before));
  }
};

/// Makes the pair lists from the words that a search has found for a block. All blocks of the launch must run
/// at once (a cooperative kernel).
template <int K, int max_rows> struct ListPairs {
  static_assert(max_rows < 1 << ToldCounts::count_bits,
                "a block counts more pairs than a shared count holds");
  ToldCounts counts;
  PairTargets targets;

  template <class Word> __device__ void operator()(const Word* tile, int rows, int groups) const {
    __shared__ PairStarts starts;
    const int thread = static_cast<int>(threadIdx.x), warps = static_cast<int>(blockDim.x / 32U),
              lane = thread % 32;
    const ColumnTasks& tasks = counts.tasks;
    for (int task = thread / 32; task < tasks.count; task += warps) {
      const unsigned stored = tasks.offsets[task];
      OffsetCounts<K> found;
      for (int row = lane; row < rows; row += 32)
        found.add(static_cast<std::uint32_t>(tile[(row * groups) + tasks.group[task]]));
      found.add_up_lanes();
      if (lane < K && (stored >> lane & 1U) != 0)
        counts.tell(tasks.slot[task] + __popc(stored & ((1U << lane) - 1U)), found.at(lane));
    }
    counts.wait();
    starts.find(counts);
    const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * max_rows;
    for (int task = thread / 32; task < tasks.count; task += warps) {
      PairPlaces<K> places(tasks, starts, task, targets.pairs, [](int) { return 0U; });
      places.write(tile + tasks.group[task], groups, 0, rows, first);
    }
    if (blockIdx.x != 0) return;
    for (int slot = thread; slot < counts.stored; slot += static_cast<int>(blockDim.x))
      targets.column_counts[slot] = starts.sums[slot];
  }
};

}  // namespace spira::cuda
