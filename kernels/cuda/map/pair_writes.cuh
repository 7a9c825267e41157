// Writes the pairs of a thread block's outputs to their positions in the lists, from words in shared memory.
// If all thread blocks run at once, one launch counts and writes the pairs. Each thread block publishes its
// numbers of pairs and waits for the numbers of the other thread blocks.
#pragma once

#include "kernels/cuda/map/pair_counts.cuh"

#include <cstdint>

namespace spira::cuda {

/// The addresses at which a warp writes the next pairs of one z-group. There is one address for each stored
/// offset.
template <int K> struct PairPlaces {
  int2* to[K];
  unsigned stored;  ///< Bit mask of the stored offsets.

  /// `before(slot)` must return the number of pairs of the column in `slot` that the thread block writes
  /// before the rows of this object.
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
  /// Writes the pairs of rows [begin, end) of a tile. `first` is the output of the first row of the tile.
  /// Must be called by all lanes of a warp.
  template <class Word>
  __device__ void write(const Word* words, int groups, int begin, int end, std::int64_t first) {
#pragma unroll 2
    for (int row = begin; row < end; row += 32) {
      const int own = row + static_cast<int>(threadIdx.x & 31U);
      write(own < end ? words[own * groups] : Word{0}, static_cast<int>(first) + own);
    }
  }

 private:
  /// Writes the pairs of 32 outputs in ascending order. Each lane passes one output and the z-run word of
  /// this output: the row of the first input and a bit mask of the offsets.
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
  std::uint32_t* column_counts;  ///< Number of pairs of each stored column. Shape: [stored].
};

/// Writes the pairs of a thread block. Each warp writes the pairs of one z-group at a time, in the order of
/// the outputs. All threads of all thread blocks must call it, after all counts are complete. It does not end
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

/// Counts that the thread blocks of a launch publish for each other. Each count is stored together with the
/// number of its launch, so a reader knows whether the count is valid. Therefore no memory has to be cleared
/// before the launch, and no write has to wait for another write. A thread block polls how many thread blocks
/// have published their counts, because this is cheaper than polling all counts.
struct PublishedCounts {
  static constexpr int count_bits = 10, reads = 10;

  /// Each word contains a count and the number of the launch that published it. Shape: [stored][blocks].
  volatile std::uint32_t* words;
  std::uint32_t launch;
  /// Number of thread blocks that have published, in this launch and all earlier launches.
  std::uint32_t* published;
  /// Value of `*published` after all thread blocks of this launch have published.
  std::uint32_t published_last;
  int stored, blocks;
  ColumnTasks tasks;

  __device__ void publish(int slot, std::uint32_t pairs) const {
    words[(slot * blocks) + static_cast<int>(blockIdx.x)] = (launch << count_bits) | pairs;
  }
  /// Waits until all thread blocks have published. Must be called once by all threads of a thread block.
  __device__ void wait() const {
    if (threadIdx.x == 0) {
      atomicAdd(published, 1U);
      const volatile std::uint32_t* now = published;
      while (static_cast<std::int32_t>(*now - published_last) < 0) {
      }
    }
    __syncthreads();
  }
  /// Returns the number of pairs of a column in all thread blocks (x) and in the thread blocks before `block`
  /// (y). Must be called by all lanes of a warp together.
  [[nodiscard]] __device__ uint2 sums(int slot, int block) const {
    std::uint32_t all = 0, before = 0;
    for (int first = static_cast<int>(threadIdx.x & 31U); first < blocks; first += 32 * reads) {
      std::uint32_t published[reads];
      bool there = false;
      while (!there) {
        there = true;
#pragma unroll
        for (int at = 0; at < reads; ++at)
          published[at] =
              first + (32 * at) < blocks ? words[(slot * blocks) + first + (32 * at)] : launch << count_bits;
#pragma unroll
        for (int at = 0; at < reads; ++at)
          there = there && published[at] >> count_bits == launch;
      }
#pragma unroll
      for (int at = 0; at < reads; ++at) {
        const std::uint32_t pairs = published[at] & ((1U << count_bits) - 1U);
        all += pairs;
        before += first + (32 * at) < block ? pairs : 0;
      }
    }
    return make_uint2(sum_of_warp(all), sum_of_warp(before));
  }
};

/// A functor that receives the words that a search has found for a thread block, and builds the pair lists
/// from them. All thread blocks of the launch must run at once (cooperative launch).
template <int K, int max_rows> struct ListPairs {
  static_assert(max_rows < 1 << PublishedCounts::count_bits,
                "a block counts more pairs than a shared count holds");
  PublishedCounts counts;
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
        counts.publish(tasks.slot[task] + __popc(stored & ((1U << lane) - 1U)), found.at(lane));
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
