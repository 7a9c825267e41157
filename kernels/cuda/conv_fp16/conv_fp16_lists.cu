// Computes output-stationary features in fp16 for layers with few channels. Reads one list of pairs per
// offset (offset_lists.hpp) and records the "os" stage.
//
// One warp processes a block of rows and stores their fp32 sums in shared memory. No other warp adds to these
// sums, so no synchronisation between warps is needed. The warp processes slices of 16 pairs of one offset.
// It loads the sums of a slice as accumulators of the product and stores them afterwards. At the same time,
// it reads pairs and rows of the next slices.
#include "kernels/cuda/conv_fp16/conv_fp16.cuh"
#include "kernels/cuda/conv_fp16/fp16_choice.hpp"
#include "kernels/cuda/order/offset_lists.hpp"

#include <algorithm>
#include <cstdint>

namespace spira::cuda {
namespace {

/// Number of slices whose rows are in flight at once. The number of registers limits it. The pairs of a slice
/// must be read before its rows, so the pairs of 2 * depth slices are in flight.
template <int chunk> constexpr int depth_of = chunk == 16 ? 8 : 6;
static_assert(2 * depth_of<16> <= spare_slices);

struct ListsTask {
  LayerOnDevice layer;
  OffsetLists lists;
  RowCount outputs;
  int all_tiles;
};

/// Forces the compiler to keep a value in a register instead of computing it again for each use.
template <class Value> __device__ inline void keep(Value& value) {
  if constexpr (sizeof(Value) == 8) {
    asm volatile("" : "+l"(value));
  } else {
    asm volatile("" : "+r"(value));
  }
}

/// The weights of one column (offset) that one lane needs.
template <int chunk, int tiles> struct ColumnWeights {
  using Word = decltype(LaneFp16<chunk>::v);
  Word of[tiles];

  __device__ void read(const Word* weights, int words_of_column, std::uint32_t run) {
    const Word* from = weights + (static_cast<std::int64_t>(run >> 16) * words_of_column);
#pragma unroll
    for (int tile = 0; tile < tiles; ++tile)
      of[tile] = __ldg(from + (tile * 32));
  }
};

/// The sums of a block of rows. Shape: [block_rows + 16][tiles * 8]. The last 16 rows are for padding pairs.
/// If a row spans all banks of shared memory, each lane exchanges the two halves of its sums in odd rows.
/// This avoids bank conflicts.
template <int tiles> struct RowSums {
  /// `each` is the number of channels per row that a lane holds.
  static constexpr int channels = tiles * 8, each = channels / 4, pieces = each / 4;
  float* sums;  ///< Points to the first sum of this lane.

  __device__ explicit RowSums(float* shared) : sums(shared + ((threadIdx.x & 3U) * each)) {}
  [[nodiscard]] __device__ float4* place(std::uint32_t row, int piece) const {
    const std::uint32_t swap = pieces == 2 ? (row & 1U) * 4 : 0U;
    return reinterpret_cast<float4*>(sums + (row * channels) +
                                     ((static_cast<std::uint32_t>(piece) * 4) ^ swap));
  }
  __device__ void load(float (&of)[tiles][4], const std::uint32_t (&pair)[2]) const {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
#pragma unroll
      for (int piece = 0; piece < pieces; ++piece) {
        const float4 sum = *place(pair[half] & ((1U << list_row_bits) - 1U), piece);
        of[2 * piece][2 * half] = sum.x;
        of[2 * piece][(2 * half) + 1] = sum.y;
        of[(2 * piece) + 1][2 * half] = sum.z;
        of[(2 * piece) + 1][(2 * half) + 1] = sum.w;
      }
    }
  }
  __device__ void store(const float (&of)[tiles][4], const std::uint32_t (&pair)[2]) const {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
#pragma unroll
      for (int piece = 0; piece < pieces; ++piece)
        *place(pair[half] & ((1U << list_row_bits) - 1U), piece) = {
            of[2 * piece][2 * half], of[2 * piece][(2 * half) + 1], of[(2 * piece) + 1][2 * half],
            of[(2 * piece) + 1][(2 * half) + 1]};
    }
  }
};

/// Prefetches the pairs of a block of rows, and the input rows of these pairs.
template <int chunk> class PairReader {
 public:
  using Word = decltype(LaneFp16<chunk>::v);

  __device__ PairReader(const ListsTask& task, std::int64_t block)
      : pairs_(task.lists.pairs + (block * task.lists.pairs_of_block()) + (threadIdx.x / 4)),
        row_bytes_(static_cast<std::uint32_t>(task.layer.in_stride) * 2) {
    const int first = static_cast<int>(threadIdx.x & 3U) * LaneFp16<chunk>::count;
    const bool there = first < task.layer.in_read;
    in_ = static_cast<const unsigned char*>(task.layer.in) + (there ? first * 2 : 0);
    there_ = there ? 0xFFFFFFFFU : 0U;
    keep(pairs_);
    keep(in_);
    keep(row_bytes_);
    keep(there_);
  }
  __device__ void pairs(std::uint32_t (&pair)[2], int slice) const {
#pragma unroll
    for (int half = 0; half < 2; ++half)
      pair[half] = __ldg(pairs_ + (slice * slice_rows) + (half * 8));
  }
  __device__ void skip(int slices) {
    pairs_ += slices * slice_rows;
  }
  __device__ void rows(LaneFp16<chunk> (&row)[2], const std::uint32_t (&pair)[2]) const {
#pragma unroll
    for (int half = 0; half < 2; ++half)
      row[half].v = __ldg(reinterpret_cast<const Word*>(
          in_ + (static_cast<std::uint64_t>(pair[half] >> list_row_bits) * row_bytes_)));
  }
  /// Returns the fragments of two rows. Lanes whose channels do not exist have read the first channels
  /// instead, so their words are set to zero here.
  [[nodiscard]] __device__ ChunkFragments<chunk> fragments_of(const LaneFp16<chunk> (&row)[2]) const {
    ChunkFragments<chunk> result = fragments(row[0], row[1]);
#pragma unroll
    for (RowFragment& fragment : result.of) {
#pragma unroll
      for (unsigned& word : fragment.of)
        word &= there_;
    }
    return result;
  }

 private:
  const std::uint32_t* pairs_;
  const unsigned char* in_;
  std::uint32_t row_bytes_, there_;
};

/// Multiplies all slices of a block of rows by their weights and adds the products to `sums`. `runs` contains
/// one word for each column that has pairs, in the format of OffsetLists::runs, and then zeros.
template <int chunk, int tiles>
__device__ void add_lists(const ListsTask& task, PairReader<chunk> reader, const std::uint32_t* runs,
                          int slices, const RowSums<tiles>& sums) {
  using Weights = ColumnWeights<chunk, tiles>;
  constexpr int depth = depth_of<chunk>, ahead = 2 * depth;
  const int words = task.all_tiles * 32, step = task.layer.reversed ? -words : words;
  const auto* weights = static_cast<const typename Weights::Word*>(task.layer.weight) +
                        (static_cast<int>(blockIdx.y) * tiles * 32) + threadIdx.x +
                        (task.layer.reversed ? std::int64_t{task.layer.columns - 1} * words : 0);
  keep(weights);
  Weights now, next;
  std::uint32_t run = *runs, left = 0;
  next.read(weights, step, run);
  std::uint32_t pair[ahead][2];
  LaneFp16<chunk> rows[depth][2];
#pragma unroll
  for (int slot = 0; slot < ahead; ++slot)
    reader.pairs(pair[slot], slot);
#pragma unroll
  for (int slot = 0; slot < depth; ++slot)
    reader.rows(rows[slot], pair[slot]);
  // The loop can continue beyond the last slice. The additional slices contain only padding and have no
  // effect.
  for (int first = 0; first < slices; first += ahead) {
    reader.skip(min(ahead, slices - first));
#pragma unroll
    for (int slot = 0; slot < ahead; ++slot) {
      if (left == 0) {
        left = run & 0xFFFFU;
        run = *++runs;
        now = next;
        next.read(weights, step, run);
      }
      --left;
      float of[tiles][4];
      sums.load(of, pair[slot]);
      multiply_chunk<1>(of, reader.fragments_of(rows[slot % depth]), now.of);
      sums.store(of, pair[slot]);
      // Wait for all lanes, because the next slice may add to the same sums in other lanes.
      __syncwarp();
      reader.rows(rows[slot % depth], pair[(slot + depth) % ahead]);
      reader.pairs(pair[slot], slot);
    }
  }
}

template <int chunk, int tiles>
__global__ void __launch_bounds__(32) lists_kernel(const __grid_constant__ ListsTask task) {
  extern __shared__ __align__(16) float shared[];
  __shared__ std::uint32_t runs[max_list_columns + 2];
  constexpr int group = tiles == 2 ? 2 : 4;
  const int lane = static_cast<int>(threadIdx.x), block_rows = task.lists.block_rows;
  const BlockRows rows(blockIdx.x, block_rows, task.outputs.get());
  if (!rows.there()) return;
  const int columns = task.lists.columns;
  const std::uint32_t* listed = task.lists.runs + (rows.block * (columns + 2));
  const auto slices = static_cast<int>(__ldg(listed));
  for (int at = lane; at <= columns; at += 32)
    runs[at] = __ldg(listed + 1 + at);
  // Add a terminating zero, because padding slices may read one word beyond a full list.
  if (lane == 0) runs[columns + 1] = 0;
  for (int at = lane * 4; at < (block_rows + slice_rows) * tiles * 8; at += 128)
    *reinterpret_cast<float4*>(shared + at) = {};
  __syncwarp();
  const RowSums<tiles> sums(shared);
  if (slices != 0) add_lists<chunk, tiles>(task, PairReader<chunk>(task, rows.block), runs, slices, sums);
  const int channel = (static_cast<int>(blockIdx.y) * tiles * 8) + (lane % 4 * 2 * group);
  const ColumnBias<group> bias(task.layer, channel);
#pragma unroll 2
  for (int in_block = lane / 4; in_block < block_rows; in_block += 8) {
    const std::int64_t row = rows.row(in_block);
    if (row >= rows.outputs) break;
    float columns_of[2 * group];
#pragma unroll
    for (int piece = 0; piece < RowSums<tiles>::pieces; ++piece)
      *reinterpret_cast<float4*>(columns_of + (4 * piece)) =
          *sums.place(static_cast<std::uint32_t>(in_block), piece);
    finish_columns<group>(task.layer, row, channel, columns_of, bias);
  }
}

template <int chunk, int tiles> void launch(const Device& device, const ListsTask& task) {
  const int rows = task.lists.block_rows;
  const int bytes = (rows + slice_rows) * tiles * 8 * static_cast<int>(sizeof(float));
  auto* kernel = lists_kernel<chunk, tiles>;
  SPIRA_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  const auto blocks = static_cast<unsigned>((task.outputs.max + rows - 1) / rows);
  const auto across = static_cast<unsigned>(task.all_tiles / tiles);
  kernel<<<dim3(blocks, across), 32, static_cast<std::size_t>(bytes), device.stream>>>(task);
  SPIRA_CUDA(cudaGetLastError());
}

template <int chunk> void choose_tiles(const Device& device, const ListsTask& task) {
  task.all_tiles == 2 ? launch<chunk, 2>(device, task) : launch<chunk, 4>(device, task);
}

}  // namespace

std::optional<int> suits_lists(const Device& device, const LayerOnDevice& layer, int kernel_size,
                               const MapRows& rows) {
  // If the layer has fewer rows, some multiprocessors have no work.
  constexpr std::int64_t enough_rows = 60000;
  // Maximum size of the lists. Memory for the lists is allocated as if every row had an input at every
  // offset.
  constexpr std::size_t max_bytes = 1U << 30U;
  if (kernel_size != 5 || layer.in_channels > 32 || rows.outputs < enough_rows ||
      rows.inputs > max_list_inputs)
    return std::nullopt;
  // If blocks have few rows, their slices contain much padding. If blocks have many rows, there are too few
  // warps. A multiprocessor has enough registers for `warps` warps.
  const int warps = layer.in_channels <= 16 ? 16 : 8;
  const std::int64_t wanted = (rows.outputs / (std::int64_t{warps} * device.sm_count)) + 31;
  const auto best =
      static_cast<int>(std::clamp<std::int64_t>(wanted / 32 * 32, min_list_rows, max_list_rows));
  if (OffsetLists::bytes(rows.outputs, kernel_size, best) > max_bytes) return std::nullopt;
  return best;
}

void lists_fp16(const Device& device, const MapSource& source, const LayerOnDevice& layer,
                const OrderedRows& rows) {
  if (source.outputs.max == 0) return;
  const ListsTask task{layer, OffsetLists::in(rows.order, source.outputs.max, source.cube, rows.block_rows),
                       source.outputs, shape_of(layer).all_tiles};
  layer.in_channels <= 16 ? choose_tiles<16>(device, task) : choose_tiles<32>(device, task);
}

}  // namespace spira::cuda
