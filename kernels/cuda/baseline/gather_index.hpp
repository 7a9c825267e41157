// The index for gather-GEMM-scatter. For each gathered row, it stores the input row. For each output, it
// stores the product rows that must be added.
#pragma once

#include "engine/map/kernel_map.hpp"
#include "kernels/cuda/baseline/gather_groups.hpp"
#include "kernels/cuda/device/device.hpp"

#include <cstdint>
#include <vector>

namespace spira::cuda {

struct GatherIndex {
  GatherGroups plan;
  /// The centre column of a submanifold map, or -1 if the map has none. In the centre column, output i has
  /// input i, so this column is multiplied without a gather. Its product rows come before all others.
  int centre = -1;
  std::int64_t results = 0;  ///< Number of rows of the layer's output.
  Buffer columns;
  Buffer inputs;  ///< int32 [plan.rows]: the input row of each gathered row, or -1 for a padding row.
  Buffer first;   ///< int32 [results + 1]: index in `rows` of the first product row of each output.
  Buffer rows;    ///< int32 [pairs]: the product rows of each output, in ascending order.
  [[nodiscard]] std::size_t bytes() const noexcept {
    return columns.bytes() + inputs.bytes() + first.bytes() + rows.bytes();
  }
  /// Returns the number of product rows of the centre column. They precede the product rows of the gathered
  /// rows.
  [[nodiscard]] std::int64_t centre_rows() const noexcept { return centre < 0 ? 0 : results; }
};

/// Returns the columns of a map in pair_lists layout, without the centre of a submanifold map. Waits for the
/// device, because it copies the numbers of pairs to the host.
[[nodiscard]] std::vector<GatherColumn> gather_columns_of(const Device& device, const KernelMap& map,
                                                          bool transposed);
/// Builds the index of a map. Queues the work on the stream and does not wait for the work.
[[nodiscard]] GatherIndex gather_index(const Device& device, const KernelMap& map, bool transposed,
                                       GatherGroups plan);

}  // namespace spira::cuda
