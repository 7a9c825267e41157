// Computes output-stationary features in fp16 for a z-run map, one z-group after another (section 5.4 of the
// Spira paper, stage "os").
//
// A thread block processes a block of rows and stores their fp32 sums in shared memory. For each z-group, its
// warps process slices of 16 rows that have inputs at the same offsets of the group (group_slices.hpp). A
// warp multiplies a slice in registers and then adds the result to the sums. A row is in at most one slice of
// a group, so an addition waits only for the slices of earlier groups. While the matrix units multiply one
// offset, the warp already reads the data of the next offset.
#include "kernels/cuda/conv_fp16/block_sums.cuh"
#include "kernels/cuda/conv_fp16/fp16_choice.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace spira::cuda {
namespace {

/// Maximum number of rows per block that suits_groups() chooses. Larger blocks are not faster and take longer
/// to sort.
constexpr int usual_block_rows = 512;
/// Rates of one multiprocessor, measured on an H200 (docs/gpu-log.md). suits_groups() computes the number of
/// rows per block from these rates.
constexpr double flops_per_ns = 900.0, weight_bytes_per_ns = 38.0, ns_of_block = 2000.0, ns_of_group = 150.0;

/// Returns the number of warps in a thread block, including the copying warp. The number of registers limits
/// the number of warps. A warp needs 4 registers per tile of sums and 66 other registers. It also stores two
/// sets of rows in registers. Each set needs 8 registers per offset and chunk of 32 channels. `whole` is the
/// number of offsets that are read at once, or 0 if offsets are read one after another.
constexpr int warps_of(int chunk, int reads, int tiles, int whole) {
  const int offsets = whole == 0 ? 1 : whole;
  const int registers = (tiles * 4) + (offsets * reads * (chunk / 2)) + 66;
  return registers <= 82 ? 24 : registers <= 100 ? 20 : registers <= 130 ? 16 : 12;
}

template <int chunk, int reads, int tiles>
__device__ void multiply(float (&sums)[tiles][4], const ChunkFragments<chunk> (&rows)[reads],
                         const unsigned char* weights, int chunk_bytes) {
  using Word = decltype(LaneFp16<chunk>::v);
#pragma unroll
  for (int at = 0; at < reads; ++at) {
    const Word* b = reinterpret_cast<const Word*>(weights + (at * chunk_bytes)) + (threadIdx.x & 31U);
    multiply_chunk(sums, rows[at], b);
  }
}

/// Multiplies all slices that a warp processes in one block of rows, and adds the products to `block_sums`.
/// Multiplies the slices by the weights of one offset at a time.
template <int chunk, int reads, int tiles, int group>
__device__ void add_slices(const GroupTask& task, std::int64_t block, const WeightTiles& tiles_of,
                           WeightWalk& weights, const int* counts, float* block_sums, Turns& turns) {
  UnitReader<chunk, reads> reader(task, block, counts);
  SliceSums<tiles, group> sums;
  Unit unit, next;
  LaneFp16<chunk> rows[reads][2];
  reader.read(next, rows);
  turns.start(next.there ? next.stage : task.plan.stages);
  const int step = WeightWalk::chunk_bytes(tiles_of);
  while (next.there) {
    unit = next;
    ChunkFragments<chunk> now[reads];
#pragma unroll
    for (int at = 0; at < reads; ++at)
      now[at] = fragments(rows[at][0], rows[at][1]);
    reader.read(next, rows);
    multiply(sums.of, now,
             weights.chunk(unit.stage, (unit.iz * task.plan.piece_bytes) + (unit.inner * reads * step),
                           (unit.group * task.kernel_size) + unit.iz, unit.chunk),
             step);
    if (!unit.last) continue;
    turns.wait_for(unit.stage, unit.first);
    sums.add_to(block_sums, unit.row);
    sums.clear();
    turns.added(next.there ? next.stage : task.plan.stages);
  }
}

/// Like add_slices(), but reads and multiplies all offsets of a slice at once. `whole` is the kernel size.
template <int chunk, int tiles, int group, int whole>
__device__ void add_whole_slices(const GroupTask& task, std::int64_t block, const WeightTiles& tiles_of,
                                 WeightWalk& weights, const int* counts, float* block_sums, Turns& turns) {
  SliceReader<chunk, whole> reader(task, block, counts);
  SliceSums<tiles, group> sums;
  WholeSlice slice, next;
  LaneFp16<chunk> rows[whole][2];
  reader.read(next, rows);
  turns.start(next.there ? next.group : task.plan.stages);
  const std::int64_t step = WeightWalk::column_bytes(task.plan, tiles_of);
  while (next.there) {
    slice = next;
    ChunkFragments<chunk> now[whole][1];
#pragma unroll
    for (int iz = 0; iz < whole; ++iz) {
      now[iz][0] = fragments(rows[iz][0], rows[iz][1]);
      settle(now[iz][0].of, task.layer.zero);
    }
    reader.read(next, rows);
    const unsigned char* from = weights.chunk(slice.group, 0, slice.group * whole, 0);
#pragma unroll
    for (int iz = 0; iz < whole; ++iz) {
      if ((slice.offsets >> iz & 1U) != 0) multiply(sums.of, now[iz], from + (iz * step), 0);
    }
    turns.wait_for(slice.group, slice.first);
    sums.add_to(block_sums, slice.row);
    sums.clear();
    turns.added(next.there ? next.group : task.plan.stages);
  }
}

template <int chunk, int reads, int tiles, int group, int whole>
__global__ void __launch_bounds__(warps_of(chunk, reads, tiles, whole) * 32, 1)
    groups_kernel(const __grid_constant__ GroupTask task) {
  extern __shared__ __align__(128) unsigned char shared[];
  __shared__ int counts[max_stages];
  __shared__ TurnMemory turn_memory;
  constexpr int tile_bytes = 32 * static_cast<int>(sizeof(decltype(LaneFp16<chunk>::v)));
  const WeightPlan& plan = task.plan;
  const int first_tile = static_cast<int>(blockIdx.y) * tiles, all_bytes = task.all_tiles * tile_bytes;
  const std::int64_t column_bytes = static_cast<std::int64_t>(task.chunks) * all_bytes;
  const std::int64_t first_column = task.layer.reversed ? task.layer.columns - 1 : 0;
  const WeightTiles tiles_of{static_cast<const unsigned char*>(task.layer.weight) +
                                 (first_column * column_bytes) +
                                 (static_cast<std::int64_t>(first_tile) * tile_bytes),
                             task.layer.reversed ? -column_bytes : column_bytes, all_bytes,
                             tiles * tile_bytes, task.chunks / plan.parts};
  auto* sums = reinterpret_cast<float*>(shared + plan.ring_bytes());
  const int all_sums = task.slices.block_rows * tiles * 8;
  auto* barriers = reinterpret_cast<Barrier*>(sums + all_sums);
  const RingMemory ring{shared, barriers, barriers + plan.ring};
  const int blocks = static_cast<int>(gridDim.x), own = static_cast<int>(blockIdx.x);
  const std::int64_t outputs = task.outputs.get();
  const auto row_blocks = static_cast<int>((outputs + task.slices.block_rows - 1) / task.slices.block_rows);
  if (own >= row_blocks) return;
  const int walks = (row_blocks - own + blocks - 1) / blocks;
  turn_memory.init(plan);
  if (!start_ring(plan, tiles_of, task.layer.columns, ring, walks)) return;
  for (int at = static_cast<int>(threadIdx.x); at < all_sums; at += plan.warps * 32)
    sums[at] = 0.0F;
  WeightWalk weights(plan, tiles_of, ring);
  unsigned walk = 0;
  for (int block = own; block < row_blocks; block += blocks, ++walk) {
    if (threadIdx.x < static_cast<unsigned>(plan.stages))
      counts[threadIdx.x] = __ldg(task.slices.counts + (static_cast<std::int64_t>(block) * task.groups) +
                                  (threadIdx.x / static_cast<unsigned>(plan.parts)));
    turn_memory.start_walk();
    wait_for_all(plan);
    Turns turns(turn_memory, walk);
    if constexpr (whole == 0) {
      add_slices<chunk, reads, tiles, group>(task, block, tiles_of, weights, counts, sums, turns);
    } else {
      add_whole_slices<chunk, tiles, group, whole>(task, block, tiles_of, weights, counts, sums, turns);
    }
    weights.end_walk();
    wait_for_all(plan);
    finish_block<tiles, group>(task, block, outputs, sums, first_tile);
  }
}

/// Returns the size in bytes of a thread block's shared memory, not including the weight ring.
int bytes_beside_ring(int block_rows, int tiles) {
  return block_rows * tiles * 8 * static_cast<int>(sizeof(float));
}

/// Returns a plan for copying the weights to a thread block that processes `block_rows` rows. In the plan,
/// `ring` is 0 if the weights are not copied to shared memory. This is the case on devices before sm_90, and
/// if the weights do not fit.
WeightPlan plan_for(const GroupTask& task, int block_rows, int tiles, int tile_bytes, int warps) {
  WeightPlan plan;
  plan.span = task.kernel_size;
  plan.parts = task.plan.parts;
  plan.piece_bytes = task.chunks / plan.parts * tiles * tile_bytes;
  plan.stages = task.groups * plan.parts;
  plan.warps = warps - 1;
  if (!task.ring) return plan;
  const int left = task.max_shared - bytes_beside_ring(block_rows, tiles);
  const int fitting = left / (plan.stage_bytes() + static_cast<int>(2 * sizeof(Barrier)));
  plan.ring = std::min(plan.stages, fitting);
  if (plan.ring < 2 && plan.ring != plan.stages) plan.ring = 0;
  return plan;
}

/// Returns the size in bytes of a thread block's shared memory, including the weight ring.
int shared_of(const GroupTask& task, int tiles) {
  return task.plan.ring_bytes() + bytes_beside_ring(task.slices.block_rows, tiles) +
         (task.plan.ring * static_cast<int>(2 * sizeof(Barrier)));
}

/// Returns the maximum number of rows per block, or 0 if shared memory has space for fewer than
/// min_block_rows rows.
int max_rows_of(const GroupTask& task, int tiles, int tile_bytes) {
  for (int rows = max_block_rows; rows >= min_block_rows; rows -= 32) {
    const int sums = bytes_beside_ring(rows, tiles);
    if (sums > std::min(max_sums, task.max_shared)) continue;
    if (!task.ring || plan_for(task, rows, tiles, tile_bytes, 2).ring != 0) return rows;
  }
  return 0;
}

template <int chunk, int reads, int tiles, int whole> void launch_as(const Device& device, GroupTask& task) {
  constexpr int group = tiles == 2 ? 2 : 4;
  constexpr int tile_bytes = 32 * static_cast<int>(sizeof(decltype(LaneFp16<chunk>::v)));
  task.plan = plan_for(task, task.slices.block_rows, tiles, tile_bytes, warps_of(chunk, reads, tiles, whole));
  const int bytes = shared_of(task, tiles);
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

/// Selects how many chunks a warp reads at once: the largest number up to 4 that divides the number of
/// chunks.
void choose_reads(const Device& device, GroupTask& task, int tiles) {
  if (task.layer.in_channels <= 16) return choose_tiles<16, 1>(device, task, tiles);
  const int chunks = task.chunks / task.plan.parts;
  if (chunks % 4 == 0) return choose_tiles<32, 4>(device, task, tiles);
  if (chunks % 3 == 0) return choose_tiles<32, 3>(device, task, tiles);
  if (chunks % 2 == 0) return choose_tiles<32, 2>(device, task, tiles);
  return choose_tiles<32, 1>(device, task, tiles);
}

GroupTask task_for(const Device& device, const LayerOnDevice& layer, int kernel_size) {
  const Shape shape = shape_of(layer);
  GroupTask task{};
  task.layer = layer;
  task.max_shared = device.shared_bytes - kept_shared;
  task.ring = device.sm >= 90;
  task.groups = kernel_size * kernel_size;
  task.kernel_size = kernel_size;
  task.chunks = shape.chunks;
  task.all_tiles = shape.all_tiles;
  return task;
}

/// The output channels and rows that one thread block can compute. `tiles` is the largest number of tiles of
/// output channels for which at least min_block_rows rows fit in shared memory.
struct BlockFit {
  int tiles = 0, max_rows = 0;  ///< Both are 0 if the layer is too wide.
};

/// Returns the output channels and rows that one thread block can compute. Sets task.plan.parts, the number
/// of parts into which the input channels are divided. With fewer parts, fewer partial sums must be added.
/// With more parts, more rows fit in a block, so more rows share each read of the weights.
BlockFit fit_of(GroupTask& task) {
  // If the input channels are divided into parts, a warp reads all chunks of a part at once. Therefore a part
  // must not have more than `max_chunks` chunks.
  constexpr int enough_rows = 224, max_chunks = 4;
  const int tile_bytes = task.layer.in_channels <= 16 ? 256 : 512;
  for (const int tiles : {12, 8, 4, 2}) {
    if (task.all_tiles % tiles != 0 || (tiles == 2 && task.all_tiles != 2)) continue;
    BlockFit best{tiles, 0};
    int best_parts = 1;
    for (int parts = 1; parts <= task.chunks && best.max_rows < enough_rows; ++parts) {
      if (task.chunks % parts != 0 || (parts > 1 && task.chunks / parts > max_chunks)) continue;
      if (task.groups * parts > max_stages) continue;
      task.plan.parts = parts;
      const int rows = max_rows_of(task, tiles, tile_bytes);
      if (rows <= best.max_rows) continue;
      best.max_rows = rows;
      best_parts = parts;
    }
    task.plan.parts = best_parts;
    if (best.max_rows != 0) return best;
  }
  return {};
}

}  // namespace

std::optional<int> suits_groups(const Device& device, const LayerOnDevice& layer, int kernel_size,
                                const MapRows& rows_of_map) {
  GroupTask task = task_for(device, layer, kernel_size);
  const BlockFit fit = fit_of(task);
  if (fit.tiles == 0) return std::nullopt;
  // A multiprocessor runs its thread blocks one after another, and each thread block reads all weights of its
  // channels.
  const double channels = fit.tiles * 8.0, in_channels = layer.in_channels;
  const double offsets = layer.columns, across = static_cast<double>(task.all_tiles) / fit.tiles;
  // The assumed share of pairs (row, offset) for which the row has an input at the offset.
  const double found = kernel_size >= 5 ? 0.15 : 0.25;
  const double ns_of_row = offsets * found * in_channels * channels * 2.0 / flops_per_ns;
  const double ns_of_weights = offsets * in_channels * channels * 2.0 / weight_bytes_per_ns;
  int best = 0;
  double best_ns = 0;
  for (int rows = min_block_rows; rows <= std::min(fit.max_rows, usual_block_rows); rows += 32) {
    if (bytes_to_sort(kernel_size, rows) > static_cast<std::size_t>(device.shared_bytes)) break;
    const double blocks = std::ceil(static_cast<double>(rows_of_map.outputs) / rows) * across;
    const double rounds = std::ceil(blocks / device.sm_count);
    const double ns =
        rounds * ((rows * ns_of_row) + ns_of_weights + ns_of_block + (task.groups * ns_of_group));
    if (best != 0 && ns > best_ns) continue;
    best = rows;
    best_ns = ns;
  }
  return best != 0 ? std::optional(best) : std::nullopt;
}

void groups_fp16(const Device& device, const MapSource& source, const LayerOnDevice& layer,
                 const OrderedRows& rows) {
  const std::int64_t outputs = source.outputs.max;
  if (outputs == 0) return;
  GroupTask task = task_for(device, layer, source.cube);
  const BlockFit fit = fit_of(task);
  SPIRA_ASSERT(rows.block_rows <= fit.max_rows, "the blocks of the map have too many rows for the layer");
  task.outputs = source.outputs;
  std::copy(std::begin(source.wanted), std::end(source.wanted), task.wanted);
  task.slices = GroupSlices::in(rows.order, outputs, source.groups, rows.block_rows);
  task.row_blocks = static_cast<int>((outputs + rows.block_rows - 1) / rows.block_rows);
  choose_reads(device, task, fit.tiles);
}

}  // namespace spira::cuda
