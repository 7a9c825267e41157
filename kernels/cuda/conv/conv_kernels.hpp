// The feature kernels that convolve() calls, for fp16 and fp32.
#pragma once

#include "kernels/cuda/device/device.hpp"
#include "kernels/cuda/map/map_source.cuh"

#include <cstdint>

namespace spira::cuda {

/// Largest numbers of rows of the map that a layer reads.
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
  unsigned zero = 0;  ///< Always 0, but unknown to the compiler (settle() in conv_fp16.cuh).
  bool relu = false;
  bool reversed = false;  ///< Column k of the map uses the weights of column K^3 - 1 - k.
};

/// `lists` must be made from `source` by offset_lists() with `block_rows`, which must come from
/// best_list_rows().
void lists_fp16(const Device& device, const MapSource& source, const LayerOnDevice& layer,
                const Buffer& lists, int block_rows);
/// Returns the rows per block with which lists_fp16() is expected to be fastest for a layer. Returns 0 if
/// another kernel is faster, or if lists_fp16() cannot compute the layer.
[[nodiscard]] int best_list_rows(const Device& device, const LayerOnDevice& layer, int kernel_size,
                                 const MapRows& rows);
/// `slices` must be made from `source` by group_slices() with `block_rows`, which must come from
/// best_block_rows().
void groups_fp16(const Device& device, const MapSource& source, const LayerOnDevice& layer,
                 const Buffer& slices, int block_rows);
/// Returns the rows per block with which groups_fp16() is expected to be fastest for a layer with `outputs`
/// outputs. Returns 0 if the layer is too wide for it.
[[nodiscard]] int best_block_rows(const Device& device, const LayerOnDevice& layer, int kernel_size,
                                  std::int64_t outputs);
/// Returns true if tiles_fp16() is the fastest kernel for a layer: wide layers with K = 3 or 5, on sm_90a.
[[nodiscard]] bool takes_tiles(const Device& device, const LayerOnDevice& layer, std::int64_t outputs);
/// Returns the bytes of the `partial` buffer of tiles_fp16(): the sums between the sections of a kernel
/// (row_slices.hpp).
[[nodiscard]] std::size_t partial_bytes(const LayerOnDevice& layer, int kernel_size, std::int64_t outputs);
/// `slices` must be made from `source` by row_slices(). `partial` must have partial_bytes().
void tiles_fp16(const Device& device, const MapSource& source, const LayerOnDevice& layer,
                const Buffer& slices, float* partial);
/// Returns true if the weights of a layer fit in the shared memory of a block: the weights of all output
/// channels, of half of them or, for many outputs, of a quarter. rows_fp16() is then the fastest kernel.
[[nodiscard]] bool takes_rows(const Device& device, const LayerOnDevice& layer, int kernel_size,
                              std::int64_t outputs);
/// `slices` must be made from `source` by row_slices().
void rows_fp16(const Device& device, const MapSource& source, const LayerOnDevice& layer,
               const Buffer& slices);
/// Works for every map.
void output_stationary_fp16(const Device& device, const MapSource& source, const LayerOnDevice& layer);
void output_stationary_fp32(const Device& device, const MapSource& source, const LayerOnDevice& layer);
/// Adds to layer.sums. `pairs` is the number of pairs of the part. `mirrored` computes the partner columns of
/// a half map, with input and output of each pair exchanged.
void weight_stationary_fp16(const Device& device, const PairSource& source, std::int64_t pairs, bool mirrored,
                            const LayerOnDevice& layer);
void weight_stationary_fp32(const Device& device, const PairSource& source, std::int64_t pairs, bool mirrored,
                            const LayerOnDevice& layer);
/// Computes layer.out = sums + bias + residual for `rows` rows of layer.sums, with ReLU and conversion to the
/// storage type.
void finish_fp16(const Device& device, std::int64_t rows, const LayerOnDevice& layer);
void finish_fp32(const Device& device, std::int64_t rows, const LayerOnDevice& layer);

}  // namespace spira::cuda
