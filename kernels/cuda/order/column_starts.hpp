// Divides the pair lists of a native map (KernelMap::many()) among blocks of outputs.
//
// The pairs of a column are sorted by output. The pairs of consecutive outputs are therefore one range of the
// column, and the begin of each range is enough to find them: no copy of the pairs is stored.
#pragma once

#include "kernels/cuda/device/device.hpp"

#include <cstddef>
#include <cstdint>

struct int2;

namespace spira::cuda {

/// Number of consecutive outputs in a unit. Blocks of outputs consist of whole units.
constexpr int rows_of_start_unit = 16;

/// The ranges of the pairs of each unit of outputs. They are stored with the map (KernelMap::Part::orders).
struct ColumnStarts {
  /// The index of the first pair of a unit or of a later unit in each column, as uint32. The last row
  /// contains the ends of the columns. Shape: [units + 1][columns].
  Buffer starts;

  [[nodiscard]] std::size_t bytes() const noexcept { return starts.bytes(); }
  [[nodiscard]] static constexpr std::int64_t units(std::int64_t outputs) {
    return (outputs + rows_of_start_unit - 1) / rows_of_start_unit;
  }
  /// Returns the size of the starts of a map, in bytes.
  [[nodiscard]] static constexpr std::size_t bytes_for(std::int64_t outputs, int columns) {
    return static_cast<std::size_t>((units(outputs) + 1) * columns) * sizeof(std::uint32_t);
  }
};

/// Fills `order` for pairs (output, input) that are stored column after column. `counts` is the number of
/// pairs of each column. All columns together must have less than 2^31 pairs.
void column_starts(const Device& device, const int2* pairs, const std::int32_t* counts, int columns,
                   std::int64_t outputs, ColumnStarts& order);

}  // namespace spira::cuda
