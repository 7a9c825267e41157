// Sets and clears the bits of points and voxels in an occupancy grid.
#pragma once

#include "kernels/cuda/voxels/occupancy.cuh"
#include "kernels/cuda/voxels/points.cuh"

#include <cstdint>

namespace spira::cuda {

/// Finds the cell of a point. Returns false if the point lies outside the box.
__device__ inline bool locate(const PointsOnDevice& points, std::int64_t point, const int (&extent)[3],
                              int (&cell)[3]) {
  for (int axis = 0; axis < 3; ++axis) {
    const std::int64_t at = points.cell(point, axis);
    if (at < 0 || at >= extent[axis]) return false;
    cell[axis] = static_cast<int>(at);
  }
  return true;
}

/// Returns true if the bit of a cell is set. Reading is cheaper than an atomic operation, and most points
/// find the bit of their cell set.
__device__ inline bool is_marked(const OccupancyLevel& level, const CellPlace& cell) {
  const volatile std::uint32_t& bits = level.words[cell.place].x;
  return (bits & cell.mask()) != 0;
}

/// Sets the bit of a cell. Returns true for the first caller that sets it. If the result is not used, no
/// thread waits for the atomic operation.
__device__ inline bool mark(const OccupancyLevel& level, const CellPlace& cell) {
  const std::uint32_t before = atomicOr(&level.words[cell.place].x, cell.mask());
  level.used[cell.number] = 1;
  if (cell.repeated()) {
    atomicOr(&level.words[cell.place - places_between_words].x, cell.mask_below());
    level.used[cell.number - 1] = 1;
  }
  return (before & cell.mask()) == 0;
}

/// Undoes mark().
__device__ inline void unmark(const OccupancyLevel& level, const CellPlace& cell) {
  level.words[cell.place] = {0, 0};
  level.used[cell.number] = 0;
  if (!cell.repeated()) return;
  level.words[cell.place - places_between_words] = {0, 0};
  level.used[cell.number - 1] = 0;
}

}  // namespace spira::cuda
