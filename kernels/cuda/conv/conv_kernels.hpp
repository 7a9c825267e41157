// The feature kernels that convolve() calls, for fp16 and fp32.
#pragma once

#include "kernels/cuda/device/device.hpp"
#include "kernels/cuda/map/map_source.cuh"

#include <cstdint>

namespace spira::cuda {

/// Largest numbers of inputs and outputs of the map that a layer reads.
struct MapRows {
  std::int64_t outputs = 0, inputs = 0;
};

/// Parameters of a layer. Contains plain values only, because kernels receive it by value.
struct LayerOnDevice {
  const void* in = nullptr;      ///< [rows][in_channels]
  const void* weight = nullptr;  ///< In the order of upload_weights().
  const float* bias = nullptr;
  const void* residual = nullptr;  ///< `nullptr` if the layer has none.
  void* out = nullptr;             ///< [rows][out_channels] in the storage type.
  /// Receives fp32 sums instead of `out`; `nullptr` if the kernel finishes the layer.
  float* sums = nullptr;
  int in_channels = 0, out_channels = 0, columns = 0;
  int in_stride = 0;  ///< Values from one input row to the next.
  int in_read = 0;    ///< Values of an input row that may be read: the channels and the zeros after them.
  int out_stride = 0, residual_stride = 0;
  unsigned zero = 0;  ///< Always 0, but the compiler does not know this (see settle() in conv_fp16.cuh).
  bool relu = false;
  bool reversed = false;  ///< If true, column k of the map uses the weights of column K^3 - 1 - k.
};

/// Computes an output-stationary part of any layout. fp16_choice.hpp has faster kernels for z-run maps.
void output_stationary_fp16(const Device& device, const MapSource& source, const LayerOnDevice& layer);
void output_stationary_fp32(const Device& device, const MapSource& source, const LayerOnDevice& layer);
/// Adds to layer.sums. `pairs` is the number of pairs of the part. If `mirrored` is true, the kernel
/// computes the partner columns of a half map, with input and output of each pair exchanged.
void weight_stationary_fp16(const Device& device, const PairSource& source, std::int64_t pairs, bool mirrored,
                            const LayerOnDevice& layer);
void weight_stationary_fp32(const Device& device, const PairSource& source, std::int64_t pairs, bool mirrored,
                            const LayerOnDevice& layer);
/// Computes layer.out = sums + bias + residual for `rows` rows of layer.sums, with ReLU and conversion to the
/// storage type.
void finish_fp16(const Device& device, std::int64_t rows, const LayerOnDevice& layer);
void finish_fp32(const Device& device, std::int64_t rows, const LayerOnDevice& layer);

}  // namespace spira::cuda
