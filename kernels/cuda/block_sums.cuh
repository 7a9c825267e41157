// The fp32 sums that a block of the output-stationary kernels keeps of its rows in shared memory, how slices
// are added to them in the order of the groups, and how they become results.
#pragma once

#include "kernels/cuda/group_reader.cuh"

#include <cstdint>

namespace spira::cuda {

constexpr int most_sums = 128 * 1024;  ///< bytes of a block

__device__ inline int load_finished(const int* shared) {
  int value = 0;
  asm volatile("ld.acquire.cta.shared.s32 %0, [%1];"
               : "=r"(value)
               : "r"(static_cast<unsigned>(__cvta_generic_to_shared(shared)))
               : "memory");
  return value;
}
__device__ inline void add_finished(int* shared) {
  asm volatile(
      "red.release.cta.shared.add.s32 [%0], 1;" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(shared)))
      : "memory");
}
/// Of the warps that compute.
__device__ inline void wait_for_all(const WeightPlan& plan) {
  asm volatile("bar.sync 1, %0;" ::"r"(plan.warps * 32) : "memory");
}
/// What the warps of a block share beside the weights.
struct BlockMemory {
  float* sums;    ///< [block_rows][channels of the block]
  int* counts;    ///< [stages]: rows in the lists of this block of rows
  int* finished;  ///< slices whose sums were added
};

/// The sums of a slice, and how they reach those of the block.
template <int tiles, int group> struct SliceSums {
  static constexpr int channels = tiles * 8;
  float of[tiles][4] = {};

  /// Neighbouring rows start with other halves of their 32 bytes, so that eight lanes meet all banks.
  __device__ void add_to(float* sums, const std::uint32_t (&rows)[2]) {
    const int lane = static_cast<int>(threadIdx.x & 31U);
    const bool upper_first = group == 4 && (lane / 4 & 1) != 0;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      if (rows[half] == no_row) continue;
      float* row = sums + (rows[half] * channels) + (lane % 4 * 2 * group);
#pragma unroll
      for (int first = 0; first < tiles; first += group) {
        float columns[2 * group];
        gather_columns<group>(of + first, half, columns);
#pragma unroll
        for (int piece = 0; piece < group / 2; ++piece) {
          const bool upper = (piece == 1) != upper_first;
          auto* to = reinterpret_cast<float4*>(row + (first * 8) + (upper ? 4 : 0));
          float4 sum = *to;
          constexpr int above = group == 4 ? 4 : 0;
          sum.x += upper ? columns[above] : columns[0];
          sum.y += upper ? columns[above + 1] : columns[1];
          sum.z += upper ? columns[above + 2] : columns[2];
          sum.w += upper ? columns[above + 3] : columns[3];
          *to = sum;
        }
      }
    }
#pragma unroll
    for (int tile = 0; tile < tiles; ++tile) {
#pragma unroll
      for (int at = 0; at < 4; ++at)
        of[tile][at] = 0.0F;
    }
  }
};

/// Adds the sums of a slice to those of the block, after all slices of the groups before its own.
template <class Sums>
__device__ void add_in_turn(const BlockMemory& memory, Sums& sums, const std::uint32_t (&rows)[2],
                            int first_of_group) {
  while (load_finished(memory.finished) < first_of_group) {
  }
  __syncwarp();
  sums.add_to(memory.sums, rows);
  __syncwarp();
  if ((threadIdx.x & 31U) == 0) add_finished(memory.finished);
}

/// The sums of a block become results; zeros stay behind. A thread keeps to the same channels of all its
/// rows.
template <int tiles, int group>
__device__ void finish_block(const GroupTask& task, std::int64_t block, std::int64_t outputs, float* sums,
                             int first_tile) {
  constexpr int each = 2 * group, pieces = tiles * 8 / each;
  const int thread = static_cast<int>(threadIdx.x), channel = thread % pieces * each;
  const int step = task.plan.warps * 32 / pieces;
  if (thread >= step * pieces) return;
  const std::int64_t first_row = block * task.slices.block_rows;
  const ColumnBias<group> bias(task.layer, (first_tile * 8) + channel);
  const int rows =
      static_cast<int>(min(static_cast<std::int64_t>(task.slices.block_rows), outputs - first_row));
#pragma unroll 2
  for (int row = thread / pieces; row < rows; row += step) {
    float columns[each];
    auto* from = reinterpret_cast<float4*>(sums + (row * tiles * 8) + channel);
#pragma unroll
    for (int piece = 0; piece < each / 4; ++piece) {
      const float4 sum = from[piece];
      columns[4 * piece] = sum.x;
      columns[(4 * piece) + 1] = sum.y;
      columns[(4 * piece) + 2] = sum.z;
      columns[(4 * piece) + 3] = sum.w;
      from[piece] = {};
    }
    finish_columns<group>(task.layer, first_row + row, (first_tile * 8) + channel, columns, bias);
  }
}

}  // namespace spira::cuda
