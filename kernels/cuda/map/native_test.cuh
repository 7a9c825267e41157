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

  NativeTest(const NeighbourTest& test, int stride)
      : thresholds{},
        beyond(test.thresholds[test.half]),
        most_squared(test.most_squared),
        half(test.half),
        window(test.window),
        edge_bits(position_bits + std::countr_zero(static_cast<unsigned>(stride))) {
    for (int at = 0; at < max_half; ++at)
      thresholds[at] = at < half ? test.thresholds[at] : std::numeric_limits<std::int32_t>::max();
  }
  /// Returns the number of cells along an axis of the window.
  [[nodiscard]] __host__ __device__ int side() const { return (2 * window) + 1; }
  /// Returns the column of an input, or -1 if it is not in the neighbourhood.
  [[nodiscard]] __device__ int column(std::int32_t dx, std::int32_t dy, std::int32_t dz) const {
    const bool outside =
        most_squared < 0 ? max(max(abs(dx), abs(dy)), abs(dz)) >= beyond : squared(dx, dy, dz) > most_squared;
    if (outside) return -1;
    const int size = (2 * half) + 1;
    return (((index_of(dx) * size) + index_of(dy)) * size) + index_of(dz);
  }

 private:
  [[nodiscard]] __device__ int index_of(std::int32_t d) const {
    const std::int32_t magnitude = abs(d);
    int cells = 0;
#pragma unroll
    for (const std::int32_t threshold : thresholds)
      cells += magnitude >= threshold ? 1 : 0;
    return half + (d < 0 ? -cells : cells);
  }
  [[nodiscard]] __device__ static std::int64_t squared(std::int64_t dx, std::int64_t dy, std::int64_t dz) {
    return (dx * dx) + (dy * dy) + (dz * dz);
  }
};

}  // namespace spira::cuda
