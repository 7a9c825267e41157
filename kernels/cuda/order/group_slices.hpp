// The row order of a z-run map for the output-stationary kernel conv_fp16_groups.
//
// The rows of a block are sorted by presence bits separately for EACH z-group, and rows without any bits are
// left out. A slice of 16 rows then has few idle (row, offset) pairs: 1.2 to 1.6 rows per real pair. With
// one order for all offsets, there are 2.5 to 4.3 (docs/gpu-log.md).
#pragma once

#include "kernels/cuda/device/device.hpp"
#include "kernels/cuda/map/map_source.cuh"

#include <cstdint>

namespace spira::cuda {

constexpr int min_block_rows = 64, max_block_rows = 1024;

/// A word of the map, and the row of the block to which the word belongs.
struct SliceEntry {
  std::uint32_t word;
  std::uint32_t row;
};

struct GroupSlices {
  int block_rows = 0;         ///< Rows per block; a multiple of 32.
  const SliceEntry* entries;  ///< [blocks][groups][block_rows]; only the first counts[...] entries are valid.
  const std::int32_t* counts;  ///< [blocks][groups]: number of valid entries.
  [[nodiscard]] static std::size_t bytes(std::int64_t outputs, int kernel_size, int block_rows);
  /// Finds the arrays in a buffer that group_slices() has filled.
  [[nodiscard]] static GroupSlices in(const Buffer& buffer, std::int64_t outputs, int groups, int block_rows);
};

/// Returns the shared memory of the kernel that sorts a block, in bytes.
[[nodiscard]] constexpr std::size_t bytes_to_sort(int kernel_size, int block_rows) {
  return static_cast<std::size_t>(kernel_size * kernel_size) *
         ((sizeof(int) << static_cast<unsigned>(kernel_size)) +
          (sizeof(std::uint16_t) * static_cast<std::size_t>(block_rows)));
}

/// Fills `slices`, which must have GroupSlices::bytes() for the largest number of outputs. `source` must have
/// 32-bit words.
void group_slices(const Device& device, const MapSource& source, int block_rows, Buffer& slices);
struct OccupancyMap;
/// Fills `slices` for a map whose words are computed from an occupancy grid and not stored in memory.
void group_slices(const Device& device, const OccupancyMap& map, int kernel_size, int block_rows,
                  Buffer& slices);

}  // namespace spira::cuda
