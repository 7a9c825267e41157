// What convolve() asks of the feature kernels of a precision.
#pragma once

#include "kernels/cuda/device.hpp"
#include "kernels/cuda/map_source.cuh"

#include <cstdint>

namespace spira::cuda {

/// Rows of the map that a layer reads, at the most.
struct MapRows {
  std::int64_t outputs = 0, inputs = 0;
};

/// Values only: kernels take it as it is.
struct LayerOnDevice {
  const void* in = nullptr;      ///< [rows][in_channels]
  const void* weight = nullptr;  ///< as upload_weights() left it
  const float* bias = nullptr;
  const void* residual = nullptr;  ///< null: none
  void* out = nullptr;             ///< [rows][out_channels] in the storage type
  float* sums = nullptr;           ///< fp32 sums instead of `out`; null: finish in the kernel
  int in_channels = 0, out_channels = 0, columns = 0;
  int in_stride = 0;  ///< values from one input row to the next
  int in_read = 0;    ///< of those, how many may be read: the channels, and zeros behind them
  int out_stride = 0, residual_stride = 0;
  unsigned zero = 0;  ///< always (conv_half.cuh, settle)
  bool relu = false;
  bool reversed = false;  ///< column k of the map takes the weights of column K^3 - 1 - k
};

/// `lists`: of `source`, as offset_lists() made them with `block_rows`, which best_list_rows() gave.
void lists_half(const Device& device, const MapSource& source, const LayerOnDevice& layer,
                const Buffer& lists, int block_rows);
/// Rows of a block with which lists_half() should be fastest for a layer; 0: others are faster, or it cannot.
[[nodiscard]] int best_list_rows(const Device& device, const LayerOnDevice& layer, int kernel_size,
                                 const MapRows& rows);
/// `slices`: of `source`, as group_slices() made them with `block_rows`, which best_block_rows() gave.
void groups_half(const Device& device, const MapSource& source, const LayerOnDevice& layer,
                 const Buffer& slices, int block_rows);
/// Rows of a block with which groups_half() should be fastest for a layer of so many outputs; 0: the layer is
/// too wide for it.
[[nodiscard]] int best_block_rows(const Device& device, const LayerOnDevice& layer, int kernel_size,
                                  std::int64_t outputs);
/// Whether tiles_half() is the fastest for a layer: wide ones with K = 3 or 5, on sm_90a.
[[nodiscard]] bool takes_tiles(const Device& device, const LayerOnDevice& layer, std::int64_t outputs);
/// Bytes of its `partial`: the sums between the sections of a kernel (row_slices.hpp).
[[nodiscard]] std::size_t partial_bytes(const LayerOnDevice& layer, int kernel_size, std::int64_t outputs);
/// `slices`: of `source`, as row_slices() made them. `partial`: partial_bytes() of it.
void tiles_half(const Device& device, const MapSource& source, const LayerOnDevice& layer,
                const Buffer& slices, float* partial);
/// Whether all weights of a layer, or of a half or, for many outputs, a quarter of its output channels fit in
/// the shared memory of a block: then rows_half() is the fastest.
[[nodiscard]] bool takes_rows(const Device& device, const LayerOnDevice& layer, int kernel_size,
                              std::int64_t outputs);
/// `slices`: of `source`, as row_slices() made them.
void rows_half(const Device& device, const MapSource& source, const LayerOnDevice& layer,
               const Buffer& slices);
/// For every map.
void output_stationary_half(const Device& device, const MapSource& source, const LayerOnDevice& layer);
void output_stationary_float(const Device& device, const MapSource& source, const LayerOnDevice& layer);
/// Adds to layer.sums. `pairs`: of the part. `mirrored`: the partner columns of a half map, pairs exchanged.
void weight_stationary_half(const Device& device, const PairSource& source, std::int64_t pairs, bool mirrored,
                            const LayerOnDevice& layer);
void weight_stationary_float(const Device& device, const PairSource& source, std::int64_t pairs,
                             bool mirrored, const LayerOnDevice& layer);
/// sums + bias + residual, ReLU, conversion: layer.sums to layer.out, [rows].
void finish_half(const Device& device, std::int64_t rows, const LayerOnDevice& layer);
void finish_float(const Device& device, std::int64_t rows, const LayerOnDevice& layer);

}  // namespace spira::cuda
