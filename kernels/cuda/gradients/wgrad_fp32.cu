// Computes the gradients of weights in fp32 (stage "wgrad"), without the matrix units, which would round fp32
// to tf32.
#include "kernels/cuda/gradients/chunks.cuh"

namespace spira::cuda {
namespace {

constexpr int tile = 64, chunk_pairs = 64, step_pairs = 32, resident_blocks = 4;

__global__ void __launch_bounds__(threads_per_block, resident_blocks)
    wgrad_kernel(const __grid_constant__ WgradWork work) {
  __shared__ float x[step_pairs][tile], g[step_pairs][tile];
  const int thread = static_cast<int>(threadIdx.x), in0 = thread / 16 * 4, out0 = thread % 16 * 4;
  const int tiles_out = (work.gradient.channels + tile - 1) / tile;
  const int first_in = static_cast<int>(blockIdx.x) / tiles_out * tile,
            first_out = static_cast<int>(blockIdx.x) % tiles_out * tile;
  const Sections sections(work.blocks, __ldg(work.count));
  const int end = sections.begin(static_cast<int>(blockIdx.y) + 1);
  const auto* const in = static_cast<const float*>(work.in.data);
  const auto* const gradient = static_cast<const float*>(work.gradient.data);
  float sums[4][4] = {};
  for (int chunk = sections.begin(static_cast<int>(blockIdx.y)); chunk < end; ++chunk) {
    const PairChunk now = work.chunks[chunk];
    for (int first = 0; first < now.count; first += step_pairs) {
      __syncthreads();
      for (int at = thread; at < step_pairs * tile; at += threads_per_block) {
        const int pair = at / tile, channel = at % tile;
        const bool there = first + pair < now.count;
        const int2 rows = there ? __ldg(work.pairs + now.first_pair + first + pair) : make_int2(0, 0);
        const std::int64_t in_row = now.swapped ? rows.x : rows.y, out_row = now.swapped ? rows.y : rows.x;
        x[pair][channel] = there && first_in + channel < work.in.channels
                               ? __ldg(in + (in_row * work.in.stride) + first_in + channel)
                               : 0.0F;
        g[pair][channel] = there && first_out + channel < work.gradient.channels
                               ? __ldg(gradient + (out_row * work.gradient.stride) + first_out + channel)
                               : 0.0F;
      }
      __syncthreads();
#pragma unroll 8
      for (int pair = 0; pair < step_pairs; ++pair) {
#pragma unroll
        for (int a = 0; a < 4; ++a) {
#pragma unroll
          for (int b = 0; b < 4; ++b)
            sums[a][b] += x[pair][in0 + a] * g[pair][out0 + b];
        }
      }
    }
    if (!now.ends && chunk + 1 < end) continue;
    float* const part = part_of(work, now.slot);
    for (int a = 0; a < 4; ++a) {
      for (int b = 0; b < 4; ++b) {
        const int row = first_in + in0 + a, column = first_out + out0 + b;
        if (row < work.in.channels && column < work.gradient.channels)
          part[(static_cast<std::int64_t>(row) * work.gradient.channels) + column] = sums[a][b];
        sums[a][b] = 0;
      }
    }
  }
}

}  // namespace

WgradShape wgrad_shape_fp32(const Device& device, int in_channels, int out_channels) {
  WgradShape shape{tile, tile, (in_channels + tile - 1) / tile * ((out_channels + tile - 1) / tile),
                   chunk_pairs, 0};
  shape.blocks = std::max(1, resident_blocks * device.sm_count / shape.tiles);
  return shape;
}

void wgrad_fp32(const Device& device, const WgradShape& shape, const WgradWork& work) {
  // The thread blocks of a section are neighbours in the grid, because they read the same rows.
  const dim3 grid(static_cast<unsigned>(shape.tiles), static_cast<unsigned>(shape.blocks));
  wgrad_kernel<<<grid, threads_per_block, 0, device.stream>>>(work);
  SPIRA_CUDA(cudaGetLastError());
}

}  // namespace spira::cuda
