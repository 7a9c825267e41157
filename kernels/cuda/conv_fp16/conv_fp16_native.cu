// Computes the features of native layers in fp16 (stage "ws"). The map stores pair lists, in which an output
// can have several pairs in a column.
//
// One warp processes a block of consecutive outputs and stores their fp32 sums in shared memory. No other
// warp adds to these sums, so no atomic operation is needed and the order of the additions never changes. In
// each column, the pairs of the block are adjacent (column_starts.hpp). The warp multiplies slices of 16
// pairs. Pairs of the same output are adjacent in a slice; their products are added one after another, by
// their rank among the pairs of the output in the slice.
#include "kernels/cuda/conv_fp16/block_sums.cuh"
#include "kernels/cuda/conv_fp16/conv_fp16.cuh"
#include "kernels/cuda/conv_fp16/native_fp16.hpp"

#include <algorithm>
#include <cstdint>

namespace spira::cuda {
namespace {

constexpr int max_warps = 4, max_rows_of_warp = 64, row_bits = 8;
/// The number of thread blocks for which a multiprocessor must have enough registers. With 8 tiles, the sums
/// of 3 blocks leave 60 KiB of its memory to the cache in which the warps share weights (sm_90).
template <int tiles> constexpr int blocks_of_sm = tiles == 8 ? 3 : 4;

struct NativeTask {
  LayerOnDevice layer;
  NativePairs lists;
  Shape shape;
  int rows_of_warp;
};

/// A range of up to 16 pairs of one column. `count` is 0 after the last slice.
struct Slice {
  std::uint32_t first = 0;
  int count = 0, column = 0;
};

/// Divides the pairs of a block of outputs into slices. Lane l holds the range of column base + l. All lanes
/// of a warp must call each function together.
class SliceWalk {
 public:
  __device__ SliceWalk(const NativeTask& task, std::int64_t first_row) : columns_(task.layer.columns) {
    const std::int64_t unit = first_row / rows_of_start_unit,
                       units = (task.lists.outputs + rows_of_start_unit - 1) / rows_of_start_unit;
    begins_ = task.lists.starts + (unit * columns_);
    ends_ = task.lists.starts + (min(unit + (task.rows_of_warp / rows_of_start_unit), units) * columns_);
    read_ranges();
  }
  __device__ Slice next() {
    if (left_ == 0) {
      while (filled_ == 0) {
        base_ += 32;
        if (base_ >= columns_) return {};
        read_ranges();
      }
      const int from = __ffs(static_cast<int>(filled_)) - 1;
      filled_ &= filled_ - 1;
      column_ = base_ + from;
      first_ = __shfl_sync(0xFFFFFFFFU, begin_, from);
      left_ = __shfl_sync(0xFFFFFFFFU, count_, from);
    }
    const Slice slice{first_, min(left_, slice_rows), column_};
    first_ += slice_rows;
    left_ -= slice.count;
    return slice;
  }

 private:
  __device__ void read_ranges() {
    const int column = base_ + static_cast<int>(threadIdx.x & 31U);
    const bool there = column < columns_;
    begin_ = there ? __ldg(begins_ + column) : 0U;
    count_ = there ? static_cast<int>(__ldg(ends_ + column) - begin_) : 0;
    filled_ = __ballot_sync(0xFFFFFFFFU, count_ != 0);
  }

  const std::uint32_t *begins_, *ends_;
  int columns_, base_ = 0, column_ = 0;
  std::uint32_t begin_ = 0, first_ = 0;
  int count_ = 0, left_ = 0;
  unsigned filled_ = 0;  ///< Columns from base_ on that have pairs and were not visited yet.
};

/// The pairs of a slice as one lane needs them: those at lane / 4 and at lane / 4 + 8. Positions after the
/// last pair repeat its input; their products are not added.
struct SlicePairs {
  std::int32_t in[2];
  /// The output within the block in the lower 8 bits. The upper bits are its rank: the number of earlier
  /// pairs of the same output in the slice. no_row after the last pair, which is no rank of a slice.
  std::uint32_t ranked_row[2];
  int column, ranks;  ///< `ranks` is one more than the highest rank in the slice, or 0 without a pair.

  /// Lane l of each half of the warp reads the pair at position l.
  __device__ static int2 read(const NativeTask& task, const Slice& slice) {
    const int at = min(static_cast<int>(threadIdx.x & 15U), slice.count - 1);
    return slice.count == 0 ? make_int2(-1, -1) : __ldg(task.lists.pairs + slice.first + at);
  }
  __device__ SlicePairs(const Slice& slice, const int2& pair, std::int64_t first_row)
      : column(slice.column), ranks(slice.count == 0 ? 0 : 1) {
    const int lane = static_cast<int>(threadIdx.x & 31U);
    const int before = __shfl_up_sync(0xFFFFFFFFU, pair.x, 1);
    const unsigned heads = __ballot_sync(0xFFFFFFFFU, lane % slice_rows == 0 || pair.x != before);
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int at = (lane / 4) + (half * 8);
      const std::int32_t output = __shfl_sync(0xFFFFFFFFU, pair.x, at);
      in[half] = __shfl_sync(0xFFFFFFFFU, pair.y, at);
      const int rank = at - (31 - __clz(static_cast<int>(heads & ((2U << at) - 1U))));
      ranked_row[half] = at < slice.count ? static_cast<std::uint32_t>(rank << row_bits) |
                                                static_cast<std::uint32_t>(output - first_row)
                                          : no_row;
    }
    // A run of r bits shows r pairs with the output of the pair before them. Each step shortens all runs.
    for (unsigned repeats = ~heads & ((1U << slice.count) - 1U); repeats != 0; repeats &= repeats << 1)
      ++ranks;
  }
};

/// The input rows of a slice in `steps` chunks of channels.
template <int chunk, int steps> struct UnitRows {
  LaneFp16<chunk> of[steps][2];

  __device__ void read(const LayerOnDevice& layer, const SlicePairs& pairs, int unit) {
    const int first = (unit * steps * chunk) + (static_cast<int>(threadIdx.x & 3U) * LaneFp16<chunk>::count);
#pragma unroll
    for (int step = 0; step < steps; ++step) {
#pragma unroll
      for (int half = 0; half < 2; ++half)
        of[step][half] = read_row<chunk>(layer, pairs.in[half], first + (step * chunk));
    }
  }
};

/// Adds the products of all pairs of a block of outputs to `block_sums`, which has the shape
/// [rows][tiles * 8]. While a unit of channels is multiplied, the rows of the next unit or of the next slice
/// are read, and the pairs of the slice after that.
template <int chunk, int steps, int tiles, int group>
__device__ void add_slices(const NativeTask& task, std::int64_t first_row, float* block_sums) {
  using Word = decltype(LaneFp16<chunk>::v);
  const int lane = static_cast<int>(threadIdx.x & 31U), units = task.shape.chunks / steps;
  const auto* weights =
      static_cast<const Word*>(task.layer.weight) + (static_cast<int>(blockIdx.y) * tiles * 32) + lane;
  const int words = task.shape.all_tiles * 32;
  SliceWalk walk(task, first_row);
  const Slice first = walk.next();
  SlicePairs now(first, SlicePairs::read(task, first), first_row);
  Slice ahead = walk.next();
  int2 pair = SlicePairs::read(task, ahead);
  UnitRows<chunk, steps> rows, next;
  rows.read(task.layer, now, 0);
  SliceSums<tiles, group> sums;
  while (now.ranks != 0) {
    const SlicePairs following(ahead, pair, first_row);
    ahead = walk.next();
    pair = SlicePairs::read(task, ahead);
    const Word* of_column = weights + (static_cast<std::int64_t>(now.column) * task.shape.chunks * words);
    for (int unit = 0; unit < units; ++unit) {
      unit + 1 < units ? next.read(task.layer, now, unit + 1) : next.read(task.layer, following, 0);
#pragma unroll
      for (int step = 0; step < steps; ++step) {
        Word b[tiles];
#pragma unroll
        for (int tile = 0; tile < tiles; ++tile)
          b[tile] = __ldg(of_column + (((unit * steps) + step) * words) + (tile * 32));
        multiply_chunk<1>(sums.of, fragments(rows.of[step][0], rows.of[step][1]), b);
      }
      rows = next;
    }
    for (int rank = 0; rank < now.ranks; ++rank) {
      std::uint32_t to[2];
#pragma unroll
      for (int half = 0; half < 2; ++half)
        to[half] = now.ranked_row[half] >> row_bits == static_cast<std::uint32_t>(rank)
                       ? now.ranked_row[half] & ((1U << row_bits) - 1U)
                       : no_row;
      sums.add_to(block_sums, to);
      // Wait for all lanes, because the next rank or slice may add to the same sums in other lanes.
      __syncwarp();
    }
    sums.clear();
    now = following;
  }
}

template <int chunk, int steps, int tiles, int group>
__global__ void __launch_bounds__(max_warps * 32, blocks_of_sm<tiles>)
    native_kernel(const __grid_constant__ NativeTask task) {
  extern __shared__ __align__(16) float shared[];
  constexpr int channels = tiles * 8, each = 2 * group, lanes_of_row = channels / each;
  const int warp = static_cast<int>(threadIdx.x / 32U), lane = static_cast<int>(threadIdx.x & 31U);
  const std::int64_t block = (static_cast<std::int64_t>(blockIdx.x) * (blockDim.x / 32U)) + warp,
                     first_row = block * task.rows_of_warp;
  if (first_row >= task.lists.outputs) return;
  const auto rows =
      static_cast<int>(min(static_cast<std::int64_t>(task.rows_of_warp), task.lists.outputs - first_row));
  float* const sums = shared + (warp * task.rows_of_warp * channels);
  for (int at = lane * 4; at < rows * channels; at += 128)
    *reinterpret_cast<float4*>(sums + at) = {};
  __syncwarp();
  add_slices<chunk, steps, tiles, group>(task, first_row, sums);
  const int in_tiles = lane % lanes_of_row * each,
            channel = (static_cast<int>(blockIdx.y) * channels) + in_tiles;
  const ColumnBias<group> bias(task.layer, channel);
#pragma unroll 2
  for (int row = lane / lanes_of_row; row < rows; row += 32 / lanes_of_row) {
    float columns[each];
#pragma unroll
    for (int at = 0; at < each; at += 4)
      *reinterpret_cast<float4*>(columns + at) =
          *reinterpret_cast<const float4*>(sums + (row * channels) + in_tiles + at);
    finish_columns<group>(task.layer, first_row + row, channel, columns, bias);
  }
}

template <int chunk, int steps, int tiles> void launch(const Device& device, NativeTask task) {
  // With fewer rows, slices contain more padding. With more rows, there are too few warps for the device.
  constexpr std::int64_t enough_warps_of_sm = 6;
  const std::int64_t across = task.shape.all_tiles / tiles;
  const auto warps_with = [&](int rows) { return (task.lists.outputs + rows - 1) / rows; };
  task.rows_of_warp = max_rows_of_warp;
  while (task.rows_of_warp > rows_of_start_unit &&
         warps_with(task.rows_of_warp) * across < enough_warps_of_sm * device.sm_count)
    task.rows_of_warp /= 2;
  const std::int64_t all_warps = warps_with(task.rows_of_warp);
  const std::int64_t warps = std::clamp<std::int64_t>(all_warps * across / device.sm_count, 1, max_warps);
  const auto bytes = static_cast<int>(warps * task.rows_of_warp * tiles * 8 * sizeof(float));
  auto* kernel = native_kernel<chunk, steps, tiles, (tiles == 2 ? 2 : 4)>;
  SPIRA_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  const dim3 grid(blocks_for(all_warps, warps), static_cast<unsigned>(across));
  kernel<<<grid, static_cast<unsigned>(warps * 32), static_cast<std::size_t>(bytes), device.stream>>>(task);
  SPIRA_CUDA(cudaGetLastError());
}

template <int chunk, int steps> void choose_tiles(const Device& device, const NativeTask& task) {
  if (task.shape.all_tiles == 2) return launch<chunk, steps, 2>(device, task);
  task.shape.all_tiles % 8 == 0 ? launch<chunk, steps, 8>(device, task)
                                : launch<chunk, steps, 4>(device, task);
}

}  // namespace

void native_fp16(const Device& device, const NativePairs& pairs, const LayerOnDevice& layer) {
  if (pairs.outputs == 0) return;
  const NativeTask task{layer, pairs, shape_of(layer), 0};
  if (layer.in_channels <= 16) return choose_tiles<16, 1>(device, task);
  task.shape.chunks % 2 == 0 ? choose_tiles<32, 2>(device, task) : choose_tiles<32, 1>(device, task);
}

}  // namespace spira::cuda
