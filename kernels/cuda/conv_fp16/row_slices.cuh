// Decodes the rows of a section on the device, and passes their sums from section to section.
#pragma once

#include "kernels/cuda/conv_fp16/conv_fp16.cuh"
#include "kernels/cuda/order/row_slices.hpp"

namespace spira::cuda {

constexpr std::int32_t earlier_bit = 1 << 30, later_bit = 1 << 29;  // words leave 29 bits for a row at K = 3

struct SectionRow {
  std::int32_t row = -1;  ///< Output row, or -1 if there is none.
  bool earlier = false;   ///< True if earlier sections left sums of the row in memory.
  bool later = false;     ///< True if later sections have offsets of the row.

  SectionRow() = default;
  __device__ explicit SectionRow(std::int32_t code)
      : row(code < 0 ? -1 : code & (later_bit - 1)),
        earlier(code >= 0 && (code & earlier_bit) != 0),
        later(code >= 0 && (code & later_bit) != 0) {}
};

/// Returns the address of a row's sums between sections: [outputs][out_channels]. They are accessed as
/// streaming data and do not stay in the L2 cache, because the features, which are read often, should stay
/// there. The channels must be a multiple of the columns that a lane holds.
__device__ inline float4* partial_sums(const LayerOnDevice& layer, float* partial, const SectionRow& row,
                                       int first) {
  return reinterpret_cast<float4*>(partial + (static_cast<std::int64_t>(row.row) * layer.out_channels) +
                                   first);
}

/// Starts a section: loads the sums that earlier sections left for the columns that a lane holds of a row. If
/// there are none, the sums stay zero. `tiles` points to `group` neighbouring tiles, as in gather_columns().
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

/// Ends a section: stores the columns for the next section, or finishes them after the last section of the
/// row.
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
