// Kernels of the occupancy grid: they mark points, compute input features, clear the grid, and compute the
// words of maps.
#include "kernels/cuda/voxels/occupancy.cuh"
#include "kernels/cuda/voxels/occupancy.hpp"

#include <cuda_fp16.h>

#include <array>
#include <bit>

namespace spira::cuda {
namespace {

/// Sets the bit of each point's cell at each level. If the bit of a level is already set, another thread also
/// sets the bits of the coarser levels, so this thread stops.
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
    const CellPlace place(level, {cell[0] >> level.shift, cell[1] >> level.shift, cell[2] >> level.shift});
    if (is_marked(level, place)) return;
    mark(level, place);
  }
}

template <class Value> struct MeanTask {
  PointsOnDevice points;
  MeanInputs inputs;
  MeanSums sums;
  OccupancyLevel level;
  int extent[3];
  Value* features;
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

/// Computes the means of PointCloud::features. One thread computes all channels of a voxel, because it also
/// resets the count of the voxel, which all channels need.
template <class Value> __global__ void mean_values_kernel(const __grid_constant__ MeanTask<Value> task) {
  const std::int64_t voxel = (static_cast<std::int64_t>(blockIdx.x) * blockDim.x) + threadIdx.x;
  if (voxel >= task.level.rows().get()) return;
  const int channels = task.inputs.feature_channels, hits = task.sums.hits[voxel];
  for (int channel = 0; channel < channels; ++channel) {
    const std::int64_t at = (voxel * channels) + channel;
    task.features[at] = static_cast<Value>(static_cast<float>(task.sums.sums[at] / hits));
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
  if (voxel >= grid.levels[0].rows().get()) return;
  const Cell cell = cell_of(grid.pack, static_cast<const Key*>(grid.levels[0].keys)[voxel], 0);
  for (int at = 0; at < grid.level_count; ++at) {
    const OccupancyLevel& level = grid.levels[at];
    unmark(level, CellPlace(level, {cell.x >> level.shift, cell.y >> level.shift, cell.z >> level.shift}));
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

}  // namespace

std::size_t occupancy_bytes(const std::array<std::int64_t, 3>& extent, std::span<const int> strides) {
  // The type is double, because the number of bytes can exceed every integer type.
  double bytes = 0;
  for (const int stride : strides) {
    const LevelShape shape(extent, stride);
    bytes += static_cast<double>(shape.nx) * shape.ny * shape.nw * (sizeof(uint2) + 1);
  }
  return bytes < 1e18 ? static_cast<std::size_t>(bytes) : std::size_t{1} << 62U;
}

OccupancyMemory make_occupancy(const Device& device, const PackSpec& pack,
                               const std::array<std::int64_t, 3>& extent, std::span<const int> strides,
                               std::span<const std::int64_t> capacities, RunStatus* status) {
  SPIRA_ASSERT(strides.size() <= max_levels && strides.size() == capacities.size(), "too many levels");
  OccupancyMemory memory;
  Occupancy& view = memory.view;
  view.level_count = static_cast<int>(strides.size());
  view.pack = pack;
  view.status = status;
  for (std::size_t axis = 0; axis < 3; ++axis)
    view.extent[axis] = static_cast<int>(extent.at(axis));
  const std::size_t key_bytes = static_cast<std::size_t>(pack.word_bits()) / 8;
  std::int64_t words = 0, flags = 0, tiles = 0, keys = 0;
  for (std::size_t at = 0; at < strides.size(); ++at) {
    const LevelShape shape(extent, strides[at]);
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
  for (std::size_t at = 0; at < strides.size(); ++at) {
    const LevelShape shape(extent, strides[at]);
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
             std::countr_zero(static_cast<unsigned>(strides[at])),
             level.first_tile,
             level.tile_count,
             shape.tile_words()};
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
                   void* features) {
  const auto launch = [&]<class Value>(Value* to) {
    const int(&extent)[3] = occupancy.extent;
    launch_means<Value>(
        device, {points, inputs, sums, occupancy.levels[0], {extent[0], extent[1], extent[2]}, to}, count);
  };
  precision == Precision::fp16 ? launch(static_cast<__half*>(features))
                               : launch(static_cast<float*>(features));
}

void clear(const Device& device, const Occupancy& occupancy) {
  const unsigned blocks = blocks_for(occupancy.levels[0].capacity);
  if (occupancy.pack.word_bits() == 32) {
    clear_kernel<std::uint32_t><<<blocks, threads_per_block, 0, device.stream>>>(occupancy);
  } else {
    clear_kernel<std::uint64_t><<<blocks, threads_per_block, 0, device.stream>>>(occupancy);
  }
  SPIRA_CUDA(cudaGetLastError());
}

void write_words(const Device& device, const OccupancyMap& map, int kernel_size, std::uint32_t* words) {
  visit_map(map.pack, kernel_size, [&]<class Key, int K>(Key, std::integral_constant<int, K>) {
    const unsigned blocks = blocks_for(map.outputs.max, warps_of_words * 32);
    const auto kernel = map.coarser != 0 ? words_kernel<Key, K, true> : words_kernel<Key, K, false>;
    kernel<<<blocks, warps_of_words * 32, 0, device.stream>>>(map, words);
  });
  SPIRA_CUDA(cudaGetLastError());
}

}  // namespace spira::cuda
