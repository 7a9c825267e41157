// Computes features in fp32 in the output-stationary (stage "os") and weight-stationary (stage "ws")
// dataflow. The products do not use the matrix units, because the matrix units would round fp32 to tf32 and
// lose 13 bits.
#include "kernels/cuda/conv/conv_kernels.hpp"
#include "kernels/cuda/device/launch.cuh"

namespace spira::cuda {
namespace {

constexpr int tile_rows = 64, tile_columns = 64, step_channels = 16;

/// Shared memory of a thread block of 256 threads, which computes 64 rows and 64 output channels. Each thread
/// holds 4 x 4 sums in registers.
struct BlockTile {
  float in[step_channels][tile_rows + 4];
  float weight[step_channels][tile_columns];
  std::int32_t from[tile_rows];
};

struct ThreadSums {
  float of[4][4] = {};
};

/// Adds the products of one column of the map to `sums`: sums += in[from] * W. Computes 64 output channels,
/// beginning with `first_out`. Must be called by all threads of the thread block.
__device__ void add_column(BlockTile& tile, ThreadSums& sums, const LayerOnDevice& layer, int column,
                           int first_out) {
  const auto* in = static_cast<const float*>(layer.in);
  const float* weight = static_cast<const float*>(layer.weight) +
                        (static_cast<std::int64_t>(column) * layer.in_channels * layer.out_channels);
  const int thread = static_cast<int>(threadIdx.x), row0 = thread / 16 * 4, out0 = thread % 16 * 4;
  for (int first = 0; first < layer.in_channels; first += step_channels) {
    for (int at = thread; at < tile_rows * step_channels; at += threads_per_block) {
      const int row = at / step_channels, channel = at % step_channels;
      const std::int32_t from = tile.from[row];
      tile.in[channel][row] = from >= 0 && first + channel < layer.in_channels
                                  ? in[(static_cast<std::int64_t>(from) * layer.in_stride) + first + channel]
                                  : 0.0F;
    }
    for (int at = thread; at < tile_columns * step_channels; at += threads_per_block) {
      const int channel = at / tile_columns, out = at % tile_columns;
      tile.weight[channel][out] =
          first + channel < layer.in_channels && first_out + out < layer.out_channels
              ? weight[(static_cast<std::int64_t>(first + channel) * layer.out_channels) + first_out + out]
              : 0.0F;
    }
    __syncthreads();
#pragma unroll
    for (int channel = 0; channel < step_channels; ++channel) {
#pragma unroll
      for (int r = 0; r < 4; ++r) {
#pragma unroll
        for (int c = 0; c < 4; ++c)
          sums.of[r][c] += tile.in[channel][row0 + r] * tile.weight[channel][out0 + c];
      }
    }
    __syncthreads();
  }
}

__global__ void __launch_bounds__(threads_per_block)
    os_kernel(const __grid_constant__ MapSource source, const __grid_constant__ LayerOnDevice layer) {
  __shared__ BlockTile tile;
  const int thread = static_cast<int>(threadIdx.x), row0 = thread / 16 * 4, out0 = thread % 16 * 4;
  const std::int64_t first_row = static_cast<std::int64_t>(blockIdx.x) * tile_rows;
  const int first_out = static_cast<int>(blockIdx.y) * tile_columns;
  const std::int64_t rows = source.outputs.get();
  if (first_row >= rows) return;
  ThreadSums sums;
  for (int column = source.first_column; column < source.end_column; ++column) {
    if (!source.stores(column)) continue;
    std::int32_t from = -1;
    if (thread < tile_rows) {
      if (first_row + thread < rows)
        from = source.input(first_row + thread, column / source.z_cells, column % source.z_cells);
      tile.from[thread] = from;
    }
    const int weights = layer.reversed ? layer.columns - 1 - column : column;
    if (__syncthreads_or(from >= 0) != 0) add_column(tile, sums, layer, weights, first_out);
  }
  for (int r = 0; r < 4; ++r) {
    if (first_row + row0 + r >= rows) continue;
    const std::int64_t row = source.output_of(first_row + row0 + r);
    for (int c = 0; c < 4; ++c) {
      const int out = first_out + out0 + c;
      if (out >= layer.out_channels) continue;
      const std::int64_t at = (row * layer.out_channels) + out;
      const float sum = layer.earlier == nullptr ? sums.of[r][c] : layer.earlier[at] + sums.of[r][c];
      if (layer.sums != nullptr) {
        layer.sums[at] = sum;
        continue;
      }
      float value = sum + layer.bias[out];
      if (layer.residual != nullptr)
        value += static_cast<const float*>(layer.residual)[(row * layer.residual_stride) + out];
      if (layer.relu) value = value < 0.0F ? 0.0F : value;
      static_cast<float*>(layer.out)[(row * layer.out_stride) + out] = value;
    }
  }
}

__global__ void __launch_bounds__(threads_per_block)
    ws_kernel(const __grid_constant__ PairSource source, const __grid_constant__ LayerOnDevice layer,
              bool mirrored) {
  __shared__ BlockTile tile;
  __shared__ std::int32_t to[tile_rows];
  const int thread = static_cast<int>(threadIdx.x), row0 = thread / 16 * 4, out0 = thread % 16 * 4;
  const int first_out = static_cast<int>(blockIdx.y) * tile_columns;
  // All warps of the thread block find the same tile, so either all of them return here or none.
  const PairTile work = find_tile(source, blockIdx.x, tile_rows);
  if (work.count == 0) return;
  int column = work.column;
  if (mirrored) {
    // The centre column is its own partner, so its products were already added without `mirrored`.
    if (column * 2 == layer.columns - 1) return;
    column = layer.columns - 1 - column;
  }
  if (thread < tile_rows) {
    const int2 pair = thread < work.count ? source.pairs[work.first + thread] : make_int2(-1, -1);
    const bool swapped = source.swapped != mirrored;
    to[thread] = swapped ? pair.y : pair.x;
    tile.from[thread] = swapped ? pair.x : pair.y;
  }
  __syncthreads();
  ThreadSums sums;
  add_column(tile, sums, layer, column, first_out);
  for (int r = 0; r < 4; ++r) {
    if (to[row0 + r] < 0) continue;
    for (int c = 0; c < 4; ++c) {
      const int out = first_out + out0 + c;
      if (out < layer.out_channels)
        atomicAdd(layer.sums + (static_cast<std::int64_t>(to[row0 + r]) * layer.out_channels) + out,
                  sums.of[r][c]);
    }
  }
}

}  // namespace

void output_stationary_fp32(const Device& device, const MapSource& source, const LayerOnDevice& layer) {
  if (source.outputs.max == 0) return;
  const dim3 grid(blocks_for(source.outputs.max, tile_rows), blocks_for(layer.out_channels, tile_columns));
  os_kernel<<<grid, threads_per_block, 0, device.stream>>>(source, layer);
  SPIRA_CUDA(cudaGetLastError());
}

void weight_stationary_fp32(const Device& device, const PairSource& source, std::int64_t pairs, bool mirrored,
                            const LayerOnDevice& layer) {
  if (pairs == 0) return;
  const dim3 grid(static_cast<unsigned>((pairs / tile_rows) + source.stored),
                  blocks_for(layer.out_channels, tile_columns));
  ws_kernel<<<grid, threads_per_block, 0, device.stream>>>(source, layer, mirrored);
  SPIRA_CUDA(cudaGetLastError());
}

void finish_fp32(const Device& device, std::int64_t rows, const LayerOnDevice& layer) {
  const int channels = layer.out_channels;
  const auto* residual = static_cast<const float*>(layer.residual);
  auto* out = static_cast<float*>(layer.out);
  const float *sums = layer.sums, *bias = layer.bias;
  const bool relu = layer.relu;
  for_each(device, rows * channels, [=] __device__(std::int64_t at) {
    float value = sums[at] + bias[at % channels];
    if (residual != nullptr) value += residual[at];
    out[at] = relu && value < 0.0F ? 0.0F : value;
  });
}

}  // namespace spira::cuda
