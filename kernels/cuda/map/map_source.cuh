// Finds the input row for an output and a column. The feature kernels use it for map parts of any layout.
#pragma once

#include "engine/map/kernel_map.hpp"
#include "kernels/cuda/device/launch.cuh"

#include <array>
#include <cstdint>
#include <vector>

namespace spira::cuda {

constexpr int max_groups = 49;  // Number of z-groups of the largest kernel (K = 7).
constexpr int slice_rows = 16;  // Number of rows that a warp multiplies at once.

enum class SourceKind : int { words32, words64, dense };

struct MapSource {
  SourceKind kind = SourceKind::words32;
  const void* data = nullptr;
  RowCount outputs;
  std::int64_t row_step = 0, slot_step = 0;
  /// The slot of each column in a dense layout, or -1 if the part does not store the column. It is `nullptr`
  /// if the part stores all columns from first_column to end_column.
  const std::int32_t* slot_of_column = nullptr;
  int groups = 0, z_cells = 1;
  int cube = 0;                          ///< Result of fast_kernel_size().
  int first_column = 0, end_column = 0;  ///< The range of columns that contains all columns of the part.
  /// The output of each row of a mask_sorted part, or `nullptr` if the rows are in their natural order.
  const std::int32_t* order = nullptr;
  /// One mask per z-group, with a bit for each offset that belongs to this part.
  std::uint32_t wanted[max_groups] = {};

  [[nodiscard]] __device__ std::uint64_t word(std::int64_t output, int group) const {
    const std::int64_t at = (output * groups) + group;
    return kind == SourceKind::words32 ? static_cast<const std::uint32_t*>(data)[at]
                                       : static_cast<const std::uint64_t*>(data)[at];
  }
  /// Returns the output whose inputs are stored in a row.
  [[nodiscard]] __device__ std::int64_t output_of(std::int64_t row) const {
    return order == nullptr ? row : __ldg(order + row);
  }
  /// Returns a bit mask of the offsets of a z-group that belong to this part and have an input.
  [[nodiscard]] __device__ std::uint32_t present(std::int64_t output, int group) const {
    if (kind != SourceKind::dense) return static_cast<std::uint32_t>(word(output, group)) & wanted[group];
    std::uint32_t mask = 0;
    for (int iz = 0; iz < z_cells; ++iz) {
      const int column = (group * z_cells) + iz;
      if (stores(column) && *entry(output, column) >= 0) mask |= 1U << static_cast<unsigned>(iz);
    }
    return mask;
  }
  /// Returns the input row at offset `iz` of a z-group, or -1 if no input exists. The column of this offset
  /// must be one of the columns of the part.
  [[nodiscard]] __device__ std::int32_t input(std::int64_t output, int group, int iz) const {
    if (kind == SourceKind::dense) return *entry(output, (group * z_cells) + iz);
    const std::uint64_t run = word(output, group);
    const auto mask = static_cast<std::uint32_t>(run) & ((1U << z_cells) - 1U);
    const std::uint32_t bit = 1U << static_cast<unsigned>(iz);
    if ((mask & bit) == 0) return -1;
    return static_cast<std::int32_t>(run >> z_cells) + __popc(mask & (bit - 1U));
  }

  /// Returns true if the part contains this column.
  [[nodiscard]] __device__ bool stores(int column) const {
    return column >= first_column && column < end_column &&
           (wanted[column / z_cells] >> (column % z_cells) & 1U) != 0;
  }
  /// Returns the address of an entry of a dense layout. The part must contain the column.
  [[nodiscard]] __device__ const std::int32_t* entry(std::int64_t output, int column) const {
    const int slot = slot_of_column == nullptr ? column - first_column : __ldg(slot_of_column + column);
    return static_cast<const std::int32_t*>(data) + (output * row_step) + (slot * slot_step);
  }
};

/// Returns a view of a map part that can be passed to kernels. `slots` receives the memory to which
/// slot_of_column points. It must exist until all kernels that use the view have ended. A view of a
/// mask_sorted part contains one split: its rows are the sorted outputs, and it has only the columns of the
/// split.
[[nodiscard]] inline MapSource source_of(const Device& device, const KernelMap& map,
                                         const KernelMap::Part& part, Buffer& slots, int split = 0) {
  MapSource source;
  source.data = part.entries.data();
  source.outputs = {map.outputs, nullptr};
  source.groups = map.offsets->z_groups();
  source.z_cells = map.offsets->z_cells();
  source.cube = fast_kernel_size(map.offsets->kernel());
  source.end_column = map.offsets->columns();
  for (const int column : part.columns)
    source.wanted[column / source.z_cells] |= 1U << static_cast<unsigned>(column % source.z_cells);
  if (part.layout == MapLayout::z_runs) {
    source.kind = part.word_bits == 32 ? SourceKind::words32 : SourceKind::words64;
    return source;
  }
  source.kind = SourceKind::dense;
  const bool output_major = part.layout == MapLayout::output_major;
  source.row_step = output_major ? static_cast<std::int64_t>(part.columns.size()) : 1;
  source.slot_step = output_major ? 1 : map.outputs;
  const bool sorted = part.layout == MapLayout::mask_sorted;
  if (sorted) {
    const int length = columns_per_split(source.end_column, part.splits);
    const std::int64_t first_row = split * padded_rows_of(map.outputs);
    source.data = values<std::int32_t>(part.entries) + (first_row * length);
    source.order = values<std::int32_t>(part.order) + first_row;
    source.row_step = length;
    source.slot_step = 1;
    source.first_column = split * length;
    source.end_column = std::min(source.first_column + length, source.end_column);
  }
  const auto columns = static_cast<std::size_t>(map.offsets->columns());
  if (part.columns.size() == columns) return source;
  std::vector<std::int32_t> slot_of(columns, -1);
  for (std::size_t slot = 0; slot < part.columns.size(); ++slot)
    slot_of[static_cast<std::size_t>(part.columns[slot])] = static_cast<std::int32_t>(slot);
  slots = table_copy(device, std::span<const std::int32_t>(slot_of));
  source.slot_of_column = values<std::int32_t>(slots);
  return source;
}

/// A view of pair lists in device memory. The lists are stored one column after another. find_tile() divides
/// them into tiles, and each tile contains pairs of only one column.
struct PairSource {
  const int2* pairs = nullptr;
  const std::int32_t* counts = nullptr;   ///< Number of pairs of each stored column. Shape: [stored].
  const std::int32_t* columns = nullptr;  ///< Index of each stored column in the map. Shape: [stored].
  int stored = 0;
  bool swapped = false;  ///< True if the rows of the result are the inputs of the map.
};

struct PairTile {
  int column = 0, count = 0;
  std::int64_t first = 0;  ///< Index of the tile's first pair in the lists.
};

/// Returns the tile with the number `tile`. If there are fewer tiles, returns a tile with count 0. Must be
/// called by all lanes of a warp.
__device__ inline PairTile find_tile(const PairSource& source, std::int64_t tile, int pairs_per_tile) {
  const int lane = static_cast<int>(threadIdx.x & 31U);
  std::int64_t pairs_before = 0, tiles_before = 0;
  for (int first = 0; first < source.stored; first += 32) {
    const int slot = first + lane;
    const int count = slot < source.stored ? source.counts[slot] : 0;
    const int tiles = (count + pairs_per_tile - 1) / pairs_per_tile;
    int pairs_up_to = count, tiles_up_to = tiles;
    for (int step = 1; step < 32; step *= 2) {
      const int more_pairs = __shfl_up_sync(0xFFFFFFFFU, pairs_up_to, step);
      const int more_tiles = __shfl_up_sync(0xFFFFFFFFU, tiles_up_to, step);
      if (lane >= step) {
        pairs_up_to += more_pairs;
        tiles_up_to += more_tiles;
      }
    }
    const bool after = tiles_before + tiles_up_to > tile;
    const unsigned found = __ballot_sync(0xFFFFFFFFU, after);
    if (found != 0) {
      const int owner = __ffs(static_cast<int>(found)) - 1;
      const int own_pairs = __shfl_sync(0xFFFFFFFFU, count, owner);
      const std::int64_t own_first = pairs_before + __shfl_sync(0xFFFFFFFFU, pairs_up_to - count, owner);
      const std::int64_t own_tile =
          tile - tiles_before - __shfl_sync(0xFFFFFFFFU, tiles_up_to - tiles, owner);
      const int begin = static_cast<int>(own_tile) * pairs_per_tile;
      return {source.columns[first + owner], min(pairs_per_tile, own_pairs - begin), own_first + begin};
    }
    pairs_before += __shfl_sync(0xFFFFFFFFU, pairs_up_to, 31);
    tiles_before += __shfl_sync(0xFFFFFFFFU, tiles_up_to, 31);
  }
  return {};
}

}  // namespace spira::cuda
