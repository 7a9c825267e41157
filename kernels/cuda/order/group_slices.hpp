// The row order of a z-run map for the output-stationary kernels in conv_fp16_groups.cu.
//
// The presence bits of a row show at which offsets of a z-group the row has an input. The rows of a block are
// sorted by presence bits, separately for EACH z-group. Rows without any bits are omitted. The kernels
// multiply slices of 16 rows. If a row of a slice has no input at the current offset, the product of this row
// is wasted. With this order, the kernels compute 1.2 to 1.6 products per pair of the map. With a single
// order for all offsets, they compute 2.5 to 4.3 (docs/gpu-log.md).
#pragma once

#include "kernels/cuda/device/device.hpp"
#include "kernels/cuda/map/map_source.cuh"

#include <cstdint>

namespace spira::cuda {

constexpr int min_block_rows = 64, max_block_rows = 1024;

/// A z-run word of the map, and the index of its row within the block.
struct SliceEntry {
  std::uint32_t word;
  std::uint32_t row;
};

struct GroupSlices {
  int block_rows = 0;  ///< Number of rows per block. It is a multiple of 32.
  /// Shape: [blocks][groups][block_rows]. Only the first counts[block][group] entries of each list are valid.
  const SliceEntry* entries;
  const std::int32_t* counts;  ///< Shape: [blocks][groups]. Number of valid entries.
  [[nodiscard]] static std::size_t bytes(std::int64_t outputs, int kernel_size, int block_rows);
  /// Returns pointers to the arrays in a buffer that group_slices() has filled.
  [[nodiscard]] static GroupSlices in(const Buffer& buffer, std::int64_t outputs, int groups, int block_rows);
};

/// Returns the size in bytes of the shared memory that the kernel needs to sort a block of rows.
[[nodiscard]] constexpr std::size_t bytes_to_sort(int kernel_size, int block_rows) {
  return static_cast<std::size_t>(kernel_size * kernel_size) *
         ((sizeof(int) << static_cast<unsigned>(kernel_size)) +
          (sizeof(std::uint16_t) * static_cast<std::size_t>(block_rows)));
}

/// Fills `slices`, whose size must be GroupSlices::bytes() for the largest number of outputs. `source` must
/// have 32-bit words.
void group_slices(const Device& device, const MapSource& source, int block_rows, Buffer& slices);
struct OccupancyMap;
/// Fills `slices` for a map whose words are computed from an occupancy grid and are not stored in memory.
void group_slices(const Device& device, const OccupancyMap& map, int kernel_size, int block_rows,
                  Buffer& slices);

}  // namespace spira::cuda
