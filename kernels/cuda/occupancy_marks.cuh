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

/// tiles[tile] += 1 by all active lanes; lanes that have the same tile add together, as neighbours mostly do.
__device__ inline void count_in(std::int32_t* tiles, int tile) {
  const unsigned alike = __match_any_sync(__activemask(), tile);
  if ((threadIdx.x & 31U) == static_cast<unsigned>(__ffs(static_cast<int>(alike)) - 1))
    atomicAdd(tiles + tile, __popc(alike));
}

/// Sets a cell's bit; true for the first that does, which counts the voxel.
__device__ inline bool mark_cell(const OccupancyLevel& level, std::int64_t word, std::uint32_t bit) {
  // Most points of a cell find its bit set: reading is cheaper than an atomic operation that many wait for.
  if ((*static_cast<volatile unsigned*>(&level.words[word].x) & bit) != 0) return false;
  const std::uint32_t before = atomicOr(&level.words[word].x, bit);
  if ((before & bit) != 0) return false;
  if (before == 0) atomicOr(level.used + (word >> 5), 1U << (word & 31));
  count_in(level.tiles, static_cast<int>(word / words_per_tile));
  return true;
}

}  // namespace spira::cuda
