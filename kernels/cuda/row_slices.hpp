// A z-run map in slices of 16 rows, for the kernel that takes each row once with all its offsets.
//
// Rows are sorted, 131,072 at a time, by which of 3 x 3 coarse neighbour columns they have, and then by what
// they have above, beside and below. So the rows of a slice mostly have the same offsets: 1.54 rows of active
// slots a real pair at K = 3, where the natural order has 3.4 and sorting 1,024 at a time 2.4 (125,565 voxels
// of a street, docs/gpu-log.md). How rows of one kind follow each other may change from run to run; no
// result depends on it, because a row is added up by itself.
#pragma once

#include "kernels/cuda/device.hpp"
#include "kernels/cuda/map_source.cuh"

#include <cstddef>
#include <cstdint>

namespace spira::cuda {

struct OccupancyMap;

/// Rows that are sorted together: many, but their features must stay in the L2 cache.
constexpr int sorted_rows = 1 << 17;

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
