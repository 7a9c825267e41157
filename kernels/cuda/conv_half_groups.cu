// Output-stationary features in fp16 over a z-run map (section 5.4): one z-group after the other.
//
// A block keeps the fp32 sums of its rows in shared memory. For each z-group its warps take slices of 16 rows
// that have the same offsets of the group (group_slices), multiply them in registers, and add the result to
// the sums. Rows meet again in the next group only, so a slice waits, before it adds, for the slices of the
// groups before it. What is read of the next offset is on its way while the matrix units work on this one.
#include "kernels/cuda/group_reader.cuh"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace spira::cuda {
namespace {

constexpr int most_sums = 128 * 1024;
/// What one multiprocessor does, for choosing the rows of a block; as measured on an H200 (docs/gpu-log.md).
constexpr double flops_per_ns = 900.0, weight_bytes_per_ns = 38.0, ns_of_block = 2000.0, ns_of_group = 150.0;

/// Warps of a block, the copying one among them, by the registers that a warp needs: 4 a tile of sums, two
/// sets of rows of 8 a chunk and offset, and what else there is. `whole`: offsets that are read at once, 0:
/// one after the other.
constexpr int warps_of(int chunk, int reads, int tiles, int whole) {
  const int offsets = whole == 0 ? 1 : whole;
  const int registers = (tiles * 4) + (offsets * reads * (chunk / 2)) + 66;
  return registers <= 82 ? 24 : registers <= 100 ? 20 : registers <= 130 ? 16 : 12;
}

__device__ int load_finished(const int* shared) {
  int value = 0;
  asm volatile("ld.acquire.cta.shared.s32 %0, [%1];"
               : "=r"(value)
               : "r"(static_cast<unsigned>(__cvta_generic_to_shared(shared)))
               : "memory");
  return value;
}
__device__ void add_finished(int* shared) {
  asm volatile(
      "red.release.cta.shared.add.s32 [%0], 1;" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(shared)))
      : "memory");
}
/// Of the warps that compute.
__device__ void wait_for_all(const WeightPlan& plan) {
  asm volatile("bar.sync 1, %0;" ::"r"(plan.warps * 32) : "memory");
}
/// What the warps of a block share beside the weights.
struct BlockMemory {
  float* sums;    ///< [block_rows][channels of the block]
  int* counts;    ///< [groups]: rows in the lists of this block of rows
  int* finished;  ///< slices whose sums were added
};

/// The sums of a slice, and how they reach those of the block.
template <int chunk, int reads, int tiles, int group> struct SliceSums {
  using Word = decltype(LaneHalves<chunk>::v);
  static constexpr int channels = tiles * 8;
  float of[tiles][4] = {};

  __device__ void multiply(const ChunkFragments<chunk> (&rows)[reads], const unsigned char* weights,
                           int chunk_bytes) {
#pragma unroll
    for (int at = 0; at < reads; ++at) {
      const Word* b = reinterpret_cast<const Word*>(weights + (at * chunk_bytes)) + (threadIdx.x & 31U);
      multiply_chunk(of, rows[at], b);
    }
  }
  /// Neighbouring rows start with other halves of their 32 bytes, so that eight lanes meet all banks.
  __device__ void add_to(float* sums, const std::uint32_t (&rows)[2]) {
    const int lane = static_cast<int>(threadIdx.x & 31U);
    const bool upper_first = group == 4 && (lane / 4 & 1) != 0;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      if (rows[half] == no_row) continue;
      float* row = sums + (rows[half] * channels) + (lane % 4 * 2 * group);
#pragma unroll
      for (int first = 0; first < tiles; first += group) {
        float columns[2 * group];
        gather_columns<group>(of + first, half, columns);
#pragma unroll
        for (int piece = 0; piece < group / 2; ++piece) {
          const bool upper = (piece == 1) != upper_first;
          auto* to = reinterpret_cast<float4*>(row + (first * 8) + (upper ? 4 : 0));
          float4 sum = *to;
          constexpr int above = group == 4 ? 4 : 0;
          sum.x += upper ? columns[above] : columns[0];
          sum.y += upper ? columns[above + 1] : columns[1];
          sum.z += upper ? columns[above + 2] : columns[2];
          sum.w += upper ? columns[above + 3] : columns[3];
          *to = sum;
        }
      }
    }
#pragma unroll
    for (int tile = 0; tile < tiles; ++tile) {
#pragma unroll
      for (int at = 0; at < 4; ++at)
        of[tile][at] = 0.0F;
    }
  }
};

/// Adds the sums of a slice to those of the block, after all slices of the groups before its own.
template <class Sums>
__device__ void add_in_turn(const BlockMemory& memory, Sums& sums, const std::uint32_t (&rows)[2],
                            int first_of_group) {
  while (load_finished(memory.finished) < first_of_group) {
  }
  __syncwarp();
  sums.add_to(memory.sums, rows);
  __syncwarp();
  if ((threadIdx.x & 31U) == 0) add_finished(memory.finished);
}

/// All slices of a warp in one block of rows, offset by offset.
template <int chunk, int reads, int tiles, int group>
__device__ void add_slices(const GroupTask& task, std::int64_t block, const WeightTiles& tiles_of,
                           WeightWalk& weights, const BlockMemory& memory) {
  UnitReader<chunk, reads> reader(task, block, memory.counts);
  SliceSums<chunk, reads, tiles, group> sums;
  Unit unit, next;
  LaneHalves<chunk> rows[reads][2];
  reader.read(next, rows);
  const int step = WeightWalk::chunk_bytes(tiles_of);
  while (next.there) {
    unit = next;
    ChunkFragments<chunk> now[reads];
#pragma unroll
    for (int at = 0; at < reads; ++at)
      now[at] = fragments(rows[at][0], rows[at][1]);
    reader.read(next, rows);
    const int first_chunk = unit.part * reads;
    sums.multiply(now,
                  weights.chunk(unit.group, (unit.iz * task.plan.piece_bytes) + (first_chunk * step),
                                (unit.group * task.kernel_size) + unit.iz, first_chunk),
                  step);
    if (unit.last) add_in_turn(memory, sums, unit.row, unit.first);
  }
}

/// The same, all offsets of a slice at once; `whole`: the kernel size.
template <int chunk, int tiles, int group, int whole>
__device__ void add_whole_slices(const GroupTask& task, std::int64_t block, const WeightTiles& tiles_of,
                                 WeightWalk& weights, const BlockMemory& memory) {
  SliceReader<chunk, whole> reader(task, block, memory.counts);
  SliceSums<chunk, 1, tiles, group> sums;
  WholeSlice slice, next;
  LaneHalves<chunk> rows[whole][2];
  reader.read(next, rows);
  const std::int64_t step = WeightWalk::column_bytes(task.plan, tiles_of);
  while (next.there) {
    slice = next;
    ChunkFragments<chunk> now[whole][1];
#pragma unroll
    for (int iz = 0; iz < whole; ++iz)
      now[iz][0] = fragments(rows[iz][0], rows[iz][1]);
    reader.read(next, rows);
    const unsigned char* from = weights.chunk(slice.group, 0, slice.group * whole, 0);
#pragma unroll
    for (int iz = 0; iz < whole; ++iz) {
      if ((slice.offsets >> iz & 1U) != 0) sums.multiply(now[iz], from + (iz * step), 0);
    }
    add_in_turn(memory, sums, slice.row, slice.first);
  }
}

/// The sums of a block become results; zeros stay behind. A thread keeps to the same channels of all its
/// rows.
template <int tiles, int group>
__device__ void finish_block(const GroupTask& task, std::int64_t block, std::int64_t outputs, float* sums,
                             int first_tile) {
  constexpr int each = 2 * group, pieces = tiles * 8 / each;
  const int thread = static_cast<int>(threadIdx.x), channel = thread % pieces * each;
  const int step = task.plan.warps * 32 / pieces;
  if (thread >= step * pieces) return;
  const std::int64_t first_row = block * task.slices.block_rows;
  const ColumnBias<group> bias(task.layer, (first_tile * 8) + channel);
  const int rows =
      static_cast<int>(min(static_cast<std::int64_t>(task.slices.block_rows), outputs - first_row));
#pragma unroll 2
  for (int row = thread / pieces; row < rows; row += step) {
    float columns[each];
    auto* from = reinterpret_cast<float4*>(sums + (row * tiles * 8) + channel);
#pragma unroll
    for (int piece = 0; piece < each / 4; ++piece) {
      const float4 sum = from[piece];
      columns[4 * piece] = sum.x;
      columns[(4 * piece) + 1] = sum.y;
      columns[(4 * piece) + 2] = sum.z;
      columns[(4 * piece) + 3] = sum.w;
      from[piece] = {};
    }
    finish_columns<group>(task.layer, first_row + row, (first_tile * 8) + channel, columns, bias);
  }
}

template <int chunk, int reads, int tiles, int group, int whole>
__global__ void __launch_bounds__(warps_of(chunk, reads, tiles, whole) * 32, 1)
    groups_kernel(const __grid_constant__ GroupTask task) {
  extern __shared__ __align__(128) unsigned char shared[];
  __shared__ int finished, counts[most_groups];
  constexpr int tile_bytes = 32 * static_cast<int>(sizeof(decltype(LaneHalves<chunk>::v)));
  const WeightPlan& plan = task.plan;
  const int first_tile = static_cast<int>(blockIdx.y) * tiles, all_bytes = task.all_tiles * tile_bytes;
  const std::int64_t column_bytes = static_cast<std::int64_t>(task.chunks) * all_bytes;
  const std::int64_t first_column = task.layer.reversed ? task.layer.columns - 1 : 0;
  const WeightTiles tiles_of{
      static_cast<const unsigned char*>(task.layer.weight) + (first_column * column_bytes) +
          (static_cast<std::int64_t>(first_tile) * tile_bytes),
      task.layer.reversed ? -column_bytes : column_bytes, all_bytes, tiles * tile_bytes, task.chunks};
  auto* sums = reinterpret_cast<float*>(shared + plan.ring_bytes());
  const int all_sums = task.slices.block_rows * tiles * 8;
  auto* barriers = reinterpret_cast<Barrier*>(sums + all_sums);
  const RingMemory ring{shared, barriers, barriers + plan.ring};
  const int blocks = static_cast<int>(gridDim.x), own = static_cast<int>(blockIdx.x);
  const std::int64_t outputs = task.outputs.get();
  const auto row_blocks = static_cast<int>((outputs + task.slices.block_rows - 1) / task.slices.block_rows);
  if (own >= row_blocks) return;
  const int walks = (row_blocks - own + blocks - 1) / blocks;
  if (!start_ring(plan, tiles_of, task.layer.columns, ring, walks)) return;
  for (int at = static_cast<int>(threadIdx.x); at < all_sums; at += plan.warps * 32)
    sums[at] = 0.0F;
  WeightWalk weights(plan, tiles_of, ring);
  const BlockMemory memory{sums, counts, &finished};
  for (int block = own; block < row_blocks; block += blocks) {
    if (threadIdx.x < static_cast<unsigned>(task.groups))
      counts[threadIdx.x] =
          __ldg(task.slices.counts + (static_cast<std::int64_t>(block) * task.groups) + threadIdx.x);
    if (threadIdx.x == 0) finished = 0;
    wait_for_all(plan);
    if constexpr (whole == 0) {
      add_slices<chunk, reads, tiles, group>(task, block, tiles_of, weights, memory);
    } else {
      add_whole_slices<chunk, tiles, group, whole>(task, block, tiles_of, weights, memory);
    }
    weights.end_walk();
    wait_for_all(plan);
    finish_block<tiles, group>(task, block, outputs, sums, first_tile);
  }
}

/// Shared memory of a block but for the ring.
int bytes_beside_ring(int block_rows, int tiles) {
  return block_rows * tiles * 8 * static_cast<int>(sizeof(float));
}

/// How weights travel when a block holds `block_rows`; ring 0: they do not fit.
WeightPlan plan_for(const GroupTask& task, int block_rows, int tiles, int tile_bytes, int warps) {
  WeightPlan plan;
  plan.span = task.kernel_size;
  plan.piece_bytes = task.chunks * tiles * tile_bytes;
  plan.stages = task.groups;
  plan.warps = warps - 1;
  if (!task.ring) return plan;
  const int left = task.most_shared - bytes_beside_ring(block_rows, tiles);
  const int fitting = left / (plan.stage_bytes() + static_cast<int>(2 * sizeof(Barrier)));
  plan.ring = std::min(plan.stages, fitting);
  if (plan.ring < 2 && plan.ring != plan.stages) plan.ring = 0;
  return plan;
}

/// The most rows a block can hold; 0: none.
int most_rows_of(const GroupTask& task, int tiles, int tile_bytes) {
  for (int rows = most_block_rows; rows >= least_block_rows; rows -= 32) {
    const int sums = bytes_beside_ring(rows, tiles);
    if (sums > std::min(most_sums, task.most_shared)) continue;
    if (!task.ring || plan_for(task, rows, tiles, tile_bytes, 2).ring != 0) return rows;
  }
  return 0;
}

template <int chunk, int reads, int tiles, int whole> void launch_as(const Device& device, GroupTask& task) {
  constexpr int group = tiles == 2 ? 2 : 4;
  constexpr int tile_bytes = 32 * static_cast<int>(sizeof(decltype(LaneHalves<chunk>::v)));
  task.plan = plan_for(task, task.slices.block_rows, tiles, tile_bytes, warps_of(chunk, reads, tiles, whole));
  const int bytes = task.plan.ring_bytes() + bytes_beside_ring(task.slices.block_rows, tiles) +
                    (task.plan.ring * static_cast<int>(2 * sizeof(Barrier)));
  auto* kernel = groups_kernel<chunk, reads, tiles, group, whole>;
  SPIRA_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  const auto in_y = static_cast<unsigned>(task.all_tiles / tiles);
  const auto in_x = static_cast<unsigned>(std::min(task.row_blocks, device.sm_count));
  kernel<<<dim3(in_x, in_y), static_cast<unsigned>((task.plan.warps + 1) * 32), bytes, device.stream>>>(task);
  SPIRA_CUDA(cudaGetLastError());
}

template <int chunk, int reads, int tiles> void launch(const Device& device, GroupTask& task) {
  if constexpr (reads == 1 && tiles <= 8) {
    if (task.chunks == 1 && task.kernel_size == 3) return launch_as<chunk, 1, tiles, 3>(device, task);
    if (task.chunks == 1 && task.kernel_size == 5) return launch_as<chunk, 1, tiles, 5>(device, task);
  }
  launch_as<chunk, reads, tiles, 0>(device, task);
}

template <int chunk, int reads> void choose_tiles(const Device& device, GroupTask& task, int tiles) {
  switch (tiles) {
    case 2:
      return launch<chunk, reads, 2>(device, task);
    case 4:
      return launch<chunk, reads, 4>(device, task);
    case 8:
      return launch<chunk, reads, 8>(device, task);
    default:
      return launch<chunk, reads, 12>(device, task);
  }
}

/// Chunks that a warp reads at once: the most of 4 that divide the channels evenly.
void choose_reads(const Device& device, GroupTask& task, int tiles) {
  if (task.layer.in_channels <= 16) return choose_tiles<16, 1>(device, task, tiles);
  if (task.chunks % 4 == 0) return choose_tiles<32, 4>(device, task, tiles);
  if (task.chunks % 3 == 0) return choose_tiles<32, 3>(device, task, tiles);
  if (task.chunks % 2 == 0) return choose_tiles<32, 2>(device, task, tiles);
  return choose_tiles<32, 1>(device, task, tiles);
}

GroupTask task_for(const Device& device, const LayerOnDevice& layer, int kernel_size) {
  const Shape shape = shape_of(layer);
  GroupTask task{};
  task.layer = layer;
  task.most_shared = device.shared_bytes - kept_shared;
  task.ring = device.sm >= 90;
  task.groups = kernel_size * kernel_size;
  task.kernel_size = kernel_size;
  task.chunks = shape.chunks;
  task.all_tiles = shape.all_tiles;
  return task;
}

/// How much of a layer a block takes: the most tiles of channels that leave room for any rows.
struct BlockFit {
  int tiles = 0, most_rows = 0;  ///< 0: the layer is too wide
};

BlockFit fit_of(const GroupTask& task) {
  const int tile_bytes = task.layer.in_channels <= 16 ? 256 : 512;
  for (const int tiles : {12, 8, 4, 2}) {
    if (task.all_tiles % tiles != 0) continue;
    if (const int rows = most_rows_of(task, tiles, tile_bytes); rows != 0) return {tiles, rows};
  }
  return {};
}

}  // namespace

int best_block_rows(const Device& device, const LayerOnDevice& layer, int kernel_size, std::int64_t outputs) {
  const GroupTask task = task_for(device, layer, kernel_size);
  const BlockFit fit = fit_of(task);
  if (fit.tiles == 0) return 0;
  // Blocks of a multiprocessor run one after the other; each reads all weights of its channels while it
  // computes.
  const double channels = fit.tiles * 8.0, in_channels = layer.in_channels;
  const double offsets = layer.columns, across = static_cast<double>(task.all_tiles) / fit.tiles;
  const double found = kernel_size >= 5 ? 0.15 : 0.25;  // share of offsets that have an input
  const double ns_of_row = offsets * found * in_channels * channels * 2.0 / flops_per_ns;
  const double ns_of_weights = offsets * in_channels * channels * 2.0 / weight_bytes_per_ns;
  int best = 0;
  double best_ns = 0;
  for (int rows = least_block_rows; rows <= fit.most_rows; rows += 32) {
    const double blocks = std::ceil(static_cast<double>(outputs) / rows) * across;
    const double rounds = std::ceil(blocks / device.sm_count);
    const double ns =
        rounds * (std::max(rows * ns_of_row, ns_of_weights) + ns_of_block + (task.groups * ns_of_group));
    if (best != 0 && ns > best_ns) continue;
    best = rows;
    best_ns = ns;
  }
  return best;
}

bool groups_half(const Device& device, const MapSource& source, const LayerOnDevice& layer,
                 const Buffer& slices, int block_rows) {
  if (source.kind != SourceKind::words32) return false;
  const std::int64_t outputs = source.outputs.most;
  if (outputs == 0) return true;
  GroupTask task = task_for(device, layer, source.kernel_size);
  const BlockFit fit = fit_of(task);
  if (fit.tiles == 0) return false;
  task.outputs = source.outputs;
  std::copy(std::begin(source.wanted), std::end(source.wanted), task.wanted);
  Buffer own;
  const bool given = slices.bytes() != 0 && block_rows <= fit.most_rows;
  if (!given) {
    block_rows = block_rows_for(device, outputs, fit.most_rows);
    own = group_slices(device, source, block_rows);
  }
  task.slices = GroupSlices::in(given ? slices : own, outputs, source.groups, block_rows);
  task.row_blocks = static_cast<int>((outputs + block_rows - 1) / block_rows);
  choose_reads(device, task, fit.tiles);
  return true;
}

}  // namespace spira::cuda
