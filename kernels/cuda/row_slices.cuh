// Rows of a section on the device, and what becomes of their sums.
#pragma once

#include "kernels/cuda/conv_half.cuh"
#include "kernels/cuda/row_slices.hpp"

namespace spira::cuda {

constexpr std::int32_t earlier_bit = 1 << 30, later_bit = 1 << 29;  // words leave 29 bits for a row at K = 3

struct SectionRow {
  std::int32_t row = -1;  ///< -1: none
  bool earlier = false;   ///< its sums of the sections before wait in memory
  bool later = false;     ///< more sections have offsets of it

  SectionRow() = default;
  __device__ explicit SectionRow(std::int32_t code)
      : row(code < 0 ? -1 : code & (later_bit - 1)),
        earlier(code >= 0 && (code & earlier_bit) != 0),
        later(code >= 0 && (code & later_bit) != 0) {}
};

/// Where the sums of a row wait between sections: [outputs][out_channels]. They pass through the L2 cache
/// without staying there, because the features, which are read often, should. The channels are a multiple of
/// the columns that a lane holds.
__device__ inline float4* partial_sums(const LayerOnDevice& layer, float* partial, const SectionRow& row,
                                       int first) {
  return reinterpret_cast<float4*>(partial + (static_cast<std::int64_t>(row.row) * layer.out_channels) +
                                   first);
}

/// Starts a section: what the sections before left of the columns that a lane holds of a row, else zeros.
/// `tiles`: `group` side by side, as of gather_columns().
template <int group, int kernel_size>
__device__ void start_section(const LayerOnDevice& layer, float* partial, const SectionRow& row, int first,
                              int half, float (*tiles)[4]) {
  if constexpr (section_count < kernel_size >> 1) {
    if (!row.earlier) return;
    const float4* sums = partial_sums(layer, partial, row, first);
#pragma unroll
    for (int at = 0; at < group / 2; ++at) {
      const float4 four = __ldcs(sums + at);
      tiles[2 * at][2 * half] = four.x;
      tiles[2 * at][(2 * half) + 1] = four.y;
      tiles[(2 * at) + 1][2 * half] = four.z;
      tiles[(2 * at) + 1][(2 * half) + 1] = four.w;
    }
  }
}

/// Ends a section: the columns go on to the next one, or are finished where this is the last.
template <int group, int kernel_size>
__device__ void finish_section(const LayerOnDevice& layer, float* partial, const SectionRow& row, int first,
                               const float (&columns)[2 * group], const ColumnBias<group>& bias) {
  if (row.row < 0) return;
  if constexpr (section_count < kernel_size >> 1) {
    if (row.later) {
      float4* sums = partial_sums(layer, partial, row, first);
#pragma unroll
      for (int at = 0; at < group / 2; ++at)
        __stcs(sums + at, make_float4(columns[4 * at], columns[(4 * at) + 1], columns[(4 * at) + 2],
                                      columns[(4 * at) + 3]));
      return;
    }
  }
  finish_columns<group>(layer, row.row, first, columns, bias);
}

}  // namespace spira::cuda
