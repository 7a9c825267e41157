// Device functions that decide which points are inputs of an output, and in which column (see NeighbourTest).
#pragma once

#include "engine/map/neighbourhood.hpp"
#include "kernels/cuda/voxels/positions.cuh"

#include <bit>
#include <cstdint>
#include <limits>

namespace spira::cuda {

/// The numbers of a NeighbourTest. Device code cannot call the functions of NeighbourTest.
struct NativeTest {
  static constexpr int max_half = 3;
  /// NeighbourTest::thresholds up to `half`. The others are larger than every difference.
  std::int32_t thresholds[max_half];
  std::int32_t beyond;  ///< The smallest |d| outside the kernel.
  std::int64_t most_squared;
  int half, window;
  int edge_bits;  ///< Base-2 logarithm of the edge of a cell of the input level, in position units.

  /// `on_grid` is true if all positions are on the grid. Distances are then whole numbers of cells, so a
  /// smaller window can be enough.
  NativeTest(const NeighbourTest& test, int stride, bool on_grid)
      : thresholds{},
        beyond(test.thresholds[test.half]),
        most_squared(test.most_squared),
        half(test.half),
        window(test.window),
        edge_bits(position_bits + std::countr_zero(static_cast<unsigned>(stride))) {
    for (int at = 0; at < max_half; ++at)
      thresholds[at] = at < half ? test.thresholds[at] : std::numeric_limits<std::int32_t>::max();
    while (on_grid && outside(window << edge_bits, 0, 0))
      --window;
  }
  /// Returns the number of cells along an axis of the window.
  [[nodiscard]] __host__ __device__ int side() const { return (2 * window) + 1; }
  /// Returns the column of an input, or -1 if it is not in the neighbourhood.
  [[nodiscard]] __device__ int column(std::int32_t dx, std::int32_t dy, std::int32_t dz) const {
    if (outside(dx, dy, dz)) return -1;
    const int size = (2 * half) + 1;
    return (((index_of(dx) * size) + index_of(dy)) * size) + index_of(dz);
  }
  /// Returns true if no position in a cell can be in the neighbourhood. `cell` leads to the cell from the
  /// cell of the output, and `in_cell` is the position of the output in its cell.
  [[nodiscard]] __device__ bool too_far(int3 cell, int3 in_cell) const {
    return outside(gap(cell.x, in_cell.x), gap(cell.y, in_cell.y), gap(cell.z, in_cell.z));
  }

 private:
  [[nodiscard]] __host__ __device__ bool outside(std::int32_t dx, std::int32_t dy, std::int32_t dz) const {
    if (most_squared >= 0) return squared(dx, dy, dz) > most_squared;
    return dx >= beyond || -dx >= beyond || dy >= beyond || -dy >= beyond || dz >= beyond || -dz >= beyond;
  }
  /// Returns the smallest distance on one axis from an output to a position in a cell.
  [[nodiscard]] __device__ std::int32_t gap(int cell, std::int32_t in_cell) const {
    if (cell == 0) return 0;
    return cell > 0 ? (cell * (1 << edge_bits)) - in_cell : in_cell + 1 - ((cell + 1) * (1 << edge_bits));
  }
  [[nodiscard]] __device__ int index_of(std::int32_t d) const {
    const std::int32_t magnitude = abs(d);
    int cells = 0;
#pragma unroll
    for (const std::int32_t threshold : thresholds)
      cells += magnitude >= threshold ? 1 : 0;
    return half + (d < 0 ? -cells : cells);
  }
  [[nodiscard]] __host__ __device__ static std::int64_t squared(std::int64_t dx, std::int64_t dy,
                                                                std::int64_t dz) {
    return (dx * dx) + (dy * dy) + (dz * dz);
  }
};

}  // namespace spira::cuda
