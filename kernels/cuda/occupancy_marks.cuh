// How points and voxels set their bits of an occupancy grid.
#pragma once

#include "kernels/cuda/occupancy.cuh"
#include "kernels/cuda/points.cuh"

#include <cstdint>

namespace spira::cuda {

/// The cell of a point; false: it lies outside the box.
__device__ inline bool locate(const PointsOnDevice& points, std::int64_t point, const int (&extent)[3],
                              int (&cell)[3]) {
  for (int axis = 0; axis < 3; ++axis) {
    const std::int64_t at = points.cell(point, axis);
    if (at < 0 || at >= extent[axis]) return false;
    cell[axis] = static_cast<int>(at);
  }
  return true;
}

/// Reading is cheaper than an atomic operation, and most points of a cell find its bit set.
__device__ inline bool is_marked(const OccupancyLevel& level, const CellPlace& cell) {
  const volatile std::uint32_t& bits = level.words[cell.place].x;
  return (bits & cell.mask()) != 0;
}

/// Sets a cell's bit. True for the first that does; where that is not asked, nobody waits for an answer.
__device__ inline bool mark(const OccupancyLevel& level, const CellPlace& cell) {
  const std::uint32_t before = atomicOr(&level.words[cell.place].x, cell.mask());
  level.used[cell.number] = 1;
  if (cell.repeated()) {
    atomicOr(&level.words[cell.place - places_between_words].x, cell.mask_below());
    level.used[cell.number - 1] = 1;
  }
  return (before & cell.mask()) == 0;
}

/// What mark() did.
__device__ inline void unmark(const OccupancyLevel& level, const CellPlace& cell) {
  level.words[cell.place] = {0, 0};
  level.used[cell.number] = 0;
  if (!cell.repeated()) return;
  level.words[cell.place - places_between_words] = {0, 0};
  level.used[cell.number - 1] = 0;
}

}  // namespace spira::cuda
