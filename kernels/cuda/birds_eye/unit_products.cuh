// Products of the input cells of a tile with the weights of a layer, in fp16 on the matrix units and in fp32
// without them. Both factors are in shared memory, and the sums are in registers.
#pragma once

#include "kernels/cuda/birds_eye/unit_layer.hpp"
#include "kernels/cuda/conv_fp16/conv_fp16.cuh"
#include "kernels/cuda/device/shared_copies.cuh"

#include <cuda_fp16.h>

namespace spira::cuda {

/// Computes bias + sum + residual, and applies the ReLU.
__device__ inline float finished(float sum, float bias, float residual, bool relu) {
  const float value = (sum + bias) + residual;
  return relu && value < 0.0F ? 0.0F : value;
}

/// Returns the bias of a channel. Channels that the layer does not have get 0.
__device__ inline float bias_of(const LayerTask& task, int channel) {
  return channel < task.out_channels ? __ldg(task.bias + channel) : 0.0F;
}

/// Multiplies in fp16. A thread block has 4 x `across` warps, and each warp multiplies 16 * `fragments` rows
/// with 8 * `tiles_of_warp` output channels. The sums are in fp32.
template <int across, int tiles_of_warp, int fragments> class Fp16Products {
 public:
  using Value = __half;
  static constexpr int rows = 64 * fragments, channels = 8 * tiles_of_warp * across;
  static constexpr int threads = 128 * across;
  /// Thread blocks that a multiprocessor should run at the same time. A thread needs about these registers.
  static constexpr int sums = fragments * tiles_of_warp * 4;
  static constexpr int registers = sums < 20 ? 72 : sums + 40 + (4 * tiles_of_warp);
  static constexpr int resident = sums < 64 ? 65'536 / (threads * registers) : 1;
  static constexpr int piece = 8;  // Values in 16 bytes.

  __device__ explicit Fp16Products(const LayerTask& task) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
    for (int f = 0; f < fragments; ++f)
      row_at_[f] =
          (task.tiles.first_input(row_of_warp() + (f * 16) + (lane % 16)) * task.memory.patch_stride) +
          (lane / 16 * 16);
    // Matrices of weights: channels 0-7 and 8-15 of a slice for one tile, then the same for the next tile.
    weight_at_ = (((lane / 8 % 2 * 8) + (lane % 8)) * task.memory.weight_stride) +
                 ((channel_of_warp() + (lane / 16 * 8)) * 2);
  }
  __device__ void clear() {
#pragma unroll
    for (auto& fragment : sums_) {
#pragma unroll
      for (auto& tile : fragment) {
#pragma unroll
        for (float& sum : tile)
          sum = 0;
      }
    }
  }
  /// Adds the products of a chunk of input channels with one column of the kernel.
  __device__ void multiply(const unsigned char* patch, const unsigned char* weights,
                           const LayerMemoryPlan& memory) {
    const unsigned char* slice_weights = weights + weight_at_;
    // An unrolled loop would need more registers than there are.
#pragma unroll 1
    for (int slice = 0; slice < memory.chunk / 16; ++slice) {
      RowFragment of_rows[fragments];
#pragma unroll
      for (int f = 0; f < fragments; ++f)
        read_matrices(of_rows[f].of, patch + row_at_[f] + (slice * 32));
#pragma unroll
      for (int tile = 0; tile + 1 < tiles_of_warp; tile += 2) {
        unsigned of_weights[4];
        read_transposed_matrices(of_weights, slice_weights + (tile * 16));
        multiply_tile(tile, of_rows, of_weights[0], of_weights[1]);
        multiply_tile(tile + 1, of_rows, of_weights[2], of_weights[3]);
      }
      if constexpr (tiles_of_warp % 2 == 1) {
        unsigned of_weights[2];
        read_transposed_matrices(of_weights, slice_weights + ((tiles_of_warp - 1) * 16));
        multiply_tile(tiles_of_warp - 1, of_rows, of_weights[0], of_weights[1]);
      }
      slice_weights += 16 * memory.weight_stride;
    }
  }
  /// Writes the results of this thread to shared memory, where the residuals are before.
  __device__ void store(const LayerTask& task, int first_channel, unsigned char* results) const {
    const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
    for (int tile = 0; tile < tiles_of_warp; ++tile) {
      const int channel = channel_of_warp() + (tile * 8) + (lane % 4 * 2);
      const float bias0 = bias_of(task, first_channel + channel),
                  bias1 = bias_of(task, first_channel + channel + 1);
#pragma unroll
      for (int at = 0; at < 2 * fragments; ++at) {
        const int row = row_of_warp() + (at * 8) + (lane / 4);
        auto* const to =
            reinterpret_cast<__half2*>(results + (row * task.memory.result_stride) + (channel * 2));
        const float2 residual = task.residual.data == nullptr ? float2{0, 0} : __half22float2(*to);
        *to =
            __floats2half2_rn(finished(sums_[at / 2][tile][at % 2 * 2], bias0, residual.x, task.relu),
                              finished(sums_[at / 2][tile][(at % 2 * 2) + 1], bias1, residual.y, task.relu));
      }
    }
  }

 private:
  /// Returns the first row and the first channel of the warp in the tile.
  [[nodiscard]] __device__ static int row_of_warp() {
    return static_cast<int>(threadIdx.x) / 32 % 4 * 16 * fragments;
  }
  [[nodiscard]] __device__ static int channel_of_warp() {
    return static_cast<int>(threadIdx.x) / 128 * 8 * tiles_of_warp;
  }
  __device__ void multiply_tile(int tile, const RowFragment (&of_rows)[fragments], unsigned b0, unsigned b1) {
#pragma unroll
    for (int f = 0; f < fragments; ++f)
      multiply_add(sums_[f][tile], of_rows[f], b0, b1);
  }

  int row_at_[fragments], weight_at_;  // In bytes.
  float sums_[fragments][tiles_of_warp][4];
};

/// Multiplies in fp32. Each thread multiplies four rows with four output channels. A sum is computed in the
/// order of the columns and channels, one product after another.
template <int width> class Fp32Products {
 public:
  using Value = float;
  static constexpr int rows = 64, channels = width, threads = width * 4, resident = 512 / threads;
  static constexpr int piece = 4;  // Values in 16 bytes.

  __device__ explicit Fp32Products(const LayerTask& task) {
    const int thread = static_cast<int>(threadIdx.x);
    row_ = thread / (width / 4);
    channel_ = thread % (width / 4) * 4;
#pragma unroll
    for (int r = 0; r < 4; ++r)
      row_at_[r] = task.tiles.first_input(row_ + (r * 16)) * task.memory.patch_stride;
  }
  __device__ void clear() {
#pragma unroll
    for (auto& row : sums_) {
#pragma unroll
      for (float& sum : row)
        sum = 0;
    }
  }
  __device__ void multiply(const unsigned char* patch, const unsigned char* weights,
                           const LayerMemoryPlan& memory) {
    for (int first = 0; first < memory.chunk; first += 4) {
      float of_rows[4][4];
#pragma unroll
      for (int r = 0; r < 4; ++r)
        read_four(of_rows[r], patch + row_at_[r] + (first * 4));
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        float of_weights[4];
        read_four(of_weights, weights + ((first + k) * memory.weight_stride) + (channel_ * 4));
#pragma unroll
        for (int r = 0; r < 4; ++r) {
#pragma unroll
          for (int c = 0; c < 4; ++c)
            sums_[r][c] = fmaf(of_rows[r][k], of_weights[c], sums_[r][c]);
        }
      }
    }
  }
  __device__ void store(const LayerTask& task, int first_channel, unsigned char* results) const {
#pragma unroll
    for (int r = 0; r < 4; ++r) {
      auto* const to = reinterpret_cast<float4*>(results + ((row_ + (r * 16)) * task.memory.result_stride) +
                                                 (channel_ * 4));
      float values[4] = {};
      if (task.residual.data != nullptr) read_four(values, reinterpret_cast<const unsigned char*>(to));
#pragma unroll
      for (int c = 0; c < 4; ++c)
        values[c] = finished(sums_[r][c], bias_of(task, first_channel + channel_ + c), values[c], task.relu);
      *to = float4{values[0], values[1], values[2], values[3]};
    }
  }

 private:
  __device__ static void read_four(float (&to)[4], const unsigned char* from) {
    const float4 four = *reinterpret_cast<const float4*>(from);
    to[0] = four.x;
    to[1] = four.y;
    to[2] = four.z;
    to[3] = four.w;
  }

  int row_, channel_;
  int row_at_[4];  // In bytes.
  float sums_[4][4];
};

}  // namespace spira::cuda
