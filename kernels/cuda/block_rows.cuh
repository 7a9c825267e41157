// The rows of a block of the output-stationary kernel, in the order in which its warps take them: rows that
// have the same offsets stand together, so that fewer (slice, offset) pairs are in use.
#pragma once

#include "kernels/cuda/map_source.cuh"

#include <cstdint>

namespace spira::cuda {

constexpr int os_warps = 8;  // of a block

/// Bits of the sort key of each column: the nearer an offset, the higher (rows agree on them first).
struct SortBits {
  std::uint8_t of_column[343];  ///< 64: not part of the key
};

inline SortBits sort_bits(const KernelOffsets& offsets) {
  SortBits bits{};
  int next = 63;
  for (int column = 0; column < offsets.columns(); ++column)
    bits.of_column[column] = 64;
  for (int l1 = 1; l1 <= offsets.max_l1(); ++l1) {
    for (int column = 0; column < offsets.columns(); ++column) {
      if (offsets.l1(column) == l1 && next >= 0) bits.of_column[column] = static_cast<std::uint8_t>(next--);
    }
  }
  return bits;
}

template <int rows> struct BlockRows {
  std::uint64_t keys[rows];             // masks while they are sorted
  std::uint16_t order[rows];            // row of the block at each place
  std::uint32_t present[os_warps][49];  // offsets of each z-group that a row of a warp has
  std::uint16_t list[os_warps][344];    // columns in use, z-group << 3 | iz; [0] alone when all walk together
  int listed[os_warps];
  std::uint8_t bit_of_column[344];  // a copy: lanes read it at different places
};

/// Bitonic sort of (key, row), descending. All threads; `rows` is a power of two, at most the threads.
template <int rows> __device__ void sort_rows(BlockRows<rows>& block) {
  const int place = static_cast<int>(threadIdx.x);
  for (int size = 2; size <= rows; size *= 2) {
    for (int step = size / 2; step > 0; step /= 2) {
      __syncthreads();
      const int other = place ^ step;
      if (place >= rows || other < place) continue;
      const bool descending = (place & size) == 0;
      if ((block.keys[place] < block.keys[other]) == descending && block.keys[place] != block.keys[other]) {
        const std::uint64_t key = block.keys[place];
        block.keys[place] = block.keys[other];
        block.keys[other] = key;
        const std::uint16_t row = block.order[place];
        block.order[place] = block.order[other];
        block.order[other] = row;
      }
    }
  }
  __syncthreads();
}

/// The words of a block's rows in shared memory, [rows][groups] in the sorted order; null: too many, the map
/// itself is read.
using StagedWords = std::uint32_t*;

/// Fills order, present, list and the staged words. `together`: one list for all warps.
template <int rows>
__device__ void arrange(const MapSource& source, const SortBits& bits, std::int64_t first_row, bool together,
                        BlockRows<rows>& block, StagedWords words) {
  constexpr int rows_per_warp = rows / os_warps;
  const int thread = static_cast<int>(threadIdx.x), warp = thread / 32, lane = thread % 32;
  __syncthreads();  // of the rows before
  for (int at = thread; at < os_warps * 49; at += os_warps * 32)
    block.present[at / 49][at % 49] = 0;
  for (int at = thread; at < source.groups * source.kernel_size; at += os_warps * 32)
    block.bit_of_column[at] = bits.of_column[at];
  __syncthreads();
  if (thread < rows) {
    std::uint64_t key = 0;
    if (first_row + thread < source.outputs) {
      for (int group = 0; group < source.groups; ++group) {
        for (std::uint32_t left = source.present(first_row + thread, group); left != 0; left &= left - 1) {
          const int bit =
              block.bit_of_column[(group * source.kernel_size) + __ffs(static_cast<int>(left)) - 1];
          if (bit < 64) key |= std::uint64_t{1} << bit;
        }
      }
    }
    block.keys[thread] = key;
    block.order[thread] = static_cast<std::uint16_t>(thread);
  }
  sort_rows(block);
  if (thread < rows) {
    const std::int64_t row = first_row + block.order[thread];
    const int owner = together ? 0 : thread / rows_per_warp;
    for (int group = 0; group < source.groups; ++group) {
      const bool there = row < source.outputs;
      if (words != nullptr)
        words[(thread * source.groups) + group] =
            there ? static_cast<std::uint32_t>(source.word(row, group)) : 0;
      const std::uint32_t mask = there ? source.present(row, group) : 0;
      if ((mask & ~block.present[owner][group]) != 0) atomicOr(&block.present[owner][group], mask);
    }
  }
  __syncthreads();
  if (!together || warp == 0) {
    int listed = 0;
    for (int first = 0; first < source.groups; first += 32) {
      const std::uint32_t mask = first + lane < source.groups ? block.present[warp][first + lane] : 0;
      int up_to = __popc(mask);
      const int own = up_to;
      for (int step = 1; step < 32; step *= 2) {
        const int more = __shfl_up_sync(0xFFFFFFFFU, up_to, step);
        if (lane >= step) up_to += more;
      }
      int to = listed + up_to - own;
      for (std::uint32_t left = mask; left != 0; left &= left - 1)
        block.list[warp][to++] =
            static_cast<std::uint16_t>(((first + lane) << 3) | (__ffs(static_cast<int>(left)) - 1));
      listed += __shfl_sync(0xFFFFFFFFU, up_to, 31);
    }
    if (lane == 0) block.listed[warp] = listed;
  }
  __syncthreads();
}

}  // namespace spira::cuda
