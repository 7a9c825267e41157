// Chooses the kernel for the output-stationary part of a layer in fp16 over a z-run map, and makes the row
// order that this kernel reads. Layers that read the same order share it.
#pragma once

#include "kernels/cuda/conv/conv_kernels.hpp"
#include "kernels/cuda/device/device.hpp"
#include "kernels/cuda/map/map_source.cuh"

#include <cstddef>
#include <cstdint>

namespace spira::cuda {

struct OccupancyMap;

enum class Fp16Kernel : int {
  lists,   ///< Few channels, many rows, K = 5 (offset_lists.hpp).
  tiles,   ///< Wide layers on sm_90a (row_slices.hpp).
  rows,    ///< Layers whose weights fit in shared memory (row_slices.hpp).
  groups,  ///< All other layers (group_slices.hpp).
  plain,   ///< Layers that are too wide for the other kernels; reads no order.
};

struct Fp16Choice {
  Fp16Kernel kernel = Fp16Kernel::plain;
  int block_rows = 0;  ///< Rows per block; for lists and groups only.

  /// Returns the same number for choices that read the same order.
  [[nodiscard]] int order() const;
};

[[nodiscard]] Fp16Choice choose_fp16(const Device& device, const LayerOnDevice& layer, int kernel_size,
                                     const MapRows& rows);

/// Returns the bytes of the order that a choice reads.
[[nodiscard]] std::size_t order_bytes(const Fp16Choice& choice, std::int64_t outputs, int kernel_size);
/// Fills `order`, which must have order_bytes() for the largest number of outputs. `source` must have 32-bit
/// words.
void make_order(const Device& device, const MapSource& source, const Fp16Choice& choice, Buffer& order);
/// Does the same for a map that is found in an occupancy grid. The words of the map are not stored in memory.
void make_order(const Device& device, const OccupancyMap& map, int kernel_size, const Fp16Choice& choice,
                Buffer& order);

/// Computes the layer. `order` must come from make_order(). The tiles kernel needs partial_bytes() in
/// `partial`. The choice must not be plain.
void ordered_fp16(const Device& device, const MapSource& source, const LayerOnDevice& layer,
                  const Fp16Choice& choice, const Buffer& order, float* partial);

}  // namespace spira::cuda
