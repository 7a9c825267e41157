// Computes output-stationary features in fp16 (stage "os"). It is used if all weights of a thread block's
// output channels fit in shared memory. Each warp multiplies slices of 16 rows with all offsets of these
// rows. The sums stay in registers from the first offset to the last. The rows of a slice mostly have inputs
// at the same offsets (row_slices.hpp), so few products are wasted. No warp waits for another warp.
#include "kernels/cuda/conv_fp16/conv_fp16.cuh"
#include "kernels/cuda/conv_fp16/fp16_choice.hpp"
#include "kernels/cuda/conv_fp16/weight_ring.cuh"
#include "kernels/cuda/device/launch.cuh"
#include "kernels/cuda/order/group_slices.hpp"
#include "kernels/cuda/order/row_slices.hpp"

#include <algorithm>
#include <cstdint>

namespace spira::cuda {
namespace {

struct RowsTask {
  LayerOnDevice layer;
  SectionSlices slices;  ///< The slices of the map, which has only one section.
  RowCount outputs;
  int chunks, all_tiles;
  std::uint32_t wanted[max_groups];
};

/// Number of units whose rows are in flight. A unit is 16 rows, one offset and `reads` chunks.
template <int chunk, int reads>
constexpr int depth_of = chunk* reads <= 16   ? 6
                         : chunk* reads <= 32 ? 4
                         : chunk* reads <= 64 ? 3
                                              : 2;

/// Returns the number of threads in a thread block. It is limited by the registers that each thread needs for
/// sums, for rows in flight and for other values.
template <int chunk, int reads> constexpr int threads_of(int tiles) {
  const int registers = (tiles * 4) + (depth_of<chunk, reads> * ((reads * chunk / 4) + 1)) + 44;
  return registers <= 64    ? 1024
         : registers <= 80  ? 768
         : registers <= 102 ? 640
         : registers <= 128 ? 512
                            : 384;
}

/// All weights of a thread block's tiles, in shared memory. Shape: [columns][chunks][tiles][32 lanes]. On
/// sm_90, large weights are copied one z-group at a time while the first slices are already being multiplied.
/// For small weights, it is faster to wait until all weights have been copied.
template <int tiles, int tile_bytes, int K> class BlockWeights {
 public:
#if __CUDA_ARCH__ >= 900
  static constexpr bool arrive_later = tiles * tile_bytes >= 4096;
#endif

  /// Must be called by all threads of the thread block.
  __device__ BlockWeights(const RowsTask& task, int first_tile, unsigned char* shared, Barrier* arrived)
      : arrived_(arrived) {
    const int thread = static_cast<int>(threadIdx.x);
    const WeightTiles from = source(task, first_tile);
#if __CUDA_ARCH__ >= 900
    if constexpr (arrive_later) {
      if (thread < K * K) init_barrier(arrived + thread, 1);
      publish_barriers();
      __syncthreads();
      if (thread != 0) return;
      WeightPlan plan;
      plan.span = K;
      plan.piece_bytes = task.chunks * tiles * tile_bytes;
      for (int group = 0; group < K * K; ++group)
        copy_stage(plan, from, task.layer.columns, group, shared + (group * plan.stage_bytes()),
                   arrived + group);
      return;
    }
#endif
    constexpr int words = tiles * tile_bytes / 16;
    const int all = words * task.chunks * task.layer.columns;
    for (int at = thread; at < all; at += static_cast<int>(blockDim.x)) {
      const int piece = at / words;
      const unsigned char* chunk = from.chunk(piece / task.chunks, piece % task.chunks);
      reinterpret_cast<uint4*>(shared)[at] = __ldg(reinterpret_cast<const uint4*>(chunk) + (at % words));
    }
    __syncthreads();
  }
  /// Waits until the weights of a z-group have arrived. For the z-groups of a slice, must be called in
  /// ascending order of `group`.
  __device__ void wait_for(int group) {
#if __CUDA_ARCH__ >= 900
    if constexpr (arrive_later) {
      for (; seen_ <= group; ++seen_)
        wait(arrived_ + seen_, 0);
    }
#endif
  }

 private:
  [[nodiscard]] __device__ static WeightTiles source(const RowsTask& task, int first_tile) {
    const int chunk_bytes = task.all_tiles * tile_bytes;
    const std::int64_t column_bytes = static_cast<std::int64_t>(task.chunks) * chunk_bytes;
    const std::int64_t first_column = task.layer.reversed ? task.layer.columns - 1 : 0;
    return {static_cast<const unsigned char*>(task.layer.weight) + (first_column * column_bytes) +
                (static_cast<std::int64_t>(first_tile) * tile_bytes),
            task.layer.reversed ? -column_bytes : column_bytes, chunk_bytes, tiles * tile_bytes, task.chunks};
  }

  Barrier* arrived_;
  int seen_ = 0;
};

/// Iterates over the units of a slice, one offset after another. If `parted` is true, a unit contains only
/// some chunks of the input channels, and the units of one offset are consecutive. All lanes must call each
/// function together.
template <int chunk, int reads, int K, bool parted> class SliceUnits {
 public:
  using Word = decltype(LaneFp16<chunk>::v);
  static constexpr int groups = K * K;

  /// `words` points to the z-run words of this lane's rows.
  __device__ SliceUnits(const RowsTask& task, const uint2* words)
      : words_(words),
        parts_(parted ? task.chunks / reads : 1),
        row_bytes_(static_cast<unsigned>(task.layer.in_stride) * 2U) {
    const int first = static_cast<int>(threadIdx.x & 3U) * LaneFp16<chunk>::count;
    from_ = static_cast<const char*>(task.layer.in) + (first * 2);
    lane_channels_ = task.layer.in_read - first;
    std::uint32_t any = 0;
#pragma unroll
    for (int group = 0; group < groups; ++group) {
      const uint2 word = __ldg(words + (group * 8));
      any |= ((word.x | word.y) & task.wanted[group]) << static_cast<unsigned>(group * K);
    }
    left_ = or_of_warp(any);
  }

  /// Starts to read the rows of the next unit and waits until its weights have arrived. Returns the index of
  /// that unit (column * parts + part), or -1 if no unit is left.
  template <class Weights> __device__ int start(LaneFp16<chunk> (&rows)[2][reads], Weights& weights) {
    if (left_ == 0) return -1;
    const int column = __ffs(static_cast<int>(left_)) - 1, group = column / K;
    const std::uint32_t bit = 1U << static_cast<unsigned>(column - (group * K));
    if (group != group_) {
      group_ = group;
      word_ = __ldg(words_ + (group * 8));
      weights.wait_for(group);
    }
    const int first = parted ? part_ * reads * chunk : 0;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const std::uint32_t word = half == 0 ? word_.x : word_.y;
      const std::uint32_t position = (word >> K) + static_cast<unsigned>(__popc(word & (bit - 1U)));
      const char* row = from_ + (first * 2) + (static_cast<std::uint64_t>(position) * row_bytes_);
#pragma unroll
      for (int at = 0; at < reads; ++at) {
        rows[half][at] = {};
        if ((word & bit) != 0 && first + (at * chunk) < lane_channels_)
          rows[half][at].v = __ldg(reinterpret_cast<const Word*>(row + (at * chunk * 2)));
      }
    }
    const int unit = (column * parts_) + part_;
    if (!parted || ++part_ == parts_) {
      part_ = 0;
      left_ &= left_ - 1;
    }
    return unit;
  }

 private:
  const uint2* words_;
  const char* from_;  ///< Points to the channels of row 0 that this lane reads.
  int parts_, lane_channels_;
  unsigned row_bytes_;
  std::uint32_t left_ = 0;
  int part_ = 0, group_ = -1;
  uint2 word_{};
};

/// Multiplies the rows of a slice by the weights of all their offsets and adds the products to `sums`. While
/// one unit is multiplied, the rows of the next units are read.
template <int chunk, int reads, int tiles, int K, bool parted, class Weights>
__device__ void add_slice(float (&sums)[tiles][4], const RowsTask& task, const uint2* words, Weights& weights,
                          const unsigned char* shared) {
  using Word = decltype(LaneFp16<chunk>::v);
  constexpr int depth = depth_of<chunk, reads>, bytes_of_chunk = tiles * 32 * static_cast<int>(sizeof(Word));
  SliceUnits<chunk, reads, K, parted> units(task, words);
  LaneFp16<chunk> rows[depth][2][reads];
  int unit[depth];
#pragma unroll
  for (int slot = 0; slot < depth; ++slot)
    unit[slot] = units.start(rows[slot], weights);
  while (unit[0] >= 0) {
#pragma unroll
    for (int slot = 0; slot < depth; ++slot) {
      if (unit[slot] < 0) break;
#pragma unroll
      for (int at = 0; at < reads; ++at) {
        ChunkFragments<chunk> now = fragments(rows[slot][0][at], rows[slot][1][at]);
        settle(now.of, task.layer.zero);
        multiply_chunk(
            sums, now,
            reinterpret_cast<const Word*>(shared + (((unit[slot] * reads) + at) * bytes_of_chunk)) +
                (threadIdx.x & 31U));
      }
      unit[slot] = units.start(rows[slot], weights);
    }
  }
}

/// Returns the next slice of this thread block that no warp has taken yet. Must be called by all lanes of a
/// warp.
__device__ inline std::int64_t next_slice(int* taken) {
  int own = 0;
  if ((threadIdx.x & 31U) == 0) own = atomicAdd(taken, 1);
  own = __shfl_sync(0xFFFFFFFFU, own, 0);
  return (static_cast<std::int64_t>(own) * gridDim.x) + blockIdx.x;
}

template <int chunk, int reads, int tiles, int group, int K>
__global__ void __launch_bounds__(threads_of<chunk, reads>(tiles), 1)
    rows_kernel(const __grid_constant__ RowsTask task) {
  extern __shared__ __align__(128) unsigned char shared[];
  using Word = decltype(LaneFp16<chunk>::v);
  constexpr int tile_bytes = 32 * static_cast<int>(sizeof(Word)), groups = K * K;
  const int first_tile = static_cast<int>(blockIdx.y) * tiles;
  __shared__ int taken;
  __shared__ Barrier arrived[groups];
  if (threadIdx.x == 0) taken = 0;
  BlockWeights<tiles, tile_bytes, K> weights(task, first_tile, shared, arrived);
  const int lane = static_cast<int>(threadIdx.x & 31U), channel = (first_tile * 8) + (lane % 4 * 2 * group);
  const std::int64_t slices = (task.outputs.get() + slice_rows - 1) / slice_rows;
  // Adjacent slices are assigned to different thread blocks, so that each thread block has a share of the
  // slices with many inputs. Within a thread block, the next free warp processes the next slice.
  std::int64_t upcoming = next_slice(&taken);
  while (upcoming < slices) {
    const std::int64_t slice = upcoming;
    upcoming = next_slice(&taken);
    std::int32_t row_of[2];
#pragma unroll
    for (int half = 0; half < 2; ++half)
      row_of[half] = __ldg(task.slices.rows + (slice * slice_rows) + (lane / 4) + (half * 8));
    float sums[tiles][4] = {};
    const uint2* words = task.slices.words + (slice * groups * 8) + (lane / 4);
    if (task.chunks == reads) {
      add_slice<chunk, reads, tiles, K, false>(sums, task, words, weights, shared);
    } else {
      add_slice<chunk, reads, tiles, K, true>(sums, task, words, weights, shared);
    }
#pragma unroll
    for (int first = 0; first < tiles; first += group) {
      const ColumnBias<group> bias(task.layer, channel + (first * 8));
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        float columns[2 * group];
        gather_columns<group>(sums + first, half, columns);
        if (row_of[half] >= 0)
          finish_columns<group>(task.layer, row_of[half], channel + (first * 8), columns, bias);
      }
    }
  }
  // Wait for all copies, because a thread block must not end before its copies are complete.
  weights.wait_for(groups - 1);
}

int bytes_of_weights(const LayerOnDevice& layer, const Shape& shape, int tiles) {
  return layer.columns * shape.chunks * tiles * (layer.in_channels <= 16 ? 256 : 512);
}

/// Returns the number of tiles that a thread block computes: the largest number whose weights fit in shared
/// memory, or 0 if the layer has too many weights. If the output channels of a row are divided among several
/// thread blocks, each thread block reads the row. If there are few rows, each thread block also loads its
/// weights for little work. Therefore at most two thread blocks share a row in layers with few rows, and at
/// most four in other layers.
int tiles_of(const Device& device, const LayerOnDevice& layer, std::int64_t outputs) {
  constexpr std::int64_t enough_rows = 40000;
  const Shape shape = shape_of(layer);
  const int max_across = outputs < enough_rows ? 2 : 4;
  for (const int tiles : {12, 8, 4, 2}) {
    if (shape.all_tiles % tiles != 0 || (tiles == 12 && layer.in_channels <= 16)) continue;
    // With two tiles, a lane holds other output channels than with more tiles. Only layers with exactly two
    // tiles have weights in the order for two tiles.
    if (tiles == 2 && shape.all_tiles != 2) continue;
    if (shape.all_tiles / tiles > max_across) return 0;
    if (bytes_of_weights(layer, shape, tiles) <= device.shared_bytes - kept_shared) return tiles;
  }
  return 0;
}

template <int chunk, int reads, int tiles, int K> void launch(const Device& device, const RowsTask& task) {
  constexpr int group = tiles == 2 ? 2 : 4, threads = threads_of<chunk, reads>(tiles);
  const int bytes = bytes_of_weights(task.layer, {task.chunks, task.all_tiles}, tiles);
  auto* kernel = rows_kernel<chunk, reads, tiles, group, K>;
  SPIRA_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  const auto across = static_cast<unsigned>(task.all_tiles / tiles);
  const std::int64_t slices = (task.outputs.max + slice_rows - 1) / slice_rows;
  const auto blocks =
      static_cast<unsigned>(std::min<std::int64_t>(slices, std::max(1U, device.sm_count / across)));
  kernel<<<dim3(blocks, across), threads, static_cast<std::size_t>(bytes), device.stream>>>(task);
  SPIRA_CUDA(cudaGetLastError());
}

template <int chunk, int reads, int K>
void choose_tiles(const Device& device, const RowsTask& task, int tiles) {
  switch (tiles) {
    case 2:
      return launch<chunk, reads, 2, K>(device, task);
    case 4:
      return launch<chunk, reads, 4, K>(device, task);
    case 8:
      return launch<chunk, reads, 8, K>(device, task);
    default:
      if constexpr (chunk == 32) return launch<chunk, reads, 12, K>(device, task);
  }
}

template <int chunk, int reads>
void choose_size(const Device& device, const RowsTask& task, int K, int tiles) {
  switch (K) {
    case 1:
      return choose_tiles<chunk, reads, 1>(device, task, tiles);
    case 2:
      return choose_tiles<chunk, reads, 2>(device, task, tiles);
    default:
      return choose_tiles<chunk, reads, 3>(device, task, tiles);
  }
}

}  // namespace

std::optional<int> suits_rows(const Device& device, const LayerOnDevice& layer, int kernel_size,
                              const MapRows& rows) {
  const bool suits = kernel_size <= 3 && tiles_of(device, layer, rows.outputs) != 0;
  return suits ? std::optional(0) : std::nullopt;
}

void rows_fp16(const Device& device, const MapSource& source, const LayerOnDevice& layer,
               const OrderedRows& rows) {
  if (source.outputs.max == 0) return;
  const Shape shape = shape_of(layer);
  RowsTask task{layer,           SectionSlices::in(rows.order, source.outputs.max, source.cube, 0),
                source.outputs,  shape.chunks,
                shape.all_tiles, {}};
  std::copy(std::begin(source.wanted), std::end(source.wanted), task.wanted);
  const int tiles = tiles_of(device, layer, source.outputs.max), K = source.cube;
  if (layer.in_channels <= 16) return choose_size<16, 1>(device, task, K, tiles);
  if (K == 3 && tiles == 4 && shape.chunks == 4) return launch<32, 4, 4, 3>(device, task);
  if (K == 3 && tiles == 4 && shape.chunks == 3) return launch<32, 3, 4, 3>(device, task);
  return shape.chunks % 2 == 0 ? choose_size<32, 2>(device, task, K, tiles)
                               : choose_size<32, 1>(device, task, K, tiles);
}

}  // namespace spira::cuda
