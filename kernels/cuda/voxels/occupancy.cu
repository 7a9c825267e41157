// Kernels of the occupancy grid: they mark points, compute input features, clear the grid, and compute the
// words of maps.
#include "kernels/cuda/voxels/occupancy.cuh"
#include "kernels/cuda/voxels/occupancy.hpp"

#include <cuda_fp16.h>

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

namespace spira::cuda {
namespace {

constexpr int beyond_grid = -2;  // If a range ends at this cell, the range leaves the grid.

/// Sets the bits of all cells that a voxel of level 0 reaches on a level with the reached rule. If one of
/// these cells is outside the grid, sets no bits and returns false.
__device__ bool mark_reached(const OccupancyLevel& level, const int (&cell)[3]) {
  const int2 x = __ldg(level.reach[0] + cell[0]), y = __ldg(level.reach[1] + cell[1]),
             z = __ldg(level.reach[2] + cell[2]);
  if (x.y == beyond_grid || y.y == beyond_grid || z.y == beyond_grid) return false;
  for (int at_x = x.x; at_x <= x.y; ++at_x) {
    for (int at_y = y.x; at_y <= y.y; ++at_y) {
      for (int at_z = z.x; at_z <= z.y; ++at_z) {
        const CellPlace place(level, {at_x, at_y, at_z});
        if (!is_marked(level, place)) mark(level, place);
      }
    }
  }
  return true;
}

/// Sets the bits of the cells that contain each point, at each level. If a bit is already set at level 0,
/// another thread sets the bits of this cell at all levels, so the thread returns. If all levels have the
/// floor rule, the same applies to a bit that is already set at any level, because another thread sets the
/// bits of the coarser levels.
__global__ void mark_kernel(const __grid_constant__ PointsOnDevice points, RowCount count,
                            const __grid_constant__ Occupancy grid) {
  const std::int64_t point = (static_cast<std::int64_t>(blockIdx.x) * blockDim.x) + threadIdx.x;
  if (point >= count.get() || !points.keeps(point)) return;
  int cell[3];
  if (!locate(points, point, grid.extent, cell)) {
    grid.status->outside = 1;
    return;
  }
  for (int at = 0; at < grid.level_count; ++at) {
    const OccupancyLevel& level = grid.levels[at];
    if (level.reach[0] != nullptr) {
      if (!mark_reached(level, cell)) grid.status->outside = 1;
      continue;
    }
    const CellPlace place(level,
                          {cell[0] >> level.shift.x, cell[1] >> level.shift.y, cell[2] >> level.shift.z});
    if (!is_marked(level, place)) {
      mark(level, place);
    } else if (at == 0 || grid.all_floor) {
      return;
    }
  }
}

template <class Value> struct MeanTask {
  PointsOnDevice points;
  MeanInputs inputs;
  MeanSums sums;
  OccupancyLevel level;
  int extent[3];
  Value* features;
  int stride;  ///< Number of values from the start of one row of `features` to the start of the next.
};

template <class Value>
__global__ void add_kernel(const __grid_constant__ MeanTask<Value> task, RowCount count) {
  const std::int64_t point = (static_cast<std::int64_t>(blockIdx.x) * blockDim.x) + threadIdx.x;
  if (point >= count.get() || !task.points.keeps(point)) return;
  int cell[3];
  if (!locate(task.points, point, task.extent, cell)) return;
  const CellPlace place(task.level, {cell[0], cell[1], cell[2]});
  const std::int64_t voxel = place.row(__ldg(task.level.words + place.place));
  if (voxel >= task.level.capacity) return;
  atomicAdd(task.sums.hits + voxel, 1);
  if (task.inputs.feature_channels != 0) {
    const int channels = task.inputs.feature_channels;
    for (int channel = 0; channel < channels; ++channel)
      atomicAdd(task.sums.sums + (voxel * channels) + channel, task.inputs.feature(point, channel));
    return;
  }
  for (int channel = 0; channel < position_channels; ++channel)
    atomicAdd(task.sums.sums + (voxel * position_channels) + channel,
              task.inputs.position_value(point, channel));
}

template <class Value> __global__ void mean_kernel(const __grid_constant__ MeanTask<Value> task) {
  const std::int64_t at = (static_cast<std::int64_t>(blockIdx.x) * blockDim.x) + threadIdx.x;
  const std::int64_t voxel = at / position_channels;
  const bool there = voxel < task.level.rows().get();
  const int hits = there ? task.sums.hits[voxel] : 1;
  __syncwarp();
  if (!there) return;
  task.features[at] = static_cast<Value>(static_cast<float>(task.sums.sums[at] / hits));
  task.sums.sums[at] = 0.0;
  if (at % position_channels == 0) task.sums.hits[voxel] = 0;
}

/// Computes the means of PointCloud::features. A single thread computes all channels of a voxel. It also
/// resets the count of the voxel, which all channels need.
template <class Value> __global__ void mean_values_kernel(const __grid_constant__ MeanTask<Value> task) {
  const std::int64_t voxel = (static_cast<std::int64_t>(blockIdx.x) * blockDim.x) + threadIdx.x;
  if (voxel >= task.level.rows().get()) return;
  const int channels = task.inputs.feature_channels, hits = task.sums.hits[voxel];
  for (int channel = 0; channel < channels; ++channel) {
    const std::int64_t at = (voxel * channels) + channel;
    task.features[(voxel * task.stride) + channel] =
        static_cast<Value>(static_cast<float>(task.sums.sums[at] / hits));
    task.sums.sums[at] = 0.0;
  }
  task.sums.hits[voxel] = 0;
}

template <class Value>
void launch_means(const Device& device, const MeanTask<Value>& task, const RowCount& count) {
  add_kernel<<<blocks_for(count.max), threads_per_block, 0, device.stream>>>(task, count);
  if (task.inputs.feature_channels != 0) {
    mean_values_kernel<<<blocks_for(task.level.capacity), threads_per_block, 0, device.stream>>>(task);
  } else {
    mean_kernel<<<blocks_for(task.level.capacity * position_channels), threads_per_block, 0, device.stream>>>(
        task);
  }
  SPIRA_CUDA(cudaGetLastError());
}

template <class Key> __global__ void clear_kernel(const __grid_constant__ Occupancy grid) {
  const std::int64_t voxel = (static_cast<std::int64_t>(blockIdx.x) * blockDim.x) + threadIdx.x;
  if (!grid.all_floor) {
    for (int at = 0; at < grid.level_count; ++at) {
      const OccupancyLevel& level = grid.levels[at];
      if (voxel >= level.rows().get()) continue;
      unmark(level,
             CellPlace(level, cell_of(grid.pack, static_cast<const Key*>(level.keys)[voxel], level.shift)));
    }
    return;
  }
  if (voxel >= grid.levels[0].rows().get()) return;
  const Cell cell = cell_of(grid.pack, static_cast<const Key*>(grid.levels[0].keys)[voxel], Axes{0, 0, 0});
  for (int at = 0; at < grid.level_count; ++at) {
    const OccupancyLevel& level = grid.levels[at];
    unmark(level,
           CellPlace(level, {cell.x >> level.shift.x, cell.y >> level.shift.y, cell.z >> level.shift.z}));
  }
}

constexpr int warps_of_words = 4;

/// Computes the words of a map. Each warp computes all words of 32 rows. It collects the words in shared
/// memory and then writes them in order.
template <class Key, int K, bool coarser>
__global__ void __launch_bounds__(warps_of_words * 32)
    words_kernel(const __grid_constant__ OccupancyMap map, std::uint32_t* words) {
  constexpr int groups = K * K;
  __shared__ __align__(16) std::uint32_t tiles[warps_of_words][32 * groups];
  const int lane = static_cast<int>(threadIdx.x % 32U);
  std::uint32_t* tile = tiles[threadIdx.x / 32U];
  const std::int64_t first =
      ((static_cast<std::int64_t>(blockIdx.x) * warps_of_words) + (threadIdx.x / 32U)) * 32;
  const std::int64_t all = map.outputs.get();
  if (first >= all) return;
  std::uint32_t own[groups];
  const Cell lowest = map.lowest<Key>(min(first + lane, all - 1));
  if constexpr (coarser) {
    map.words_of_coarser<K>(lowest, own);
  } else {
    map.words_of_finer<K>(lowest, own);
  }
#pragma unroll
  for (int group = 0; group < groups; ++group)
    tile[(lane * groups) + group] = own[group];
  __syncwarp();
  const int count = static_cast<int>(min(std::int64_t{32}, all - first)) * groups, quads = count / 4;
  std::uint32_t* to = words + (first * groups);
#pragma unroll
  for (int step = 0; step < (groups + 3) / 4; ++step) {
    const int at = (step * 32) + lane;
    if (at < quads) reinterpret_cast<uint4*>(to)[at] = reinterpret_cast<const uint4*>(tile)[at];
  }
  const int left = (quads * 4) + lane;
  if (left < count) to[left] = tile[left];
}

/// Computes the words of a map with a kernel of any shape. Each thread computes one word.
template <class Key>
__global__ void general_words_kernel(const __grid_constant__ OccupancyMap map, Axes size,
                                     std::uint32_t* words) {
  const std::int64_t at = (static_cast<std::int64_t>(blockIdx.x) * blockDim.x) + threadIdx.x;
  const int groups = size.x * size.y;
  if (at >= map.outputs.get() * groups) return;
  const auto group = static_cast<int>(at % groups);
  const Cell lowest = map.lowest<Key>(at / groups);
  words[at] = map.word({lowest.x + (group / size.y), lowest.y + (group % size.y), lowest.z}, size.z);
}

/// The coordinates of a grid on one axis. A batch has several frames along x, one every `distance` cells.
struct AxisCells {
  std::int64_t shift, extent;
  std::int64_t distance, frame_extent;
};

/// Appends the first and the last cell that each shifted coordinate reaches on one axis. The extent contains
/// cells of coarser levels, and a point of another scene in such a cell can reach cells outside the grid or
/// outside its frame.
void add_reach(const LevelRule& rule, std::size_t axis, const AxisCells& grid, std::vector<int2>& cells) {
  const std::int64_t stride = rule.stride()[axis], before = grid.shift / stride;
  const std::int64_t count = (grid.frame_extent + stride - 1) / stride;
  for (std::int64_t at = 0; at < grid.extent; ++at) {
    const std::int64_t in_frame = at % grid.distance, place = in_frame + grid.shift;
    const std::int64_t frame_first = (at - in_frame) / stride;
    const CellRange range = rule.cells_of(axis, {place, place});
    const std::int64_t first = range.first - before, last = range.last - before;
    cells.push_back(range.empty()                ? make_int2(0, -1)
                    : first < 0 || last >= count ? make_int2(0, beyond_grid)
                                                 : make_int2(static_cast<int>(frame_first + first),
                                                             static_cast<int>(frame_first + last)));
  }
}

/// Fills the tables of all levels with the reached rule. For each level and axis, returns the index of its
/// table.
std::array<std::array<std::int64_t, 3>, max_levels> fill_reach(const Device& device,
                                                               std::span<const SceneLevel> of,
                                                               const std::array<std::int64_t, 3>& extent,
                                                               const std::array<std::int64_t, 3>& shift,
                                                               const Batch& batch, OccupancyMemory& memory) {
  std::vector<int2> cells;
  std::array<std::array<std::int64_t, 3>, max_levels> first{};
  for (std::size_t at = 0; at < of.size(); ++at) {
    const LevelRule& rule = of[at].rule;
    memory.view.all_floor = memory.view.all_floor && rule.floor() && rule.stride().equal();
    for (std::size_t axis = 0; axis < 3 && !rule.floor(); ++axis) {
      first[at][axis] = std::ssize(cells);
      const bool frames = axis == 0 && batch.frames > 1;
      add_reach(
          rule, axis,
          {shift[axis], extent[axis], frames ? std::int64_t{1} << memory.view.pack.x_bits : extent[axis],
           frames ? batch.frame_cells : extent[axis]},
          cells);
    }
  }
  memory.reach = Buffer(device.pool, cells.size() * sizeof(int2));
  if (!cells.empty()) {
    copy_to_device(device, memory.reach.data(), cells.data(), memory.reach.bytes());
    // Wait for the copy, because `cells` is destroyed here.
    SPIRA_CUDA(cudaStreamSynchronize(device.stream));
  }
  return first;
}

std::array<const int2*, 3> reach_of(const OccupancyMemory& memory, const std::array<std::int64_t, 3>& first,
                                    const LevelRule& rule) {
  if (rule.floor()) return {};
  const int2* const tables = values<int2>(memory.reach);
  return {tables + first[0], tables + first[1], tables + first[2]};
}

}  // namespace

Axes shift_of(PerAxis stride) {
  const auto bits = [](int number) { return std::countr_zero(static_cast<unsigned>(number)); };
  return {bits(stride[0]), bits(stride[1]), bits(stride[2])};
}

std::size_t occupancy_bytes(const std::array<std::int64_t, 3>& extent, std::span<const SceneLevel> levels) {
  // The type is double, because the number of bytes can exceed the range of every integer type.
  double bytes = 0;
  for (const SceneLevel& level : levels) {
    const LevelShape shape(extent, level.rule.stride());
    bytes += static_cast<double>(shape.nx) * shape.ny * shape.nw * (sizeof(uint2) + 1);
  }
  return bytes < 1e18 ? static_cast<std::size_t>(bytes) : std::size_t{1} << 62U;
}

OccupancyMemory make_occupancy(const Device& device, const PackSpec& pack,
                               const std::array<std::int64_t, 3>& extent,
                               const std::array<std::int64_t, 3>& shift, std::span<const SceneLevel> of,
                               std::span<const std::int64_t> capacities, const Batch& batch,
                               RunStatus* status) {
  SPIRA_ASSERT(of.size() <= max_levels && of.size() == capacities.size(), "too many levels");
  OccupancyMemory memory;
  Occupancy& view = memory.view;
  view.level_count = static_cast<int>(of.size());
  view.pack = pack;
  view.status = status;
  for (std::size_t axis = 0; axis < 3; ++axis)
    view.extent[axis] = static_cast<int>(extent.at(axis));
  const std::size_t key_bytes = static_cast<std::size_t>(pack.word_bits()) / 8;
  std::int64_t words = 0, flags = 0, tiles = 0, keys = 0;
  for (std::size_t at = 0; at < of.size(); ++at) {
    const LevelShape shape(extent, of[at].rule.stride());
    view.levels[at].first_tile = static_cast<int>(tiles);
    view.levels[at].tile_count = shape.tiles();
    words += shape.words();
    flags += shape.flags();
    tiles += shape.tiles();
    keys += capacities[at];
  }
  memory.words = Buffer(device.pool, static_cast<std::size_t>(words) * sizeof(uint2));
  memory.used = Buffer(device.pool, static_cast<std::size_t>(flags));
  memory.keys = Buffer(device.pool, static_cast<std::size_t>(keys) * key_bytes);
  memory.cleared = Buffer(
      device.pool, (max_levels * sizeof(std::int64_t)) + (static_cast<std::size_t>(tiles) * sizeof(TileSum)));
  auto* word = values<uint2>(memory.words);
  auto* use = values<std::uint8_t>(memory.used);
  auto* key = values<std::byte>(memory.keys);
  auto* count = values<std::int64_t>(memory.cleared);
  auto* tile = reinterpret_cast<TileSum*>(count + max_levels);
  const auto first_cell = fill_reach(device, of, extent, shift, batch, memory);
  for (std::size_t at = 0; at < of.size(); ++at) {
    const PerAxis stride = of[at].rule.stride();
    const LevelShape shape(extent, stride);
    const std::array<const int2*, 3> reach = reach_of(memory, first_cell[at], of[at].rule);
    OccupancyLevel& level = view.levels[at];
    level = {word,
             use,
             tile + level.first_tile,
             key,
             count + at,
             capacities[at],
             shape.nx,
             shape.ny,
             shape.nw,
             shift_of(stride),
             level.first_tile,
             level.tile_count,
             shape.tile_words(),
             {reach[0], reach[1], reach[2]}};
    word += shape.words();
    use += shape.flags();
    key += static_cast<std::size_t>(capacities[at]) * key_bytes;
  }
  reset(device, memory);
  return memory;
}

void reset(const Device& device, OccupancyMemory& memory) {
  for (Buffer* buffer : {&memory.words, &memory.used, &memory.cleared})
    SPIRA_CUDA(cudaMemsetAsync(buffer->data(), 0, buffer->bytes(), device.stream));
}

void index_points(const Device& device, OccupancyMemory& memory, const PointsOnDevice& points,
                  const RowCount& count) {
  SPIRA_CUDA(cudaMemsetAsync(memory.cleared.data(), 0, memory.cleared.bytes(), device.stream));
  const Occupancy& grid = memory.view;
  mark_kernel<<<blocks_for(count.max), threads_per_block, 0, device.stream>>>(points, count, grid);
  SPIRA_CUDA(cudaGetLastError());
  rank_levels(device, grid);
}

void mean_features(const Device& device, const Occupancy& occupancy, const PointsOnDevice& points,
                   const RowCount& count, const MeanInputs& inputs, const MeanSums& sums, Precision precision,
                   void* features, int stride) {
  SPIRA_ASSERT(inputs.feature_channels != 0 || stride == position_channels, "these rows have no padding");
  const auto launch = [&]<class Value>(Value* to) {
    const int(&extent)[3] = occupancy.extent;
    launch_means<Value>(
        device, {points, inputs, sums, occupancy.levels[0], {extent[0], extent[1], extent[2]}, to, stride},
        count);
  };
  precision == Precision::fp16 ? launch(static_cast<__half*>(features))
                               : launch(static_cast<float*>(features));
}

void clear(const Device& device, const Occupancy& occupancy) {
  std::int64_t rows = occupancy.levels[0].capacity;
  for (int at = 1; at < occupancy.level_count && !occupancy.all_floor; ++at)
    rows = std::max(rows, occupancy.levels[at].capacity);
  const unsigned blocks = blocks_for(rows);
  if (occupancy.pack.word_bits() == 32) {
    clear_kernel<std::uint32_t><<<blocks, threads_per_block, 0, device.stream>>>(occupancy);
  } else {
    clear_kernel<std::uint64_t><<<blocks, threads_per_block, 0, device.stream>>>(occupancy);
  }
  SPIRA_CUDA(cudaGetLastError());
}

void write_words(const Device& device, const OccupancyMap& map, const KernelShape& kernel,
                 std::uint32_t* words) {
  const int cube = fast_kernel_size(kernel);
  if (cube == 0) {
    const auto launch = [&]<class Key>(Key) {
      const Axes size{kernel.size[0], kernel.size[1], kernel.size[2]};
      const std::int64_t all = map.outputs.max * size.x * size.y;
      general_words_kernel<Key><<<blocks_for(all), threads_per_block, 0, device.stream>>>(map, size, words);
    };
    map.pack.word_bits() == 32 ? launch(std::uint32_t{}) : launch(std::uint64_t{});
    SPIRA_CUDA(cudaGetLastError());
    return;
  }
  visit_map(map.pack, cube, [&]<class Key, int K>(Key, std::integral_constant<int, K>) {
    const unsigned blocks = blocks_for(map.outputs.max, warps_of_words * 32);
    const auto kernel = map.from_coarser() ? words_kernel<Key, K, true> : words_kernel<Key, K, false>;
    kernel<<<blocks, warps_of_words * 32, 0, device.stream>>>(map, words);
  });
  SPIRA_CUDA(cudaGetLastError());
}

}  // namespace spira::cuda
