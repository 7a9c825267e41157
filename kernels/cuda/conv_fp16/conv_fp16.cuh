// Functions that all fp16 feature kernels use. They read rows as fragments, multiply fragments on the matrix
// units with fp32 sums, and finish rows. The instruction is mma.sync: m16n8k8 on sm_75, and m16n8k16 on later
// devices.
#pragma once

#include "kernels/cuda/conv/conv_kernels.hpp"
#include "kernels/cuda/conv_fp16/weight_order.hpp"
#include "kernels/cuda/device/launch.cuh"

#include <cuda_fp16.h>

#include <type_traits>

namespace spira::cuda {

/// The channels of a feature row that a lane reads in one step: 4 or 8 consecutive channels.
template <int chunk> struct LaneFp16;
template <> struct LaneFp16<32> {
  uint4 v;
  static constexpr int count = 8;
};
template <> struct LaneFp16<16> {
  uint2 v;
  static constexpr int count = 4;
};

/// Reads channels [first, first + count) of a row. Returns zeros for a missing row and for channels that do
/// not exist. Rows must be aligned to the size of a read; convolve() pads rows that are not.
template <int chunk>
__device__ inline LaneFp16<chunk> read_row(const LayerOnDevice& layer, std::int32_t row, int first) {
  LaneFp16<chunk> result{};
  if (row >= 0 && first < layer.in_read) {
    const auto at = (static_cast<std::int64_t>(row) * layer.in_stride) + first;
    result.v = __ldg(reinterpret_cast<const decltype(result.v)*>(static_cast<const __half*>(layer.in) + at));
  }
  return result;
}

/// The part of the first factor (the rows) of mma.m16n8k16 that one lane holds in registers.
struct RowFragment {
  unsigned of[4];
};

__device__ inline void multiply_add(float (&sum)[4], const RowFragment& a, unsigned b0, unsigned b1) {
#if __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(a.of[0]), "r"(a.of[1]), "r"(a.of[2]), "r"(a.of[3]), "r"(b0), "r"(b1));
#elif __CUDA_ARCH__ >= 750
  asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(a.of[0]), "r"(a.of[1]), "r"(b0));
  asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(a.of[2]), "r"(a.of[3]), "r"(b1));
#endif
}

/// The row fragments of a chunk of input channels. They are assembled once and then used for all tiles of
/// output channels.
template <int chunk> struct ChunkFragments { RowFragment of[chunk / 16]; };
__device__ inline ChunkFragments<32> fragments(const LaneFp16<32>& low, const LaneFp16<32>& high) {
  return {{{{low.v.x, high.v.x, low.v.y, high.v.y}}, {{low.v.z, high.v.z, low.v.w, high.v.w}}}};
}
__device__ inline ChunkFragments<16> fragments(const LaneFp16<16>& low, const LaneFp16<16>& high) {
  return {{{{low.v.x, high.v.x, low.v.y, high.v.y}}}};
}

/// Prevents the compiler from assembling the fragments again for each product. `zero` must be 0, but the
/// compiler must not be able to know this.
template <int count> __device__ inline void settle(RowFragment (&fragments)[count], unsigned zero) {
#pragma unroll
  for (RowFragment& fragment : fragments) {
#pragma unroll
    for (unsigned& word : fragment.of)
      word |= zero;
  }
}

/// Computes sums += rows * weights for all tiles of output channels and all channels of a chunk. Each lane
/// has two rows. `weights` points to this lane's weights of the first tile. The weights of the next tile are
/// `step` words further.
template <int step = 32, int tiles>
__device__ void multiply_chunk(float (&sums)[tiles][4], const ChunkFragments<32>& rows,
                               const uint4* weights) {
#pragma unroll
  for (int tile = 0; tile < tiles; ++tile) {
    const uint4 b = weights[tile * step];
    multiply_add(sums[tile], rows.of[0], b.x, b.y);
    multiply_add(sums[tile], rows.of[1], b.z, b.w);
  }
}
template <int step = 32, int tiles>
__device__ void multiply_chunk(float (&sums)[tiles][4], const ChunkFragments<16>& rows,
                               const uint2* weights) {
#pragma unroll
  for (int tile = 0; tile < tiles; ++tile) {
    const uint2 b = weights[tile * step];
    multiply_add(sums[tile], rows.of[0], b.x, b.y);
  }
}

struct Shape {
  int chunks, all_tiles;  // The numbers of chunks and tiles of the whole layer.
};

inline Shape shape_of(const LayerOnDevice& layer) {
  const FragmentShape fragments{layer.in_channels, layer.out_channels, layer.columns};
  return {fragments.chunks(), fragments.tiles()};
}

/// The bias of the `2 * group` channels that start at `first`. It is zero for channels that the layer does
/// not have.
template <int group> struct ColumnBias {
  float of[2 * group];

  __device__ ColumnBias(const LayerOnDevice& layer, int first) {
#pragma unroll
    for (int c = 0; c < 2 * group; ++c)
      of[c] = first + c < layer.out_channels ? __ldg(layer.bias + first + c) : 0.0F;
  }
};

/// Finishes the 2 * group columns that a lane holds of one row. The columns are from `group` neighbouring
/// tiles. If layer.sums is set, stores the columns as fp32 sums. Otherwise stores results in words of
/// 2 * group columns: columns after the last channel become 0, so the row must have room for them. convolve()
/// sets layer.sums for rows without this room.
template <int group>
__device__ void finish_columns(const LayerOnDevice& layer, std::int64_t row, int first, const float* sums,
                               const ColumnBias<group>& bias) {
  constexpr int count = 2 * group;
  if (first >= layer.out_channels) return;
  if (layer.sums != nullptr) {
    const std::int64_t at = (row * layer.out_channels) + first;
#pragma unroll
    for (int c = 0; c < count; ++c) {
      if (first + c < layer.out_channels) layer.sums[at + c] = sums[c];
    }
    return;
  }
  using Word = std::conditional_t<count == 8, uint4, uint2>;
  union {
    Word word;
    __half half[count];
  } result, before;
  if (layer.residual != nullptr)
    before.word = __ldg(reinterpret_cast<const Word*>(static_cast<const __half*>(layer.residual) +
                                                      (row * layer.residual_stride) + first));
#pragma unroll
  for (int c = 0; c < count; ++c) {
    float value = sums[c] + bias.of[c];
    if (layer.residual != nullptr) value += __half2float(before.half[c]);
    if (layer.relu) value = value < 0.0F ? 0.0F : value;
    result.half[c] = __float2half_rn(value);
  }
  *reinterpret_cast<Word*>(static_cast<__half*>(layer.out) + (row * layer.out_stride) + first) = result.word;
}

/// Atomically adds sums[c] to to[c] for each c from 0 to `there` - 1. If `aligned` is true, `there` must be
/// at least `count`, and `to` must be aligned to 16 bytes.
template <int count> __device__ void add_sums(float* to, const float* sums, int there, bool aligned) {
#if __CUDA_ARCH__ >= 900
  if (aligned) {
#pragma unroll
    for (int at = 0; at < count; at += 4) {
      asm volatile("red.global.add.v4.f32 [%0], {%1,%2,%3,%4};" ::"l"(to + at), "f"(sums[at]),
                   "f"(sums[at + 1]), "f"(sums[at + 2]), "f"(sums[at + 3])
                   : "memory");
    }
    return;
  }
#endif
#pragma unroll
  for (int at = 0; at < count; ++at) {
    if (at < there) atomicAdd(to + at, sums[at]);
  }
}

/// Copies the 2 * group columns that a lane holds for one of its two rows to consecutive values. The columns
/// are from `group` neighbouring tiles. `half` selects the row.
template <int group> __device__ void gather_columns(const float (*tiles)[4], int half, float* columns) {
#pragma unroll
  for (int tile = 0; tile < group; ++tile) {
    columns[2 * tile] = tiles[tile][2 * half];
    columns[(2 * tile) + 1] = tiles[tile][(2 * half) + 1];
  }
}

}  // namespace spira::cuda
