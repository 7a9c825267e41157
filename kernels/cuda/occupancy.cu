#include "kernels/cuda/occupancy.hpp"
#include "kernels/cuda/occupancy_marks.cuh"

#include <cub/cub.cuh>
#include <cuda_fp16.h>

#include <array>
#include <bit>

namespace spira::cuda {
namespace {

constexpr int used_per_tile = words_per_tile / 32;  // a thread takes one
static_assert(used_per_tile <= threads_per_block);

/// A bit for each point's cell at each level; the first point of a cell goes on to the next level.
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
    const int z = cell[2] >> level.shift;
    const std::int64_t word = level.word_of(cell[0] >> level.shift, cell[1] >> level.shift, z);
    if (!mark_cell(level, word, 1U << (z & 31))) return;
  }
}

/// Writes the keys of a word's voxels, from `rank` on.
template <class Key>
__device__ void write_keys(const Occupancy& grid, const OccupancyLevel& level, std::int64_t word,
                           std::uint32_t bits, std::int64_t rank) {
  const Cell cell = level.first_cell(word);
  const auto field = [&](int at) { return static_cast<Key>(static_cast<Key>(at) << level.shift); };
  const Key above = static_cast<Key>((field(cell.x) << (grid.pack.y_bits + grid.pack.z_bits)) +
                                     (field(cell.y) << grid.pack.z_bits));
  for (; bits != 0; bits &= bits - 1, ++rank) {
    if (rank >= level.capacity) return;
    static_cast<Key*>(level.keys)[rank] = above + field(cell.z + __ffs(static_cast<int>(bits)) - 1);
  }
}

/// Counts the voxels before each word of a tile and writes their keys.
template <class Key>
__global__ void __launch_bounds__(threads_per_block) rank_kernel(const __grid_constant__ Occupancy grid) {
  using Scan = cub::BlockScan<int, threads_per_block>;
  using Reduce = cub::BlockReduce<int, threads_per_block>;
  __shared__ union {
    typename Scan::TempStorage scan;
    typename Reduce::TempStorage reduce;
  } scratch;
  __shared__ std::uint16_t list[words_per_tile];
  __shared__ int shared_before;
  int at = 0;
  while (at + 1 < grid.level_count && static_cast<int>(blockIdx.x) >= grid.levels[at + 1].first_tile)
    ++at;
  const OccupancyLevel& level = grid.levels[at];
  const int tile = static_cast<int>(blockIdx.x) - level.first_tile, thread = static_cast<int>(threadIdx.x);
  const std::int64_t first = static_cast<std::int64_t>(tile) * words_per_tile;
  const std::int64_t used_words = ((static_cast<std::int64_t>(level.nx) * level.ny * level.nw) + 31) / 32;
  const std::int64_t used_at = (first / 32) + thread;
  const int own = level.tiles[tile];
  std::uint32_t used = thread < used_per_tile && used_at < used_words ? level.used[used_at] : 0;
  const bool last = tile == level.tile_count - 1;
  if (own == 0 && !last) return;

  int before = 0;
  for (int other = thread; other < tile; other += threads_per_block)
    before += level.tiles[other];
  before = Reduce(scratch.reduce).Sum(before);
  if (thread == 0) {
    shared_before = before;
    const std::int64_t voxels = std::int64_t{before} + own;
    if (last) *level.count = voxels;
    if (last && voxels > level.capacity) grid.status->overfull[at] = before + own;
  }
  __syncthreads();
  if (own == 0) return;

  int place = 0, listed = 0;
  Scan(scratch.scan).ExclusiveSum(__popc(used), place, listed);
  for (; used != 0; used &= used - 1)
    list[place++] = static_cast<std::uint16_t>((thread * 32) + __ffs(static_cast<int>(used)) - 1);
  std::int64_t rank = shared_before;
  for (int begin = 0; begin < listed; begin += threads_per_block) {
    __syncthreads();
    const bool there = begin + thread < listed;
    const std::int64_t word = first + (there ? list[begin + thread] : 0);
    const std::uint32_t bits = there ? level.words[word].x : 0;
    int ahead = 0, all = 0;
    Scan(scratch.scan).ExclusiveSum(__popc(bits), ahead, all);
    if (there) {
      level.words[word].y = static_cast<std::uint32_t>(rank + ahead);
      write_keys<Key>(grid, level, word, bits, rank + ahead);
    }
    rank += all;
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
  const int z = cell[2];
  const uint2 word = __ldg(task.level.words + task.level.word_of(cell[0], cell[1], z));
  const std::int64_t voxel = std::int64_t{word.y} + __popc(word.x & ((1U << (z & 31)) - 1U));
  if (voxel >= task.level.capacity) return;
  atomicAdd(task.sums.hits + voxel, 1);
  for (int channel = 0; channel < input_channels; ++channel)
    atomicAdd(task.sums.sums + (voxel * input_channels) + channel, task.inputs.value(point, channel));
}

template <class Value> __global__ void mean_kernel(const __grid_constant__ MeanTask<Value> task) {
  const std::int64_t at = (static_cast<std::int64_t>(blockIdx.x) * blockDim.x) + threadIdx.x;
  const std::int64_t voxel = at / input_channels;
  const bool there = voxel < task.level.rows().get();
  const int hits = there ? task.sums.hits[voxel] : 1;
  __syncwarp();
  if (!there) return;
  task.features[at] = static_cast<Value>(static_cast<float>(task.sums.sums[at] / hits));
  task.sums.sums[at] = 0.0;
  if (at % input_channels == 0) task.sums.hits[voxel] = 0;
}

template <class Value>
void launch_means(const Device& device, const MeanTask<Value>& task, const RowCount& count) {
  add_kernel<<<blocks_for(count.most), threads_per_block, 0, device.stream>>>(task, count);
  mean_kernel<<<blocks_for(task.level.capacity * input_channels), threads_per_block, 0, device.stream>>>(
      task);
  SPIRA_CUDA(cudaGetLastError());
}

template <class Key> __global__ void clear_kernel(const __grid_constant__ Occupancy grid) {
  const std::int64_t voxel = (static_cast<std::int64_t>(blockIdx.x) * blockDim.x) + threadIdx.x;
  if (voxel >= grid.levels[0].rows().get()) return;
  const Cell cell = cell_of(grid.pack, static_cast<const Key*>(grid.levels[0].keys)[voxel], 0);
  for (int at = 0; at < grid.level_count; ++at) {
    const OccupancyLevel& level = grid.levels[at];
    const std::int64_t word =
        level.word_of(cell.x >> level.shift, cell.y >> level.shift, cell.z >> level.shift);
    level.words[word] = {0, 0};
    level.used[word >> 5] = 0;
  }
}

constexpr int rows_of_words = 64;  // that a block finds

/// A warp finds the words of 32 rows and one plane of z-groups: few enough for all its reads to be under way
/// together, and for many warps at once. Words go out through shared memory, in order.
template <class Key, int K>
__global__ void __launch_bounds__(rows_of_words* K)
    words_kernel(const __grid_constant__ OccupancyMap map, std::uint32_t* words) {
  constexpr int groups = K * K;
  __shared__ std::uint32_t tile[rows_of_words * groups];
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * rows_of_words, all = map.outputs.get();
  if (first >= all) return;
  const int thread = static_cast<int>(threadIdx.x), warp = thread / 32;
  const int row = (warp / K * 32) + (thread % 32), dx = warp % K;
  const bool there = first + row < all;
  std::uint32_t plane[K];
  map.plane<K>(there ? map.output<Key>(first + row) : Cell{}, dx, there, plane);
#pragma unroll
  for (int dy = 0; dy < K; ++dy)
    tile[(row * groups) + (dx * K) + dy] = plane[dy];
  __syncthreads();
  const int count = static_cast<int>(min(static_cast<std::int64_t>(rows_of_words), all - first)) * groups;
  for (int at = thread; at < count; at += rows_of_words * K)
    words[(first * groups) + at] = tile[at];
}

}  // namespace

std::size_t occupancy_bytes(const std::array<std::int64_t, 3>& extent, std::span<const int> strides) {
  double bytes = 0;  // a box may be larger than any integer of ours
  for (const int stride : strides) {
    double words =
        static_cast<double>((extent[2] + (std::int64_t{32} * stride) - 1) / (std::int64_t{32} * stride));
    for (const std::size_t axis : {std::size_t{0}, std::size_t{1}})
      words *= static_cast<double>((extent.at(axis) + stride - 1) / stride);
    bytes += words * (sizeof(uint2) + 0.125);
  }
  return bytes < 1e18 ? static_cast<std::size_t>(bytes) : std::size_t{1} << 62U;
}

OccupancyMemory make_occupancy(const Device& device, const PackSpec& pack,
                               const std::array<std::int64_t, 3>& extent, std::span<const int> strides,
                               std::span<const std::int64_t> capacities, RunStatus* status) {
  SPIRA_ASSERT(strides.size() <= most_levels && strides.size() == capacities.size(), "too many levels");
  OccupancyMemory memory;
  Occupancy& view = memory.view;
  view.level_count = static_cast<int>(strides.size());
  view.pack = pack;
  view.status = status;
  for (std::size_t axis = 0; axis < 3; ++axis)
    view.extent[axis] = static_cast<int>(extent.at(axis));
  const std::size_t key_bytes = static_cast<std::size_t>(pack.word_bits()) / 8;
  std::int64_t words = 0, used = 0, tiles = 0, keys = 0;
  for (std::size_t at = 0; at < strides.size(); ++at) {
    const LevelShape shape(extent, strides[at]);
    view.levels[at].first_tile = static_cast<int>(tiles);
    view.levels[at].tile_count = shape.tiles();
    words += shape.words;
    used += shape.used_words();
    tiles += shape.tiles();
    keys += capacities[at];
  }
  memory.words = Buffer(device.pool, static_cast<std::size_t>(words) * sizeof(uint2));
  memory.used = Buffer(device.pool, static_cast<std::size_t>(used) * sizeof(std::uint32_t));
  memory.keys = Buffer(device.pool, static_cast<std::size_t>(keys) * key_bytes);
  memory.cleared = Buffer(device.pool, (most_levels * sizeof(std::int64_t)) +
                                           (static_cast<std::size_t>(tiles) * sizeof(std::int32_t)));
  auto* word = values<uint2>(memory.words);
  auto* use = values<std::uint32_t>(memory.used);
  auto* key = values<std::byte>(memory.keys);
  auto* count = values<std::int64_t>(memory.cleared);
  auto* tile = reinterpret_cast<std::int32_t*>(count + most_levels);
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
             level.tile_count};
    word += shape.words;
    use += shape.used_words();
    key += static_cast<std::size_t>(capacities[at]) * key_bytes;
  }
  reset(device, memory);
  return memory;
}

void reset(const Device& device, OccupancyMemory& memory) {
  for (Buffer* buffer : {&memory.words, &memory.used, &memory.cleared})
    SPIRA_CUDA(cudaMemsetAsync(buffer->data(), 0, buffer->bytes(), device.stream));
}

void rank_levels(const Device& device, const Occupancy& grid) {
  const OccupancyLevel& last = grid.levels[grid.level_count - 1];
  const auto tiles = static_cast<unsigned>(last.first_tile + last.tile_count);
  if (grid.pack.word_bits() == 32) {
    rank_kernel<std::uint32_t><<<tiles, threads_per_block, 0, device.stream>>>(grid);
  } else {
    rank_kernel<std::uint64_t><<<tiles, threads_per_block, 0, device.stream>>>(grid);
  }
  SPIRA_CUDA(cudaGetLastError());
}

void index_points(const Device& device, OccupancyMemory& memory, const PointsOnDevice& points,
                  const RowCount& count) {
  SPIRA_CUDA(cudaMemsetAsync(memory.cleared.data(), 0, memory.cleared.bytes(), device.stream));
  const Occupancy& grid = memory.view;
  mark_kernel<<<blocks_for(count.most), threads_per_block, 0, device.stream>>>(points, count, grid);
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
    words_kernel<Key, K>
        <<<blocks_for(map.outputs.most, rows_of_words), rows_of_words * K, 0, device.stream>>>(map, words);
  });
  SPIRA_CUDA(cudaGetLastError());
}

}  // namespace spira::cuda
