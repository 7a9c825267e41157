// A z-run map in the order in which the output-stationary kernel takes it.
//
// Rows of a block are sorted by their presence bits once for EACH z-group, and rows without any are left out.
// A slice of 16 rows then has few idle (row, offset) pairs: 1.2 to 1.6 rows a real pair, where one order for
// all offsets has 2.5 to 4.3 (docs/gpu-log.md).
#pragma once

#include "kernels/cuda/device.hpp"
#include "kernels/cuda/map_source.cuh"

#include <cstdint>

namespace spira::cuda {

constexpr int least_block_rows = 64, most_block_rows = 1024;

/// A word of the map and the row of the block that it belongs to.
struct SliceEntry {
  std::uint32_t word;
  std::uint32_t row;
};

struct GroupSlices {
  int block_rows = 0;          ///< a multiple of 32
  const SliceEntry* entries;   ///< [blocks][groups][block_rows], the first counts[..] of them are in use
  const std::int32_t* counts;  ///< [blocks][groups]
  [[nodiscard]] static std::size_t bytes(std::int64_t outputs, int groups, int block_rows);
  /// As group_slices() laid them out.
  [[nodiscard]] static GroupSlices in(const Buffer& buffer, std::int64_t outputs, int groups, int block_rows);
};

/// Shared memory of the kernel that sorts a block.
[[nodiscard]] constexpr std::size_t bytes_to_sort(int kernel_size, int block_rows) {
  return static_cast<std::size_t>(kernel_size * kernel_size) *
         ((sizeof(int) << static_cast<unsigned>(kernel_size)) +
          (sizeof(std::uint16_t) * static_cast<std::size_t>(block_rows)));
}

/// `source`: 32-bit words. `slices`: GroupSlices::bytes() of the most outputs.
void group_slices(const Device& device, const MapSource& source, int block_rows, Buffer& slices);
/// The same of a map that is found in an occupancy grid, without its words in memory.
struct OccupancyMap;
void group_slices(const Device& device, const OccupancyMap& map, int kernel_size, int block_rows,
                  Buffer& slices);

}  // namespace spira::cuda
