// Sorts the pair lists of a native map by input, for transposed layers.
#pragma once

#include "kernels/cuda/order/column_starts.hpp"

namespace spira::cuda {

/// A copy of the pair lists in which output and input are exchanged. It is stored with the map
/// (KernelMap::Part::orders).
struct PairsByInput {
  Buffer pairs;         ///< (input, output) as int2. Sorted by column, input and output.
  ColumnStarts starts;  ///< The ranges of units of inputs.

  [[nodiscard]] std::size_t bytes() const noexcept { return pairs.bytes() + starts.bytes(); }
};

/// Fills `order`. The arguments are those of column_starts(), with the number of inputs. `number` is the
/// number of pairs of all columns.
void pairs_by_input(const Device& device, const int2* pairs, const std::int32_t* counts, int columns,
                    std::int64_t inputs, std::int64_t number, PairsByInput& order);

}  // namespace spira::cuda
