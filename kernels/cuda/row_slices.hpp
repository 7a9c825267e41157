// A z-run map in slices of 16 rows, for the kernel that takes each row once with all its offsets.
//
// Rows are sorted inside blocks of 1024 by which neighbouring columns of voxels they have, in Gray order, so
// that the rows of a slice mostly have the same offsets: 2.4 rows of active slots a real pair at K = 3 where
// the natural order has 3.4, 4.0 for 4.5 at K = 5 (125,565 voxels of a street, docs/gpu-log.md).
#pragma once

#include "kernels/cuda/device.hpp"
#include "kernels/cuda/map_source.cuh"

#include <cstddef>
#include <cstdint>

namespace spira::cuda {

struct OccupancyMap;

constexpr int sorted_rows = 1024;  ///< rows that are sorted together

struct RowSlices {
  const std::int32_t* rows;  ///< [slices][16], -1: none
  const uint2* words;        ///< [slices][groups][8]: the words of rows r and r + 8
  [[nodiscard]] static std::size_t bytes(std::int64_t outputs, int groups);
  /// As row_slices() laid them out.
  [[nodiscard]] static RowSlices in(const Buffer& buffer, std::int64_t outputs);
};

/// `source`: 32-bit words. `slices`: RowSlices::bytes().
void row_slices(const Device& device, const MapSource& source, Buffer& slices);
/// The same of a map that is found in an occupancy grid, without its words in memory.
void row_slices(const Device& device, const OccupancyMap& map, int kernel_size, Buffer& slices);

}  // namespace spira::cuda
