// A z-run map in slices of 16 rows, for the kernels that take each row once with all offsets of a section.
//
// Rows are sorted, 131,072 at a time, by a kind of 14 bits, so that the rows of a slice mostly have the same
// offsets. For up to K = 3 there is one section, and the kind says which of 3 x 3 coarse neighbour columns a
// row has, and what above, beside and below: 1.54 rows of active slots a real pair, where the natural order
// has 3.4 (125,565 voxels of a street, docs/gpu-log.md). At K = 5 no order suits all 125 offsets; so each of
// the five planes of equal dx is a section with an order of its own, 1.56 rows a real pair, and the sums of a
// row wait in memory from one section to the next, or, where few rows leave room on the device, all sections
// run at once and their sums are added up at the end. How rows of one kind follow each other may change from
// run to run; no result depends on it, because a row is added up by itself, section after section.
#pragma once

#include "kernels/cuda/device.hpp"
#include "kernels/cuda/map_source.cuh"

#include <cstddef>
#include <cstdint>

namespace spira::cuda {

struct OccupancyMap;

/// Rows that are sorted together: many, but their features must stay in the L2 cache.
constexpr int sorted_rows = 1 << 17;

/// For device code, which calls no functions of the host.
template <int kernel_size> constexpr int section_count = kernel_size == 5 ? 5 : 1;
template <int kernel_size>
constexpr int section_groups = kernel_size* kernel_size / section_count<kernel_size>;
constexpr int most_sections = 5, most_section_groups = 9;  // where features are added up by sections
[[nodiscard]] constexpr int sections_of(int kernel_size) {
  return kernel_size == 5 ? section_count<5> : 1;
}
[[nodiscard]] constexpr int groups_in_section(int kernel_size) {
  return kernel_size * kernel_size / sections_of(kernel_size);
}

/// One section of a map: z-groups [section * groups, (section + 1) * groups).
struct SectionSlices {
  const std::int32_t* rows;  ///< [slices][16], as of SectionRow
  const uint2* words;        ///< [slices][groups][8]: the words of rows r and r + 8
  /// Work that blocks of threads have taken, a count for each of most_blocks_across. Zero between launches,
  /// so launches that count follow each other.
  unsigned* taken;

  /// [outputs], of all sections together: bit s where a row is in section s. Not for one section.
  const std::uint8_t* with;

  /// Of all sections.
  [[nodiscard]] static std::size_t bytes(std::int64_t outputs, int kernel_size);
  /// As row_slices() laid them out.
  [[nodiscard]] static SectionSlices in(const Buffer& buffer, std::int64_t outputs, int kernel_size,
                                        int section);
};
constexpr int most_blocks_across = 16;

/// `source`: 32-bit words. `slices`: SectionSlices::bytes().
void row_slices(const Device& device, const MapSource& source, Buffer& slices);
/// The same of a map that is found in an occupancy grid, without its words in memory.
void row_slices(const Device& device, const OccupancyMap& map, int kernel_size, Buffer& slices);

}  // namespace spira::cuda
