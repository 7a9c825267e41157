// Builds the lists of pairs of each block of rows: one list per offset (part of stage "order").
#include "kernels/cuda/device/launch.cuh"
#include "kernels/cuda/order/map_words.cuh"
#include "kernels/cuda/order/offset_lists.hpp"
#include "kernels/cuda/voxels/occupancy.hpp"

#include <cstdint>

namespace spira::cuda {
namespace {

constexpr int max_warps = max_list_rows / 32;

std::int64_t blocks_of(std::int64_t outputs, int block_rows) {
  return (outputs + block_rows - 1) / block_rows;
}

/// Two numbers in one word. The low byte is the number of pairs in even rows, and the high byte is the number
/// of pairs in odd rows. A block has at most 64 even rows and 64 odd rows.
using EvenOdd = std::uint16_t;
static_assert(max_list_rows / 2 < 256);
__device__ inline EvenOdd even_odd(unsigned rows) {
  return static_cast<EvenOdd>(__popc(rows & 0x55555555U) | __popc(rows & 0xAAAAAAAAU) << 8);
}

struct List {
  EvenOdd pairs;
  std::uint16_t first;  ///< Index of the first slice of the list within the block.

  [[nodiscard]] __device__ int all() const { return (pairs & 0xFF) + (pairs >> 8); }
  [[nodiscard]] __device__ int slices() const { return (all() + slice_rows - 1) / slice_rows; }
  /// Returns the position of a pair within the lists of the block. `odd` is 1 if the row of the pair is odd.
  /// `rank` is the number of earlier pairs in the column that have the same `odd`.
  [[nodiscard]] __device__ int place(int rank, int odd) const {
    const int both = min(pairs & 0xFF, pairs >> 8);
    return (first * slice_rows) + (rank < both ? (2 * rank) + odd : both + rank);
  }
};
/// The rows of a warp that have an input in a column, and the number of such rows that belong to earlier
/// warps of the block.
struct WarpRows {
  unsigned rows;
  /// Number of rows in earlier warps of the block that have an input in the column, as an EvenOdd.
  unsigned before;
};
struct Lists {
  WarpRows of_warp[max_list_columns][max_warps];
  List of[max_list_columns];
};

/// Computes where the list of each column begins within the block. Must be called by all threads of the
/// thread block.
__device__ void place_lists(Lists& lists, int columns, std::uint32_t* runs) {
  const int thread = static_cast<int>(threadIdx.x), warps = static_cast<int>(blockDim.x / 32);
  for (int column = thread; column < columns; column += static_cast<int>(blockDim.x)) {
    int sum = 0;
    for (int warp = 0; warp < warps; ++warp) {
      lists.of_warp[column][warp].before = static_cast<unsigned>(sum);
      sum += even_odd(lists.of_warp[column][warp].rows);
    }
    lists.of[column].pairs = static_cast<EvenOdd>(sum);
  }
  __syncthreads();
  if (thread >= 32) return;
  int slices_before = 0, runs_before = 0;
  for (int first = 0; first < columns; first += 32) {
    const int column = first + thread;
    const int own = column < columns ? lists.of[column].slices() : 0;
    int up_to = own;
#pragma unroll
    for (int step = 1; step < 32; step *= 2) {
      const int more = __shfl_up_sync(0xFFFFFFFFU, up_to, step);
      if (thread >= step) up_to += more;
    }
    const unsigned used = __ballot_sync(0xFFFFFFFFU, own != 0);
    if (column < columns) lists.of[column].first = static_cast<std::uint16_t>(slices_before + up_to - own);
    if (own != 0)
      runs[1 + runs_before + __popc(used & ((1U << thread) - 1U))] =
          static_cast<std::uint32_t>(column) << 16 | static_cast<std::uint32_t>(own);
    slices_before += __shfl_sync(0xFFFFFFFFU, up_to, 31);
    runs_before += __popc(used);
  }
  if (thread == 0) runs[0] = static_cast<std::uint32_t>(slices_before);
  for (int at = runs_before + thread; at <= columns; at += 32)
    runs[1 + at] = 0;
}

/// Writes padding pairs to the unused entries in the last slice of each column, and to the slices after the
/// last column. Must be called by all threads of the thread block.
__device__ void place_spare(const Lists& lists, int columns, std::uint32_t* list) {
  const int thread = static_cast<int>(threadIdx.x), rows = static_cast<int>(blockDim.x);
  const auto spare = [&](int at) { list[at] = static_cast<std::uint32_t>(rows + (at % slice_rows)); };
  for (int column = thread; column < columns; column += rows) {
    const List own = lists.of[column];
    for (int at = own.all(); at < own.slices() * slice_rows; ++at)
      spare((own.first * slice_rows) + at);
  }
  const int slices = lists.of[columns - 1].first + lists.of[columns - 1].slices();
  for (int at = thread; at < spare_slices * slice_rows; at += rows)
    spare((slices * slice_rows) + at);
}

/// The words of a block's rows in shared memory. In global memory, the words are contiguous, so the threads
/// copy them with coalesced reads. Then each thread reads the words of its own row.
template <int groups> struct StagedWords {
  const std::uint32_t* words;  ///< Shape: [block_rows][groups].
  [[nodiscard]] __device__ std::uint32_t operator()(int group) const { return words[group]; }
};
template <int groups>
__device__ StagedWords<groups> words_of_row(const MemoryWords& words, const BlockRows& rows) {
  extern __shared__ std::uint32_t staged[];
  constexpr int piece = slice_rows * groups;
  const int block_rows = static_cast<int>(blockDim.x);
  for (int at = static_cast<int>(threadIdx.x); at < block_rows * groups; at += block_rows) {
    const std::int64_t row = rows.row(at / piece * slice_rows) + (at % piece / groups);
    staged[at] = words.row(row, row < rows.outputs)(at % groups);
  }
  __syncthreads();
  return {staged + (threadIdx.x * groups)};
}
template <int groups, class Key, int K>
__device__ auto words_of_row(const GridWords<Key, K>& words, const BlockRows& rows) {
  const std::int64_t row = rows.row(static_cast<int>(threadIdx.x));
  return words.row(row, row < rows.outputs);
}

/// Builds the lists of all blocks. One thread block processes one block of rows, with one thread per row.
template <class Words, int K>
__global__ void __launch_bounds__(max_list_rows)
    fill_lists_kernel(const __grid_constant__ Words words, std::uint32_t* pairs, std::uint32_t* runs) {
  __shared__ Lists lists;
  constexpr int groups = K * K, columns = groups * K;
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32, odd = lane % 2;
  const int block_rows = static_cast<int>(blockDim.x);
  const BlockRows rows(blockIdx.x, block_rows, words.rows());
  if (!rows.there()) return;
  const auto word_of = words_of_row<groups>(words, rows);
#pragma unroll(Words::unrolled)
  for (int group = 0; group < groups; ++group) {
    const std::uint32_t mask = word_of(group) & words.wanted(group);
#pragma unroll
    for (int iz = 0; iz < K; ++iz) {
      const unsigned there = __ballot_sync(0xFFFFFFFFU, (mask >> iz & 1U) != 0);
      if (lane == 0) lists.of_warp[(group * K) + iz][warp].rows = there;
    }
  }
  __syncthreads();
  place_lists(lists, columns, runs + (rows.block * (columns + 2)));
  __syncthreads();
  const unsigned alike = (0x55555555U << odd) & ((1U << lane) - 1U);
  std::uint32_t* list = pairs + (rows.block * ((block_rows * columns) + (spare_slices * slice_rows)));
#pragma unroll(Words::unrolled)
  for (int group = 0; group < groups; ++group) {
    const std::uint32_t word = word_of(group);
    for (std::uint32_t left = word & words.wanted(group); left != 0; left &= left - 1) {
      const int iz = __ffs(static_cast<int>(left)) - 1;
      const std::uint32_t input = (word >> K) + static_cast<std::uint32_t>(__popc(word & ((1U << iz) - 1U)));
      const WarpRows there = lists.of_warp[(group * K) + iz][warp];
      const int rank = static_cast<int>(there.before >> (8 * odd) & 0xFFU) + __popc(there.rows & alike);
      list[lists.of[(group * K) + iz].place(rank, odd)] =
          input << list_row_bits | static_cast<std::uint32_t>(thread);
    }
  }
  place_spare(lists, columns, list);
}

template <int K, class Words>
void launch_lists(const Device& device, const Words& words, std::int64_t max_rows, int block_rows,
                  std::size_t bytes, Buffer& lists) {
  const std::int64_t blocks = blocks_of(max_rows, block_rows);
  if (blocks == 0) return;
  const OffsetLists layout{block_rows, K * K * K};
  auto* pairs = values<std::uint32_t>(lists);
  fill_lists_kernel<Words, K>
      <<<static_cast<unsigned>(blocks), static_cast<unsigned>(block_rows), bytes, device.stream>>>(
          words, pairs, pairs + (blocks * layout.pairs_of_block()));
  SPIRA_CUDA(cudaGetLastError());
}

}  // namespace

std::size_t OffsetLists::bytes(std::int64_t outputs, int kernel_size, int block_rows) {
  const OffsetLists layout{block_rows, kernel_size * kernel_size * kernel_size};
  return static_cast<std::size_t>(blocks_of(outputs, block_rows) *
                                  (layout.pairs_of_block() + layout.columns + 2)) *
         sizeof(std::uint32_t);
}

OffsetLists OffsetLists::in(const Buffer& buffer, std::int64_t outputs, int kernel_size, int block_rows) {
  OffsetLists lists{block_rows, kernel_size * kernel_size * kernel_size};
  lists.pairs = values<std::uint32_t>(buffer);
  lists.runs = lists.pairs + (blocks_of(outputs, block_rows) * lists.pairs_of_block());
  return lists;
}

void offset_lists(const Device& device, const MapSource& source, int block_rows, Buffer& lists) {
  const auto launch = source.cube == 3 ? launch_lists<3, MemoryWords> : launch_lists<5, MemoryWords>;
  const auto bytes = static_cast<std::size_t>(block_rows * source.groups) * sizeof(std::uint32_t);
  launch(device, MemoryWords{source}, source.outputs.max, block_rows, bytes, lists);
}

void offset_lists(const Device& device, const OccupancyMap& map, int kernel_size, int block_rows,
                  Buffer& lists) {
  const auto launch = [&]<class Key, int K>(Key, std::integral_constant<int, K>) {
    launch_lists<K>(device, GridWords<Key, K>{map}, map.outputs.max, block_rows, 0, lists);
  };
  const auto with_key = [&]<class Key>(Key key) {
    kernel_size == 3 ? launch(key, std::integral_constant<int, 3>{})
                     : launch(key, std::integral_constant<int, 5>{});
  };
  map.pack.word_bits() == 32 ? with_key(std::uint32_t{}) : with_key(std::uint64_t{});
}

}  // namespace spira::cuda
