// Counts the slots that implicit GEMM multiplies without an input, with and without sorting the outputs by
// their masks (section 4.1 of the TorchSparse++ paper).
#pragma once

#include "engine/map/kernel_map.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace spira {

/// How implicit GEMM processes the outputs of a map.
struct RowSorting {
  /// Number of parts into which the columns are divided. The outputs are sorted for each part on its own. 0
  /// means that the outputs keep their order and that there is one part.
  int splits = 0;
  int tile_rows = 16;  ///< Number of consecutive outputs that are multiplied together.
  auto operator<=>(const RowSorting&) const = default;
};

/// The work of a tile contains all columns in which at least one of its outputs has an input. A slot is the
/// place of one output and one such column.
struct Redundancy {
  RowSorting sorting;
  /// Sum over all parts, tiles and columns: 1 if an output of the tile has an input in this column.
  std::int64_t active = 0;
  std::int64_t pairs = 0;  ///< Number of slots with an input.
  /// Returns the number of multiplied slots per pair. 1 is the minimum. 0 if the map has no pairs.
  [[nodiscard]] double slots_per_pair() const noexcept;
};
/// Counts the redundancy of a map in host memory, once for each element of `wanted`. The result does not
/// depend on the layout of the map. Throws `Error(usage)` if a number of splits is not possible, and
/// `Error(internal)` if the map is not in host memory.
[[nodiscard]] std::vector<Redundancy> redundancy(const KernelMap& map, std::span<const RowSorting> wanted);

}  // namespace spira
