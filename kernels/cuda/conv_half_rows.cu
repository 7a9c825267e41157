// Output-stationary features in fp16 where all weights of a block's channels fit in its shared memory: each
// warp takes slices of 16 rows with all their offsets, and the sums stay in registers from the first offset
// to the last. The rows of a slice mostly have the same offsets (row_slices), so little is multiplied for
// nothing, and there is nothing to wait for.
#include "kernels/cuda/conv_half.cuh"
#include "kernels/cuda/group_slices.hpp"
#include "kernels/cuda/row_slices.hpp"
#include "kernels/cuda/warp.cuh"

#include <algorithm>
#include <cstdint>

namespace spira::cuda {
namespace {

struct RowsTask {
  LayerOnDevice layer;
  RowSlices slices;
  RowCount outputs;
  int chunks, all_tiles;
  std::uint32_t wanted[most_groups];
};

/// Threads of a block, by the registers that they need: sums, what is read at once of a z-group, and the
/// rest.
constexpr int threads_of(int chunk, int reads, int tiles, int K) {
  const int registers = (tiles * 4) + (K * 2 * reads * (chunk / 8)) + 40;
  return registers <= 64 ? 1024 : registers <= 80 ? 768 : registers <= 128 ? 512 : 384;
}

/// Weights of the block's tiles to shared memory: [columns][chunks][tiles][32 lanes].
template <int tile_bytes>
__device__ void load_weights(const RowsTask& task, int first_tile, int tiles, unsigned char* shared) {
  const int words_of_chunk = tiles * tile_bytes / 16, chunks = task.layer.columns * task.chunks;
  for (int at = static_cast<int>(threadIdx.x); at < words_of_chunk * chunks;
       at += static_cast<int>(blockDim.x)) {
    const int to = at / words_of_chunk, word = at % words_of_chunk;
    const int column = to / task.chunks, chunk = to % task.chunks;
    const int from = task.layer.reversed ? task.layer.columns - 1 - column : column;
    const auto* weights =
        static_cast<const unsigned char*>(task.layer.weight) +
        ((((static_cast<std::int64_t>(from) * task.chunks) + chunk) * task.all_tiles) + first_tile) *
            tile_bytes;
    reinterpret_cast<uint4*>(shared)[at] = __ldg(reinterpret_cast<const uint4*>(weights) + word);
  }
  __syncthreads();
}

/// One z-group of a slice: reads the rows of all its offsets, then multiplies them.
template <int chunk, int reads, int tiles, int K>
__device__ void add_group(float (&sums)[tiles][4], const RowsTask& task, const uint2& words,
                          std::uint32_t offsets, const unsigned char* weights) {
  using Word = decltype(LaneHalves<chunk>::v);
  constexpr int tile_bytes = 32 * static_cast<int>(sizeof(Word));
  const int piece_bytes = task.chunks * tiles * tile_bytes;
  const auto row_bytes = static_cast<unsigned>(task.layer.in_stride) * 2U;
  for (int first_chunk = 0; first_chunk < task.chunks; first_chunk += reads) {
    const int first = (first_chunk * chunk) + (static_cast<int>(threadIdx.x & 3U) * LaneHalves<chunk>::count);
    const auto* in = static_cast<const char*>(task.layer.in) + (first * 2);
    LaneHalves<chunk> rows[K][2][reads];
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const std::uint32_t word = half == 0 ? words.x : words.y;
      const char* row = in + (static_cast<std::uint64_t>(word >> K) * row_bytes);
#pragma unroll
      for (int at = 0; at < reads; ++at) {
        const std::uint32_t bits = first + (at * chunk) < task.layer.in_read ? word : 0U;
#pragma unroll
        for (int iz = 0; iz < K; ++iz) {
          rows[iz][half][at] = {};
          const auto before = static_cast<unsigned>(__popc(word & ((1U << iz) - 1U)));
          if ((bits >> iz & 1U) != 0)
            rows[iz][half][at].v = __ldg(reinterpret_cast<const Word*>(
                row + (static_cast<std::uint64_t>(before) * row_bytes) + (at * chunk * 2)));
        }
      }
    }
#pragma unroll
    for (int iz = 0; iz < K; ++iz) {
      if ((offsets >> iz & 1U) == 0) continue;
#pragma unroll
      for (int at = 0; at < reads; ++at) {
        ChunkFragments<chunk> now = fragments(rows[iz][0][at], rows[iz][1][at]);
        if constexpr (K >= 3) settle(now.of, task.layer.zero);  // below, it was slower
        const unsigned char* piece = weights + (iz * piece_bytes) + ((first_chunk + at) * tiles * tile_bytes);
        multiply_chunk(sums, now, reinterpret_cast<const Word*>(piece) + (threadIdx.x & 31U));
      }
    }
  }
}

template <int chunk, int reads, int tiles, int group, int K>
__global__ void __launch_bounds__(threads_of(chunk, reads, tiles, K), 1)
    rows_kernel(const __grid_constant__ RowsTask task) {
  extern __shared__ __align__(128) unsigned char shared[];
  using Word = decltype(LaneHalves<chunk>::v);
  constexpr int tile_bytes = 32 * static_cast<int>(sizeof(Word)), groups = K * K;
  const int first_tile = static_cast<int>(blockIdx.y) * tiles;
  load_weights<tile_bytes>(task, first_tile, tiles, shared);
  const int lane = static_cast<int>(threadIdx.x & 31U), channel = (first_tile * 8) + (lane % 4 * 2 * group);
  const int group_bytes = K * task.chunks * tiles * tile_bytes;
  const std::int64_t slices = (task.outputs.get() + slice_rows - 1) / slice_rows;
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * (blockDim.x / 32U);
  // Neighbouring slices go to different blocks, so that each has its share of the dense ones.
  for (std::int64_t slice = (static_cast<std::int64_t>(threadIdx.x / 32U) * gridDim.x) + blockIdx.x;
       slice < slices; slice += step) {
    const uint2* words = task.slices.words + (slice * groups * 8) + (lane / 4);
    float sums[tiles][4] = {};
    uint2 next = __ldg(words);
    for (int at = 0; at < groups; ++at) {
      const uint2 now = next;
      if (at + 1 < groups) next = __ldg(words + ((at + 1) * 8));
      const std::uint32_t offsets = or_of_warp(now.x | now.y) & task.wanted[at];
      if (offsets != 0)
        add_group<chunk, reads, tiles, K>(sums, task, now, offsets, shared + (at * group_bytes));
    }
#pragma unroll
    for (int first = 0; first < tiles; first += group) {
      const ColumnBias<group> bias(task.layer, channel + (first * 8));
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const std::int32_t row = __ldg(task.slices.rows + (slice * slice_rows) + (lane / 4) + (half * 8));
        float columns[2 * group];
        gather_columns<group>(sums + first, half, columns);
        if (row >= 0) finish_columns<group>(task.layer, row, channel + (first * 8), columns, bias);
      }
    }
  }
}

int bytes_of_weights(const LayerOnDevice& layer, const Shape& shape, int tiles) {
  return layer.columns * shape.chunks * tiles * (layer.in_channels <= 16 ? 256 : 512);
}

/// Tiles of a block: the most that fit, but more than two blocks side by side would read the rows too often;
/// 0: too many weights.
int tiles_of(const Device& device, const LayerOnDevice& layer) {
  const Shape shape = shape_of(layer);
  for (const int tiles : {12, 8, 4, 2}) {
    if (shape.all_tiles % tiles != 0 || (tiles == 12 && layer.in_channels <= 16)) continue;
    if (tiles == 2 && shape.all_tiles != 2) continue;  // its lanes hold other columns
    if (shape.all_tiles / tiles > 2) return 0;
    if (bytes_of_weights(layer, shape, tiles) <= device.shared_bytes - kept_shared) return tiles;
  }
  return 0;
}

template <int chunk, int reads, int tiles, int K> void launch(const Device& device, const RowsTask& task) {
  constexpr int group = tiles == 2 ? 2 : 4, threads = threads_of(chunk, reads, tiles, K);
  const int bytes = bytes_of_weights(task.layer, {task.chunks, task.all_tiles}, tiles);
  auto* kernel = rows_kernel<chunk, reads, tiles, group, K>;
  SPIRA_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  const auto across = static_cast<unsigned>(task.all_tiles / tiles);
  const std::int64_t slices = (task.outputs.most + slice_rows - 1) / slice_rows;
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
      if constexpr (reads == 1) return choose_tiles<chunk, reads, 3>(device, task, tiles);
  }
}

}  // namespace

bool takes_rows(const Device& device, const LayerOnDevice& layer, int kernel_size) {
  return kernel_size <= (layer.in_channels <= 32 ? 3 : 2) && tiles_of(device, layer) != 0;
}

void rows_half(const Device& device, const MapSource& source, const LayerOnDevice& layer,
               const Buffer& slices) {
  if (source.outputs.most == 0) return;
  const Shape shape = shape_of(layer);
  RowsTask task{
      layer, RowSlices::in(slices, source.outputs.most), source.outputs, shape.chunks, shape.all_tiles, {}};
  std::copy(std::begin(source.wanted), std::end(source.wanted), task.wanted);
  const int tiles = tiles_of(device, layer), K = source.kernel_size;
  if (layer.in_channels <= 16) return choose_size<16, 1>(device, task, K, tiles);
  return shape.chunks % 2 == 0 ? choose_size<32, 2>(device, task, K, tiles)
                               : choose_size<32, 1>(device, task, K, tiles);
}

}  // namespace spira::cuda
