// Counts pairs from words in shared memory: the pairs of each column per thread block and per range of thread
// blocks. Also computes the positions at which a thread block writes its pairs.
#pragma once

#include "kernels/cuda/device/counter_sets.hpp"
#include "kernels/cuda/device/launch.cuh"
#include "kernels/cuda/map/map_source.cuh"
#include "kernels/cuda/map/pair_lists.hpp"

#include <cstdint>

namespace spira::cuda {

/// The tasks of the warps that process pair lists. A task consists of the stored columns of one z-group, in
/// ascending order. A z-group contains the K columns that share dx and dy. A column is stored if the map part
/// has a pair list for it.
struct ColumnTasks {
  int count;
  std::uint8_t group[max_groups];
  std::uint8_t offsets[max_groups];  ///< Bit mask of the stored offsets of the z-group.
  std::uint16_t slot[max_groups];    ///< Slot of the first stored column.
};

/// The numbers of pairs of the stored columns. A column has at most one pair per output, so 32 bits are
/// enough for each number.
struct PairCounts {
  /// Pairs per column and range of thread blocks. Shape: [stored][ranges]. Must be zero before the launch.
  std::uint32_t* of_ranges;
  std::uint32_t* of_blocks;  ///< Pairs per column and thread block. Shape: [stored][blocks].
  int stored, blocks, blocks_of_range;
  ColumnTasks tasks;

  [[nodiscard]] __device__ std::uint32_t* blocks_of(int slot) const {
    return of_blocks + (static_cast<std::int64_t>(slot) * blocks);
  }
  __device__ void set(int slot, int block, std::uint32_t pairs) const {
    blocks_of(slot)[block] = pairs;
    if (pairs != 0) atomicAdd(of_ranges + (slot * ranges) + (block / blocks_of_range), pairs);
  }
  /// Returns the number of pairs of a column in all thread blocks (x) and in the thread blocks before `block`
  /// (y). Must be called by all lanes of a warp together.
  __device__ uint2 sums(int slot, int block) const {
    const int lane = static_cast<int>(threadIdx.x & 31U), range = block / blocks_of_range;
    const std::uint32_t pairs = of_ranges[(slot * ranges) + lane];
    std::uint32_t before = lane < range ? pairs : 0;
    for (int at = (range * blocks_of_range) + lane; at < block; at += 32)
      before += blocks_of(slot)[at];
    return make_uint2(sum_of_warp(pairs), sum_of_warp(before));
  }
};

/// The counts of one z-group. For each offset, this is the number of rows of a thread block that have an
/// input at this offset. A count has 10 bits, and a word contains three counts.
template <int K> struct OffsetCounts {
  static constexpr int words = (K + 2) / 3;
  std::uint32_t of[words] = {};

  __device__ void add(std::uint32_t mask) {
    constexpr std::uint32_t spread = 1U | 1U << 9U | 1U << 18U, fields = 1U | 1U << 10U | 1U << 20U;
#pragma unroll
    for (int word = 0; word < words; ++word)
      of[word] += ((mask >> (3 * word) & ((1U << min(3, K - (3 * word))) - 1U)) * spread) & fields;
  }
  __device__ void add_up_lanes() {
#pragma unroll
    for (int word = 0; word < words; ++word)
      of[word] = sum_of_warp(of[word]);
  }
  [[nodiscard]] __device__ std::uint32_t at(int offset) const {
    std::uint32_t fields = of[0];
#pragma unroll
    for (int word = 1; word < words; ++word)
      fields = offset / 3 == word ? of[word] : fields;
    return fields >> (offset % 3 * 10) & 1023U;
  }
};
static_assert(max_rows_of_block < 1024);

/// Counts the pairs of a thread block. Must be called by all warps of the thread block together. `tile`
/// contains the words of the thread block's outputs in shared memory. Shape: [rows][groups]. A barrier must
/// separate the writes to the tile from this call.
template <int K, class Word>
__device__ void count_pairs(const PairCounts& counts, const Word* tile, int rows, int groups) {
  const int warp = static_cast<int>(threadIdx.x / 32U), lane = static_cast<int>(threadIdx.x & 31U);
  for (int task = warp; task < counts.tasks.count; task += static_cast<int>(blockDim.x / 32U)) {
    const Word* words = tile + counts.tasks.group[task];
    OffsetCounts<K> found;
    for (int row = lane; row < rows; row += 32)
      found.add(static_cast<std::uint32_t>(words[row * groups]));
    found.add_up_lanes();
    const unsigned stored = counts.tasks.offsets[task];
    if (lane < K && (stored >> lane & 1U) != 0)
      counts.set(counts.tasks.slot[task] + __popc(stored & ((1U << lane) - 1U)), static_cast<int>(blockIdx.x),
                 found.at(lane));
  }
}

/// The positions in the lists at which a thread block writes its pairs.
struct PairStarts {
  std::uint32_t sums[max_columns];    ///< Number of pairs of each column.
  std::int64_t columns[max_columns];  ///< Start position of each column.
  std::uint32_t blocks[max_columns];  ///< Start position of the thread block within the column.

  /// Computes the positions at which the thread block writes its pairs. Must be called by all warps of a
  /// thread block; the object must be in shared memory. Ends with a barrier, so earlier writes of the warps
  /// to shared memory are then visible too. `counts` must have a member `stored` and a function sums(slot,
  /// block) that returns the number of pairs of a column in all thread blocks and in the thread blocks before
  /// `block`.
  template <class Counts> __device__ void find(const Counts& counts) {
    const int warp = static_cast<int>(threadIdx.x / 32U), lane = static_cast<int>(threadIdx.x & 31U);
    const int stored = counts.stored;
    for (int slot = warp; slot < stored; slot += static_cast<int>(blockDim.x / 32U)) {
      const uint2 found = counts.sums(slot, static_cast<int>(blockIdx.x));
      if (lane == 0) {
        sums[slot] = found.x;
        blocks[slot] = found.y;
      }
    }
    __syncthreads();
    if (warp == 0) {
      std::int64_t start = 0;
      for (int first = 0; first < stored; first += 32) {
        const int slot = first + lane;
        const std::int64_t own = slot < stored ? sums[slot] : 0;
        std::int64_t up_to = own;
        for (int step = 1; step < 32; step *= 2) {
          const std::int64_t more = __shfl_up_sync(0xFFFFFFFFU, up_to, step);
          if (lane >= step) up_to += more;
        }
        if (slot < stored) columns[slot] = start + up_to - own;
        start += __shfl_sync(0xFFFFFFFFU, up_to, 31);
      }
    }
    __syncthreads();
  }
};

}  // namespace spira::cuda
