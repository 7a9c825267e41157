// Where each gathered row comes from and which product rows each output adds up.
#pragma once

#include "engine/map/kernel_map.hpp"
#include "kernels/cuda/device.hpp"
#include "kernels/cuda/gather_groups.hpp"

#include <cstdint>
#include <vector>

namespace spira::cuda {

struct GatherIndex {
  GatherGroups plan;
  /// Of a submanifold map, whose centre column has each row as its own input: it is multiplied without being
  /// gathered, and its products come before all others. -1: none.
  int centre = -1;
  std::int64_t results = 0;  ///< rows of the layer's output
  Buffer columns;            ///< plan.columns on the device
  Buffer inputs;             ///< int32 [plan.rows]: input row of each gathered row, -1: left empty
  Buffer first;              ///< int32 [results + 1]: where the products of an output begin in `rows`
  Buffer rows;               ///< int32 [pairs]: product rows, output by output, in ascending order
  [[nodiscard]] std::size_t bytes() const noexcept {
    return columns.bytes() + inputs.bytes() + first.bytes() + rows.bytes();
  }
  /// Product rows of the centre, which stand before the gathered ones.
  [[nodiscard]] std::int64_t centre_rows() const noexcept { return centre < 0 ? 0 : results; }
};

/// The columns of a map of pair lists, the centre of a submanifold one left out. Waits: counts are read back.
[[nodiscard]] std::vector<GatherColumn> gather_columns_of(const Device& device, const KernelMap& map,
                                                          bool transposed);
/// Queues on the stream.
[[nodiscard]] GatherIndex gather_index(const Device& device, const KernelMap& map, bool transposed,
                                       GatherGroups plan);

}  // namespace spira::cuda
