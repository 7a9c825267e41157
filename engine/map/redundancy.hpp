// Counts the slots that implicit GEMM multiplies without an input, with and without sorting the outputs by
// their masks (section 4.1 of the TorchSparse++ paper).
#pragma once

#include "engine/map/kernel_map.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace spira {

/// How implicit GEMM processes the outputs of a map.
struct RowSorting {
  /// Number of parts into which the columns are divided. The outputs are sorted for each part on its own. 0
  /// means that the outputs keep their order and that there is one part.
  int splits = 0;
  int tile_rows = 16;  ///< Number of consecutive outputs in a tile, which all use the same columns.
  auto operator<=>(const RowSorting&) const = default;
};
/// The numbers of splits that tables of the redundancy show.
inline constexpr std::array shown_splits{0, 1, 2, 3, 4, 5, 8};
/// Returns the row orders with shown_splits that are possible for `columns` columns, with each height of a
/// tile.
[[nodiscard]] std::vector<RowSorting> shown_row_orders(int columns, std::span<const int> tile_rows);
/// Returns the name of the dataflow with this number of splits: "unsorted" or, for example, "mask-sorted:2".
[[nodiscard]] std::string sorting_text(int splits);

/// The work of a tile contains all columns in which at least one of its outputs has an input. A slot is the
/// combination of one output and one such column.
struct Redundancy {
  RowSorting sorting;
  /// Number of combinations of part, tile and column in which at least one output of the tile has an input.
  std::int64_t active = 0;
  std::int64_t pairs = 0;  ///< Number of slots with an input.
  /// Returns the number of multiplied slots per pair. 1 is the minimum. 0 if the map has no pairs.
  [[nodiscard]] double slots_per_pair() const noexcept;
};
/// Counts the redundancy of a map in host memory, once for each element of `wanted`. The result does not
/// depend on the layout of the map. Throws `Error(usage)` if a number of splits is not possible, and
/// `Error(internal)` if the map is not in host memory.
[[nodiscard]] std::vector<Redundancy> redundancy(const KernelMap& map, std::span<const RowSorting> wanted);

/// A map as a picture: one line per bin of consecutive positions, one column per offset.
struct RowsPicture {
  RowSorting sorting;
  std::int64_t outputs = 0;
  int bins = 0, columns = 0;
  int split_columns = 0;  ///< Number of columns per split. The last split can have fewer.
  /// The share of slots with an input, and the share of slots that are multiplied, from 0 to 1. Shape:
  /// [bins * columns].
  std::vector<float> filled, multiplied;
  /// The output at each position of each split. Shape: [splits * outputs]. Empty if the outputs keep their
  /// order.
  std::vector<std::int32_t> order;
  /// Returns the first position of a bin. `bin` can be `bins`, which returns `outputs`.
  [[nodiscard]] std::int64_t first_position(int bin) const noexcept;
  [[nodiscard]] int bin_of(std::int64_t position) const noexcept;
  [[nodiscard]] int split_of(int column) const noexcept {
    return split_columns > 0 ? column / split_columns : 0;
  }
  /// Returns the outputs in a bin of the split of `column`, in ascending order.
  [[nodiscard]] std::vector<std::int32_t> outputs_of(int bin, int column) const;
  /// Returns the bin that contains an output, for each split. O(splits * outputs).
  [[nodiscard]] std::vector<int> bins_of(std::int32_t output) const;
};
/// Draws the map with at least one and at most `max_bins` bins. Throws the same errors as redundancy().
[[nodiscard]] RowsPicture rows_picture(const KernelMap& map, const RowSorting& sorting, int max_bins);

}  // namespace spira
