// The feature kernels that convolve() calls, for fp16 and fp32.
#pragma once

#include "kernels/cuda/device/device.hpp"
#include "kernels/cuda/map/map_source.cuh"

#include <cstdint>

namespace spira::cuda {

/// Upper limits of the number of outputs and of the number of inputs in the map of a layer.
struct MapRows {
  std::int64_t outputs = 0, inputs = 0;
};

/// Parameters of a layer. All members are plain values, because kernels receive the struct by value.
struct LayerOnDevice {
  const void* in = nullptr;      ///< Input features. Shape: [rows][in_channels].
  const void* weight = nullptr;  ///< Weights in the order of upload_weights().
  const float* bias = nullptr;
  const void* residual = nullptr;  ///< `nullptr` if the layer has no residual.
  void* out = nullptr;             ///< Results in the storage type. Shape: [rows][out_channels].
  /// Destination of fp32 sums. If it is `nullptr`, the kernel computes the whole layer and writes the results
  /// to `out`.
  float* sums = nullptr;
  /// fp32 sums that an output-stationary kernel adds to its own. It is `nullptr` if the kernel adds no other
  /// sums. It can be the same memory as `sums`.
  const float* earlier = nullptr;
  int in_channels = 0, out_channels = 0, columns = 0;
  int in_stride = 0;  ///< Number of values from the start of one input row to the start of the next.
  /// Number of values of an input row that may be read: its channels and the zeros with which it is padded.
  int in_read = 0;
  int out_stride = 0, residual_stride = 0;
  /// Always 0. It is a variable and not a constant, so that the compiler cannot know its value (see settle()
  /// in conv_fp16.cuh).
  unsigned zero = 0;
  bool relu = false;
  bool reversed = false;  ///< If true, column k of the map uses the weights of column K^3 - 1 - k.
};

/// Computes an output-stationary part in any layout. fp16_choice.hpp declares faster kernels for z-run maps.
void output_stationary_fp16(const Device& device, const MapSource& source, const LayerOnDevice& layer);
void output_stationary_fp32(const Device& device, const MapSource& source, const LayerOnDevice& layer);
/// Computes a weight-stationary part and adds its products to layer.sums. If layer.sums is `nullptr`, which
/// is possible only in fp16, each output must be in exactly one pair, and the results are written. `pairs` is
/// the number of pairs of the part. If `mirrored` is true, computes the partner columns of a half map
/// instead. In a partner column, the input and the output of each pair are exchanged.
void weight_stationary_fp16(const Device& device, const PairSource& source, std::int64_t pairs, bool mirrored,
                            const LayerOnDevice& layer);
void weight_stationary_fp32(const Device& device, const PairSource& source, std::int64_t pairs, bool mirrored,
                            const LayerOnDevice& layer);
/// Computes layer.out = sums + bias + residual for `rows` rows of layer.sums. Applies ReLU and converts to
/// the storage type.
void finish_fp16(const Device& device, std::int64_t rows, const LayerOnDevice& layer);
void finish_fp32(const Device& device, std::int64_t rows, const LayerOnDevice& layer);

}  // namespace spira::cuda
