// Which kernel computes the output-stationary part of a layer in fp16 over a z-run map, and the order of the
// map's rows that it takes. Layers that take the same order share it.
#pragma once

#include "kernels/cuda/conv_kernels.hpp"
#include "kernels/cuda/device.hpp"
#include "kernels/cuda/map_source.cuh"

#include <cstddef>
#include <cstdint>

namespace spira::cuda {

struct OccupancyMap;

enum class HalfKernel : int {
  lists,   ///< few channels, many rows, K = 5: offset_lists.hpp
  tiles,   ///< wide layers on sm_90a: row_slices.hpp
  rows,    ///< weights that fit in shared memory: row_slices.hpp
  groups,  ///< others: group_slices.hpp
  plain,   ///< too wide for those: no order
};

struct HalfChoice {
  HalfKernel kernel = HalfKernel::plain;
  int block_rows = 0;  ///< of lists and groups

  [[nodiscard]] int order() const;  ///< the same number for choices that take the same order
};

[[nodiscard]] HalfChoice choose_half(const Device& device, const LayerOnDevice& layer, int kernel_size,
                                     const MapRows& rows);

/// Bytes of the order that a choice takes.
[[nodiscard]] std::size_t order_bytes(const HalfChoice& choice, std::int64_t outputs, int kernel_size);
/// `order`: order_bytes() of the most outputs. `source`: 32-bit words.
void make_order(const Device& device, const MapSource& source, const HalfChoice& choice, Buffer& order);
/// The same of a map that is found in an occupancy grid, without its words in memory.
void make_order(const Device& device, const OccupancyMap& map, int kernel_size, const HalfChoice& choice,
                Buffer& order);

/// `order`: as make_order() left it. `partial`: partial_bytes() for tiles. Not for a plain choice.
void ordered_half(const Device& device, const MapSource& source, const LayerOnDevice& layer,
                  const HalfChoice& choice, const Buffer& order, float* partial);

}  // namespace spira::cuda
