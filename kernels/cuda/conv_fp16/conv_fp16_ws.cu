// Computes the features of a layer in fp16 with the weight-stationary dataflow (section 5.4 of the Spira
// paper). The kernel multiplies tiles of pairs of one offset and adds the products atomically, or writes them
// as results if each output is in exactly one pair (stage "ws").
#include "kernels/cuda/conv_fp16/conv_fp16.cuh"

namespace spira::cuda {
namespace {

constexpr int warps = 4;

/// The sums of a warp: `slices` * 16 rows and `tiles` * 8 columns.
template <int chunk, int tiles, int slices> struct WarpTile {
  using Lane = LaneFp16<chunk>;
  using Word = decltype(Lane::v);

  float sums[slices][tiles][4] = {};

  struct Rows {
    Lane low[slices], high[slices];
    unsigned present = 0;  // Bit s is set if slice s has at least one row.
  };

  /// Reads the rows of all slices. `row_of(slice, half)` must return the input row for row (lane / 4 + 8 *
  /// half) of a slice, or -1 if no input exists.
  template <class RowOf>
  __device__ static void read(Rows& rows, const LayerOnDevice& layer, int first_channel, RowOf&& row_of) {
    const int first = first_channel + (static_cast<int>(threadIdx.x & 3U) * Lane::count);
    rows.present = 0;
#pragma unroll
    for (int slice = 0; slice < slices; ++slice) {
      const std::int32_t low = row_of(slice, 0), high = row_of(slice, 1);
      rows.low[slice] = read_row<chunk>(layer, low, first);
      rows.high[slice] = read_row<chunk>(layer, high, first);
      if (__any_sync(0xFFFFFFFFU, low >= 0 || high >= 0)) rows.present |= 1U << slice;
    }
  }

  /// Multiplies the rows by the weights and adds the products to the sums of the tile. `weights` points to
  /// the weights of this warp's first tile, for the current column and chunk.
  __device__ void multiply(const Rows& rows, const Word* weights) {
    const int lane = static_cast<int>(threadIdx.x & 31U);
    Word b[tiles];
#pragma unroll
    for (int tile = 0; tile < tiles; ++tile)
      b[tile] = __ldg(weights + (tile * 32) + lane);
#pragma unroll
    for (int slice = 0; slice < slices; ++slice) {
      if ((rows.present >> slice & 1U) == 0) continue;
      multiply_chunk<1>(sums[slice], fragments(rows.low[slice], rows.high[slice]), b);
    }
  }
};

template <int chunk, int tiles, int slices, int group>
__global__ void __launch_bounds__(warps * 32)
    ws_kernel(const __grid_constant__ PairSource source, const __grid_constant__ LayerOnDevice layer,
              Shape shape, bool mirrored) {
  using Tile = WarpTile<chunk, tiles, slices>;
  constexpr int rows = 16 * slices;
  const int warp = static_cast<int>(threadIdx.x / 32U), lane = static_cast<int>(threadIdx.x & 31U);
  const PairTile work = find_tile(source, (static_cast<std::int64_t>(blockIdx.x) * warps) + warp, rows);
  if (work.count == 0) return;
  int column = work.column;
  if (mirrored) {
    // The centre column is its own partner, so its products were already added without `mirrored`.
    if (column * 2 == layer.columns - 1) return;
    column = layer.columns - 1 - column;
  }
  const bool swapped = source.swapped != mirrored;
  std::int32_t from[slices][2], to[slices][2];
#pragma unroll
  for (int slice = 0; slice < slices; ++slice) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int at = (slice * 16) + (lane / 4) + (half * 8);
      const int2 pair = at < work.count ? source.pairs[work.first + at] : make_int2(-1, -1);
      to[slice][half] = swapped ? pair.y : pair.x;
      from[slice][half] = swapped ? pair.x : pair.y;
    }
  }
  const int first_tile = static_cast<int>(blockIdx.y) * tiles;
  const auto* weight = static_cast<const typename Tile::Word*>(layer.weight);
  Tile tile;
  typename Tile::Rows now, next;
  const auto read = [&](int unit, typename Tile::Rows& rows_read) {
    Tile::read(rows_read, layer, unit * chunk, [&](int slice, int half) { return from[slice][half]; });
  };
  read(0, now);
  for (int unit = 0; unit < shape.chunks; ++unit) {
    if (unit + 1 < shape.chunks) read(unit + 1, next);
    const std::int64_t at =
        (((static_cast<std::int64_t>(column) * shape.chunks) + unit) * shape.all_tiles) + first_tile;
    tile.multiply(now, weight + (at * 32));
    now = next;
  }
#pragma unroll
  for (int slice = 0; slice < slices; ++slice) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      if (to[slice][half] < 0) continue;
#pragma unroll
      for (int first = 0; first < tiles; first += group) {
        const int channel = ((first_tile + first) * 8) + (lane % 4 * 2 * group);
        float sums[2 * group];
        gather_columns<group>(tile.sums[slice] + first, half, sums);
        const int there = layer.out_channels - channel;
        if (there <= 0) continue;
        const std::int64_t row = to[slice][half];
        if (layer.sums == nullptr)
          finish_columns<group>(layer, row, channel, sums, ColumnBias<group>(layer, channel));
        else
          add_sums<2 * group>(layer.sums + (row * layer.out_channels) + channel, sums, there,
                              layer.out_channels % (2 * group) == 0);
      }
    }
  }
}

/// Selects the tile size that suits the channels, and calls run<chunk, tiles, slices, group>(size of the grid
/// in y).
template <class Run> void choose_tile(const LayerOnDevice& layer, const Shape& shape, Run&& run) {
  const auto with_chunk = [&]<int chunk>() {
    if (shape.all_tiles == 2) {
      run.template operator()<chunk, 2, 2, 2>(1U);
    } else if (shape.all_tiles == 4) {
      run.template operator()<chunk, 4, 2, 4>(1U);
    } else if (shape.all_tiles == 12) {
      run.template operator()<chunk, 12, 1, 4>(1U);
    } else if (shape.all_tiles % 8 == 0) {
      run.template operator()<chunk, 8, 2, 4>(static_cast<unsigned>(shape.all_tiles / 8));
    } else {
      run.template operator()<chunk, 4, 2, 4>(static_cast<unsigned>(shape.all_tiles / 4));
    }
  };
  if (layer.in_channels <= 16) {
    with_chunk.template operator()<16>();
  } else {
    with_chunk.template operator()<32>();
  }
}

}  // namespace

void weight_stationary_fp16(const Device& device, const PairSource& source, std::int64_t pairs, bool mirrored,
                            const LayerOnDevice& layer) {
  if (pairs == 0) return;
  const Shape shape = shape_of(layer);
  choose_tile(layer, shape, [&]<int chunk, int tiles, int slices, int group>(unsigned in_y) {
    const std::int64_t max_tiles = (pairs / (16 * slices)) + source.stored;
    const dim3 grid(blocks_for(max_tiles, warps), in_y);
    ws_kernel<chunk, tiles, slices, group>
        <<<grid, warps * 32, 0, device.stream>>>(source, layer, shape, mirrored);
  });
  SPIRA_CUDA(cudaGetLastError());
}

void finish_fp16(const Device& device, std::int64_t rows, const LayerOnDevice& layer) {
  const int channels = layer.out_channels;
  const auto* residual = static_cast<const __half*>(layer.residual);
  auto* out = static_cast<__half*>(layer.out);
  const float *sums = layer.sums, *bias = layer.bias;
  const bool relu = layer.relu;
  if (channels % 8 == 0) {
    LayerOnDevice results = layer;
    results.sums = nullptr;
    const int across = channels / 8;
    return for_each(device, rows * across, [=] __device__(std::int64_t at) {
      const std::int64_t row = at / across;
      const int channel = static_cast<int>(at - (row * across)) * 8;
      union {
        float4 four[2];
        float each[8];
      } columns;
      for (int half = 0; half < 2; ++half)
        columns.four[half] = reinterpret_cast<const float4*>(sums + (row * channels) + channel)[half];
      finish_columns<4>(results, row, channel, columns.each, ColumnBias<4>(results, channel));
    });
  }
  for_each(device, rows * channels, [=] __device__(std::int64_t at) {
    float value = sums[at] + bias[at % channels];
    if (residual != nullptr) value += __half2float(residual[at]);
    if (relu) value = value < 0.0F ? 0.0F : value;
    out[at] = __float2half_rn(value);
  });
}

}  // namespace spira::cuda
