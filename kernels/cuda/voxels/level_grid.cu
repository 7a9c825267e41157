// Marks, ranks and clears the occupancy grid of one level. Used by the stages "pack" and "sort" and by
// down-sampling.
#include "kernels/cuda/voxels/keys.cuh"
#include "kernels/cuda/voxels/level_grid.hpp"
#include "kernels/cuda/voxels/occupancy.cuh"

#include <algorithm>
#include <bit>
#include <span>

namespace spira::cuda {
namespace {

constexpr std::size_t max_bytes = std::size_t{64} << 20U;  // With this limit, grid positions fit in 32 bits.
constexpr std::size_t min_bytes = std::size_t{1} << 20U;  // Clearing this size takes no longer than a launch.
constexpr std::size_t bytes_of_row = 64 * sizeof(uint2);

__global__ void mark_points_kernel(const __grid_constant__ PointsOnDevice points, std::int64_t count,
                                   const __grid_constant__ Occupancy grid, GridFound* found,
                                   std::int32_t* positions, std::int32_t* hits) {
  const std::int64_t point = (static_cast<std::int64_t>(blockIdx.x) * blockDim.x) + threadIdx.x;
  if (point >= count) return;
  int cell[3] = {};
  const bool kept = points.keeps(point), inside = kept && locate(points, point, grid.extent, cell);
  const OccupancyLevel& level = grid.levels[0];
  const CellPlace place(level, {cell[0], cell[1], cell[2]});
  if (inside && !is_marked(level, place)) mark(level, place);
  if (kept && !inside) found->outside = 1;
  positions[point] =
      inside ? static_cast<std::int32_t>((place.place << 5U) + static_cast<unsigned>(place.bit)) : -1;
  hits[point] = 0;
  if (point == 0) hits[count] = 0;
}

template <class Key>
__global__ void mark_keys_kernel(const Key* keys, std::int64_t count, Key mask,
                                 const __grid_constant__ Occupancy grid, GridFound* found) {
  const std::int64_t at = (static_cast<std::int64_t>(blockIdx.x) * blockDim.x) + threadIdx.x;
  bool first = false;
  // Most neighbours in z are in the same cell. Only the first of them marks the cell.
  if (at < count && (at == 0 || ((keys[at] ^ keys[at - 1]) & mask) != 0)) {
    const OccupancyLevel& level = grid.levels[0];
    const Cell cell = cell_of(grid.pack, keys[at], level.shift);
    const CellPlace place(level, cell);
    if (cell.x < level.nx - (2 * margin) && cell.y < level.ny - (2 * margin) && place.word < level.nw) {
      first = !is_marked(level, place) && mark(level, place);
    } else {
      found->outside = 1;
    }
  }
  const int marked = __syncthreads_count(first ? 1 : 0);
  if (threadIdx.x == 0 && marked != 0) {
    atomicAdd(reinterpret_cast<unsigned long long*>(&found->voxels), static_cast<unsigned long long>(marked));
  }
}

__global__ void rows_kernel(const __grid_constant__ OccupancyLevel level, std::int32_t* positions,
                            std::int64_t count, std::int32_t* slots, std::int32_t* hits, GridFound* found) {
  const std::int64_t point = (static_cast<std::int64_t>(blockIdx.x) * blockDim.x) + threadIdx.x;
  if (point >= count) return;
  const std::int32_t position = positions[point];
  if (position < 0) return;
  const uint2 word = __ldg(level.words + (position >> 5));
  const auto row = static_cast<std::int32_t>(word.y) + __popc(word.x & ((1U << (position & 31)) - 1U));
  const std::int32_t slot = atomicAdd(hits + row, 1);
  positions[point] = row;
  slots[point] = slot;
  if (slot >= max_in_order) found->crowded = 1;
}

/// Clears all memory that the marking and the counting have changed.
template <class Key>
__global__ void unmark_kernel(const Key* keys, std::int64_t count, const __grid_constant__ Occupancy grid,
                              GridFound* found) {
  const std::int64_t at = (static_cast<std::int64_t>(blockIdx.x) * blockDim.x) + threadIdx.x;
  const OccupancyLevel& level = grid.levels[0];
  if (at == 0) *found = {};
  if (at < level.tile_count) level.tiles[at] = 0;
  if (at < count) unmark(level, CellPlace(level, cell_of(grid.pack, keys[at], level.shift)));
}

}  // namespace

bool suits_grid(const std::array<std::int64_t, 3>& extent, int stride, std::int64_t rows) {
  const SceneLevel level(stride);
  constexpr std::int64_t longest = std::int64_t{1} << 30U;
  if (*std::max_element(extent.begin(), extent.end()) > longest) return false;
  const std::size_t bytes = occupancy_bytes(extent, std::span<const SceneLevel>(&level, 1));
  return bytes <= max_bytes && bytes <= std::max(min_bytes, static_cast<std::size_t>(rows) * bytes_of_row);
}

LevelGrid::LevelGrid(const Device& device, const PackSpec& pack, const std::array<std::int64_t, 3>& extent,
                     int stride) {
  const LevelShape shape(extent, stride);
  const auto words = static_cast<std::size_t>(shape.words()), tiles = static_cast<std::size_t>(shape.tiles()),
             flags = static_cast<std::size_t>(shape.flags());
  memory_ = Zeros(device, (words * sizeof(uint2)) + sizeof(GridFound) + (tiles * sizeof(TileSum)) + flags);
  auto* word = static_cast<uint2*>(memory_.data());
  auto* use = reinterpret_cast<std::uint8_t*>(word + words);
  found_ = reinterpret_cast<GridFound*>(use + flags);
  auto* tile = reinterpret_cast<TileSum*>(found_ + 1);
  grid_.level_count = 1;
  grid_.pack = pack;
  for (std::size_t axis = 0; axis < 3; ++axis)
    grid_.extent[axis] = static_cast<int>(extent.at(axis));
  grid_.levels[0] = {word,
                     use,
                     tile,
                     nullptr,
                     nullptr,
                     0,
                     shape.nx,
                     shape.ny,
                     shape.nw,
                     shift_of(stride),
                     0,
                     shape.tiles(),
                     shape.tile_words(),
                     {}};
}

void LevelGrid::mark_points(const Device& device, const PointsOnDevice& points, std::int64_t count,
                            std::int32_t* positions, std::int32_t* hits) {
  mark_points_kernel<<<blocks_for(count), threads_per_block, 0, device.stream>>>(points, count, grid_, found_,
                                                                                 positions, hits);
  SPIRA_CUDA(cudaGetLastError());
}

void LevelGrid::mark_keys(const Device& device, const void* keys, std::int64_t count) {
  const int stride = 1 << grid_.levels[0].shift.x;
  visit_key(grid_.pack, [&]<class Key>(Key) {
    const auto mask = static_cast<Key>(grid_.pack.round_down_mask(stride));
    mark_keys_kernel<<<blocks_for(count), threads_per_block, 0, device.stream>>>(
        static_cast<const Key*>(keys), count, mask, grid_, found_);
  });
  SPIRA_CUDA(cudaGetLastError());
}

void LevelGrid::rank(const Device& device, void* keys, std::int64_t capacity, std::int64_t* count) {
  OccupancyLevel& level = grid_.levels[0];
  level.keys = keys;
  level.capacity = capacity;
  level.count = count;
  rank_levels(device, grid_);
}

void LevelGrid::find_rows(const Device& device, std::int32_t* positions, std::int64_t count,
                          std::int32_t* slots, std::int32_t* hits) {
  rows_kernel<<<blocks_for(count), threads_per_block, 0, device.stream>>>(grid_.levels[0], positions, count,
                                                                          slots, hits, found_);
  SPIRA_CUDA(cudaGetLastError());
}

void LevelGrid::empty(const Device& device, const void* keys, std::int64_t count) {
  visit_key(grid_.pack, [&]<class Key>(Key) {
    const std::int64_t items = std::max<std::int64_t>(count, grid_.levels[0].tile_count);
    unmark_kernel<<<blocks_for(items), threads_per_block, 0, device.stream>>>(static_cast<const Key*>(keys),
                                                                              count, grid_, found_);
  });
  SPIRA_CUDA(cudaGetLastError());
  memory_.keep();
}

GridFound LevelGrid::found(const Device& device) const {
  const GridFound found = read_value(device, found_);
  SPIRA_ASSERT(found.outside == 0, "a voxel is outside the extent of its level");
  return found;
}

}  // namespace spira::cuda
