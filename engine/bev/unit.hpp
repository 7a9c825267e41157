// Defines BevUnit: layers of a bird's-eye view network that run on the same blocks, with one gather and one
// scatter (SBNet paper, sections 3.2 and 3.3).
#pragma once

#include "engine/bev/area.hpp"
#include "engine/network/network.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace spira {

/// Consecutive layers with the same Layer::unit, or one layer without a unit. Each layer has the previous one
/// as its only input. Only the first may have a stride above 1. Only the last may have a residual, which is
/// the input of the unit.
struct BevUnit {
  std::string name;         ///< Layer::unit, or the name of the layer.
  int first = 0, last = 0;  ///< Indices of its layers, both inclusive.
  int source = -1;          ///< Index of the layer whose output it reads. -1 means the input image.
  int stride_in = 1, stride_out = 1;
  int halo = 0;              ///< Cells of the input that a block reads beyond each side of its core.
  bool residual = false;     ///< True if the last layer adds the input of the unit.
  bool keeps_input = false;  ///< True if a later layer reads the input of the unit, or it is a result.

  [[nodiscard]] int step() const noexcept { return stride_out / stride_in; }
  [[nodiscard]] int layers() const noexcept { return last - first + 1; }
  /// Returns the edge b of the input of a block, in cells: step * (core - 1) + 1 + 2 * halo.
  [[nodiscard]] int gathered_edge(int core) const noexcept { return step() * (core - 1) + 1 + 2 * halo; }
  /// Returns the default of BlockShape::reach: halo / step, rounded up.
  [[nodiscard]] int reach() const noexcept { return (halo + step() - 1) / step(); }
};

/// Returns the units of a network in the order of execution. Throws `Error(input)` if faults(network) is not
/// empty or if Network::space is not `bev`.
[[nodiscard]] std::vector<BevUnit> units_of(const Network& network);
/// Returns the coarsest stride of a unit.
[[nodiscard]] int coarsest_stride(const std::vector<BevUnit>& units) noexcept;

/// Returns the number of multiply-adds of a unit for each cell that it computes densely, which is the sum of
/// K^2 * C_in * C_out over its layers.
[[nodiscard]] std::int64_t multiply_adds_per_cell(const Network& network, const BevUnit& unit);
/// Returns the number of multiply-adds of a unit for one block. Its inner layers also compute cells of the
/// halo.
[[nodiscard]] std::int64_t multiply_adds_per_block(const Network& network, const BevUnit& unit, int core);

}  // namespace spira
