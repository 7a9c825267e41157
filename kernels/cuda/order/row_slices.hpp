// Row orders sort the rows of a z-run map for the fp16 kernels. Rows that are multiplied together then have
// inputs at the same offsets. There are three row orders: row slices (this file), group_slices.hpp and
// offset_lists.hpp.
//
// Row slices divide the rows of a map into slices of 16, for kernels that multiply a slice with all offsets
// of a section.
//
// Each row has a kind, a number of 14 bits that describes at which offsets the row has inputs. Rows are
// sorted by kind, 131,072 rows at a time. The rows of a slice then mostly have inputs at the same offsets.
// For K <= 3, there is one section. The kind then encodes the 3 x 3 coarse neighbour columns in which a row
// has inputs, and whether it has inputs above, beside and below. With this order, the kernels compute 1.54
// products per pair of the map. Without it, they compute 3.4 (125,565 voxels of a street, docs/gpu-log.md).
//
// For K = 5, no single order suits all 125 offsets. Therefore each of the five planes of equal dx is a
// section with a separate order. The kernels then compute 1.56 products per pair. Between two sections, the
// sums of a row are stored in memory. If there are too few rows to fill the device, all sections run at once
// and their sums are added at the end.
//
// The order of rows of the same kind may change from run to run. The results do not depend on it, because
// each row is summed separately, one section after another.
#pragma once

#include "kernels/cuda/device/device.hpp"
#include "kernels/cuda/map/map_source.cuh"

#include <cstddef>
#include <cstdint>

namespace spira::cuda {

struct OccupancyMap;

/// Number of rows that are sorted together. With a larger number, slices have fewer wasted products. However,
/// the features of all rows that are sorted together must fit in the L2 cache.
constexpr int sorted_rows = 1 << 17;

/// The values below are variable templates, because device code cannot call host functions.
template <int kernel_size> constexpr int section_count = kernel_size == 5 ? 5 : 1;
template <int kernel_size>
constexpr int section_groups = kernel_size* kernel_size / section_count<kernel_size>;
// Maximum values of section_count and section_groups.
constexpr int max_sections = 5, max_section_groups = 9;
[[nodiscard]] constexpr int sections_of(int kernel_size) {
  return kernel_size == 5 ? section_count<5> : 1;
}
[[nodiscard]] constexpr int groups_in_section(int kernel_size) {
  return kernel_size * kernel_size / sections_of(kernel_size);
}

/// One section of a map, which contains the z-groups [section * groups, (section + 1) * groups).
struct SectionSlices {
  const std::int32_t* rows;  ///< Shape: [slices][16]. Codes that SectionRow decodes.
  const uint2* words;        ///< Shape: [slices][groups][8]. The words of rows r and r + 8.
  /// Work counters of the kernels: one counter for each blockIdx.y, which is less than max_blocks_across.
  /// Thread blocks increment their counter to get their next slices. The counters are zero between launches.
  /// Launches that use them must not overlap.
  unsigned* taken;

  /// For each row, a bit mask of its sections: bit s is set if the row is in section s. Shape: [outputs]. All
  /// sections share the array. The array is not filled if there is only one section.
  const std::uint8_t* with;

  /// Returns the size of all sections, in bytes.
  [[nodiscard]] static std::size_t bytes(std::int64_t outputs, int kernel_size);
  /// Returns pointers to the arrays of one section in a buffer that row_slices() has filled.
  [[nodiscard]] static SectionSlices in(const Buffer& buffer, std::int64_t outputs, int kernel_size,
                                        int section);
};
constexpr int max_blocks_across = 16;

/// Fills `slices`, whose size must be SectionSlices::bytes(). `source` must have 32-bit words.
void row_slices(const Device& device, const MapSource& source, Buffer& slices);
/// Fills `slices` for a map whose words are computed from an occupancy grid and are not stored in memory.
void row_slices(const Device& device, const OccupancyMap& map, int kernel_size, Buffer& slices);

// Two flag bits of the codes in SectionSlices::rows. The lower 29 bits contain the row number. 29 bits are
// enough, because the words of a map with K = 3 have only 29 bits for a row number as well.
constexpr std::int32_t earlier_bit = 1 << 30, later_bit = 1 << 29;

struct SectionRow {
  std::int32_t row = -1;  ///< Output row, or -1 if this position of the slice contains no row.
  bool earlier = false;   ///< True if an earlier section has stored sums of this row in memory.
  bool later = false;     ///< True if the row has inputs in a later section.

  SectionRow() = default;
  __device__ explicit SectionRow(std::int32_t code)
      : row(code < 0 ? -1 : code & (later_bit - 1)),
        earlier(code >= 0 && (code & earlier_bit) != 0),
        later(code >= 0 && (code & later_bit) != 0) {}
};

}  // namespace spira::cuda
