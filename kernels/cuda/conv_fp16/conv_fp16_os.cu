// Computes output-stationary features in fp16 for any map, including dense maps (section 5.4 of the Spira
// paper, stage "os"). The kernel is an implicit GEMM over slices of 16 consecutive rows. A slice skips an
// offset if none of its rows has an input there. Weights are read through shared memory (weight_ring.cuh).
// Rows are read directly into registers, one offset before the matrix units need them.
#include "kernels/cuda/conv_fp16/conv_fp16.cuh"
#include "kernels/cuda/conv_fp16/weight_ring.cuh"
#include "kernels/cuda/order/group_slices.hpp"

#include <algorithm>
#include <cstdint>

namespace spira::cuda {
namespace {

constexpr int max_warps = 16;  // Maximum number of warps in a thread block, including the copying warp.

/// The rows of a slice, and the columns in which at least one of the rows has an input.
struct Slice {
  /// Output rows lane / 4 and lane / 4 + 8 of the slice, or -1 if the row does not exist.
  std::int32_t row[2];
  int listed = 0;  ///< Number of columns in `list`.
  /// The columns, each stored as z-group << 3 | iz, in ascending order. The list is in the warp's part of
  /// shared memory.
  const std::uint16_t* list;
};

__device__ Slice take_slice(const MapSource& source, std::int64_t slice, std::uint16_t* list) {
  const int lane = static_cast<int>(threadIdx.x & 31U);
  const std::int64_t first = slice * slice_rows;
  const auto row_at = [&](int place) {
    return first + place < source.outputs.get() ? static_cast<std::int32_t>(first + place) : -1;
  };
  Slice taken{{row_at(lane / 4), row_at((lane / 4) + 8)}, 0, list};
  for (int first_group = 0; first_group < source.groups; first_group += 32) {
    const int group = first_group + lane;
    std::uint32_t mask = 0;
    for (int place = 0; group < source.groups && place < slice_rows; ++place) {
      const std::int32_t row = row_at(place);
      if (row >= 0) mask |= source.present(row, group);
    }
    int up_to = __popc(mask);
    const int own = up_to;
#pragma unroll
    for (int step = 1; step < 32; step *= 2) {
      const int more = __shfl_up_sync(0xFFFFFFFFU, up_to, step);
      if (lane >= step) up_to += more;
    }
    int to = taken.listed + up_to - own;
    for (std::uint32_t left = mask; left != 0; left &= left - 1)
      list[to++] = static_cast<std::uint16_t>((group << 3) | (__ffs(static_cast<int>(left)) - 1));
    taken.listed += __shfl_sync(0xFFFFFFFFU, up_to, 31);
  }
  __syncwarp();
  return taken;
}

struct OsTask {
  MapSource source;
  LayerOnDevice layer;
  WeightPlan plan;
  int rounds;  ///< Number of slices that each warp computes.
  int chunks, all_tiles;
};

/// Iterates over the columns of a slice. For each column, iterates over the chunks of input channels.
struct ChunkCursor {
  const Slice& slice;
  int chunks;
  int at = 0, chunk = 0;

  [[nodiscard]] __device__ bool ended() const { return at == slice.listed; }
  [[nodiscard]] __device__ int group() const { return slice.list[at] >> 3; }
  [[nodiscard]] __device__ int iz() const { return slice.list[at] & 7; }
  __device__ void next() {
    if (++chunk < chunks) return;
    chunk = 0;
    ++at;
  }
};

template <int chunk, int tiles> struct Rows {
  LaneFp16<chunk> of[2];

  __device__ void read(const OsTask& task, const Slice& slice, const ChunkCursor& cursor) {
    const int first = (cursor.chunk * chunk) + (static_cast<int>(threadIdx.x & 3U) * LaneFp16<chunk>::count);
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const std::int32_t input =
          slice.row[half] < 0 ? -1 : task.source.input(slice.row[half], cursor.group(), cursor.iz());
      of[half] = read_row<chunk>(task.layer, input, first);
    }
  }
};

template <int chunk, int tiles, int group>
__device__ void compute_slice(const OsTask& task, const Slice& slice, WeightWalk& weights, int first_tile) {
  using Word = decltype(LaneFp16<chunk>::v);
  const int lane = static_cast<int>(threadIdx.x & 31U);
  float sums[tiles][4] = {};
  Rows<chunk, tiles> now, next;
  ChunkCursor reading{slice, task.chunks}, work{slice, task.chunks};
  const auto read = [&] {
    if (reading.ended()) return;
    next.read(task, slice, reading);
    reading.next();
  };
  for (read(); !work.ended(); work.next()) {
    now = next;
    read();
    const int column = (work.group() * task.source.z_cells) + work.iz();
    const auto* b = reinterpret_cast<const Word*>(
                        weights.chunk((column * task.chunks) + work.chunk, 0, column, work.chunk)) +
                    lane;
    multiply_chunk(sums, fragments(now.of[0], now.of[1]), b);
  }
#pragma unroll
  for (int first = 0; first < tiles; first += group) {
    const int channel = ((first_tile + first) * 8) + (lane % 4 * 2 * group);
    const ColumnBias<group> bias(task.layer, channel);
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      if (slice.row[half] < 0) continue;
      float columns[2 * group];
      gather_columns<group>(sums + first, half, columns);
      finish_columns<group>(task.layer, slice.row[half], channel, columns, bias);
    }
  }
}

template <int chunk, int tiles, int group>
__global__ void __launch_bounds__(max_warps * 32, 1) os_kernel(const __grid_constant__ OsTask task) {
  extern __shared__ __align__(128) unsigned char shared[];
  constexpr int tile_bytes = 32 * static_cast<int>(sizeof(decltype(LaneFp16<chunk>::v)));
  const WeightPlan& plan = task.plan;
  const MapSource& source = task.source;
  const int warp = static_cast<int>(threadIdx.x / 32U);
  const int first_tile = static_cast<int>(blockIdx.y) * tiles, all_bytes = task.all_tiles * tile_bytes;
  const std::int64_t column_bytes = static_cast<std::int64_t>(task.chunks) * all_bytes;
  const bool reversed = task.layer.reversed;
  const WeightTiles tiles_of{static_cast<const unsigned char*>(task.layer.weight) +
                                 (static_cast<std::int64_t>(first_tile) * tile_bytes) +
                                 (reversed ? (task.layer.columns - 1) * column_bytes : 0),
                             reversed ? -column_bytes : column_bytes, all_bytes, tiles * tile_bytes, 1};
  auto* barriers = reinterpret_cast<Barrier*>(shared + plan.ring_bytes());
  const RingMemory ring{shared, barriers, barriers + plan.ring};
  auto* lists = reinterpret_cast<std::uint16_t*>(barriers + (2 * plan.ring));
  if (!start_ring(plan, tiles_of, task.layer.columns, ring, task.rounds)) return;
  WeightWalk weights(plan, tiles_of, ring);
  const std::int64_t slices = (source.outputs.get() + slice_rows - 1) / slice_rows;
  std::int64_t slice = (static_cast<std::int64_t>(blockIdx.x) * plan.warps) + warp;
  for (int round = 0; round < task.rounds; ++round) {
    if (slice < slices) {
      // Wait until all lanes have read the list of the previous slice.
      __syncwarp();
      const Slice taken = take_slice(source, slice, lists + (warp * source.groups * source.z_cells));
      compute_slice<chunk, tiles, group>(task, taken, weights, first_tile);
    }
    weights.end_walk();
    slice += static_cast<std::int64_t>(gridDim.x) * plan.warps;
  }
}

template <int chunk, int tiles> void launch(const Device& device, OsTask& task) {
  constexpr int group = tiles == 2 ? 2 : 4;
  WeightPlan& plan = task.plan;
  const int in_y = task.all_tiles / tiles;
  const std::int64_t slices = (task.source.outputs.max + slice_rows - 1) / slice_rows;
  const std::int64_t units = std::max(1, device.sm_count / in_y);
  plan.parts = task.chunks;
  plan.piece_bytes = tiles * 32 * static_cast<int>(sizeof(decltype(LaneFp16<chunk>::v)));
  plan.stages = task.layer.columns * plan.parts;
  plan.warps = static_cast<int>(std::clamp<std::int64_t>((slices + units - 1) / units, 1, max_warps - 1));
  const std::int64_t blocks = std::min<std::int64_t>(units, (slices + plan.warps - 1) / plan.warps);
  task.rounds = static_cast<int>((slices + (blocks * plan.warps) - 1) / (blocks * plan.warps));
  const int list_bytes = plan.warps * task.layer.columns * static_cast<int>(sizeof(std::uint16_t));
  constexpr int barrier_bytes = 2 * static_cast<int>(sizeof(Barrier));
  if (device.sm >= 90)
    plan.ring = std::min(
        plan.stages, (device.shared_bytes - kept_shared - list_bytes) / (plan.stage_bytes() + barrier_bytes));
  const int bytes = plan.ring_bytes() + (plan.ring * barrier_bytes) + list_bytes;
  auto* kernel = os_kernel<chunk, tiles, group>;
  SPIRA_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  const dim3 grid(static_cast<unsigned>(blocks), static_cast<unsigned>(in_y));
  kernel<<<grid, static_cast<unsigned>((plan.warps + 1) * 32), bytes, device.stream>>>(task);
  SPIRA_CUDA(cudaGetLastError());
}

template <int chunk> void choose(const Device& device, OsTask& task) {
  if (task.all_tiles == 2) return launch<chunk, 2>(device, task);
  if (task.all_tiles == 8) return launch<chunk, 8>(device, task);
  if (task.all_tiles == 12) return launch<chunk, 12>(device, task);
  if (task.all_tiles % 16 == 0) return launch<chunk, 16>(device, task);
  return launch<chunk, 4>(device, task);
}

}  // namespace

void output_stationary_fp16(const Device& device, const MapSource& source, const LayerOnDevice& layer) {
  if (source.outputs.max == 0) return;
  const Shape shape = shape_of(layer);
  OsTask task{source, layer, {}, 0, shape.chunks, shape.all_tiles};
  layer.in_channels <= 16 ? choose<16>(device, task) : choose<32>(device, task);
}

}  // namespace spira::cuda
