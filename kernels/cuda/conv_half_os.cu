// Output-stationary features in fp16: an implicit GEMM over slices of 16 rows (section 5.4).
//
// A block takes consecutive outputs, sorts them by which offsets they have (so that rows of a slice agree),
// and walks over the offsets that any of them has. Small layers keep all weights in shared memory and their
// warps walk alone; larger ones stream the weights of one offset after the other through a ring.
#include "kernels/cuda/block_rows.cuh"
#include "kernels/cuda/conv_half.cuh"

#include <cstdint>

namespace spira::cuda {
namespace {

constexpr int warps = os_warps, threads = os_warps * 32;
constexpr int ring = 3;                                              // stages of streamed weights
constexpr std::size_t most_resident = 73'728, most_staged = 28'672;  // two blocks share a multiprocessor

__device__ void copy_16_bytes(void* to_shared, const void* from) {
#if __CUDA_ARCH__ >= 800
  const auto to = static_cast<unsigned>(__cvta_generic_to_shared(to_shared));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
#else
  *static_cast<uint4*>(to_shared) = *static_cast<const uint4*>(from);
#endif
}
__device__ void end_copies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
template <int left> __device__ void wait_copies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(left) : "memory");
#endif
}

/// `bytes` is a multiple of 16; all threads of the block.
__device__ void copy_block(unsigned char* to_shared, const unsigned char* from, int bytes) {
  for (int at = static_cast<int>(threadIdx.x) * 16; at < bytes; at += threads * 16)
    copy_16_bytes(to_shared + at, from + at);
}

/// Walks over the columns of a list, and over the channel chunks of each.
struct Walk {
  const std::uint16_t* list;
  int listed, chunks;
  int at = 0, part = 0;

  [[nodiscard]] __device__ bool ended() const { return at == listed; }
  [[nodiscard]] __device__ int group() const { return list[at] >> 3; }
  [[nodiscard]] __device__ int iz() const { return list[at] & 7; }
  __device__ void next() {
    if (++part < chunks) return;
    part = 0;
    ++at;
  }
};

/// Position of the input in a z-run word; -1: none.
__device__ std::int32_t input_of(std::uint32_t word, int iz, int kernel_size) {
  const std::uint32_t before = word & ((1U << iz) - 1U);
  const std::int32_t position = static_cast<std::int32_t>(word >> kernel_size) + __popc(before);
  return (word >> iz & 1U) != 0 ? position : -1;
}

/// The rows of a warp, two a lane and slice, and the inputs of the column that is being read.
template <int slices> struct WarpRows {
  std::int32_t input[slices][2];
  std::uint32_t present = 0;  // bit s: slice s has an input at all

  template <class InputOf> __device__ void set(InputOf&& input_of_row) {
    present = 0;
#pragma unroll
    for (int slice = 0; slice < slices; ++slice) {
      input[slice][0] = input_of_row(slice, 0);
      input[slice][1] = input_of_row(slice, 1);
      if (__any_sync(0xFFFFFFFFU, (input[slice][0] & input[slice][1]) >= 0)) present |= 1U << slice;
    }
  }
};

/// The sums of a warp and how it adds to them.
template <int chunk, int tiles, int slices> struct WarpSums {
  using Word = decltype(LaneHalves<chunk>::v);
  /// What is read ahead of its products.
  struct Step {
    LaneHalves<chunk> rows[slices][2];
    std::uint32_t present = 0;  // bit s: slice s has a row at all
  };

  float of[slices][tiles][4] = {};

  __device__ static void read(Step& next, const LayerOnDevice& layer, const WarpRows<slices>& rows,
                              int first_channel) {
    next.present = rows.present;
    if (rows.present == 0) return;
    const int first = first_channel + (static_cast<int>(threadIdx.x & 3U) * LaneHalves<chunk>::count);
#pragma unroll
    for (int slice = 0; slice < slices; ++slice) {
#pragma unroll
      for (int half = 0; half < 2; ++half)
        next.rows[slice][half] = read_row<chunk>(layer, rows.input[slice][half], first);
    }
  }
  template <std::uint32_t present> __device__ void multiply_present(const Step& now, const Word* weights) {
#pragma unroll
    for (int tile = 0; tile < tiles; ++tile) {
      const Word b = weights[tile * 32];
#pragma unroll
      for (int slice = 0; slice < slices; ++slice) {
        if ((present >> slice & 1U) != 0)
          multiply_step(of[slice][tile], now.rows[slice][0], now.rows[slice][1], b);
      }
    }
  }
  __device__ void multiply(const Step& now, const Word* weights) {
    weights += threadIdx.x & 31U;
    if constexpr (slices == 2) {
      if (now.present == 3) {
        multiply_present<3>(now, weights);
      } else if (now.present == 1) {
        multiply_present<1>(now, weights);
      } else if (now.present == 2) {
        multiply_present<2>(now, weights);
      }
    } else {
      if (now.present != 0) multiply_present<1>(now, weights);
    }
  }
};

template <int chunk, int tiles, int slices, int group, bool resident, bool staged>
__global__ void __launch_bounds__(threads, 2)
    os_kernel(const __grid_constant__ MapSource source, const __grid_constant__ LayerOnDevice layer,
              const __grid_constant__ SortBits bits, Shape shape) {
  using Sums = WarpSums<chunk, tiles, slices>;
  using Word = typename Sums::Word;
  constexpr int rows = warps * 16 * slices;
  constexpr int stage_bytes = tiles * 32 * static_cast<int>(sizeof(Word));
  extern __shared__ __align__(16) unsigned char weights[];
  __shared__ BlockRows<rows> block;
  StagedWords words =
      staged ? reinterpret_cast<StagedWords>(
                   weights + (resident ? layer.columns * shape.chunks * stage_bytes : ring * stage_bytes))
             : nullptr;
  const int warp = static_cast<int>(threadIdx.x / 32U), lane = static_cast<int>(threadIdx.x & 31U);
  const int first_tile = static_cast<int>(blockIdx.y) * tiles;
  const auto* all_weights = static_cast<const unsigned char*>(layer.weight);
  const auto stage_of = [&](int column, int part) {
    return all_weights +
           ((((static_cast<std::int64_t>(column) * shape.chunks) + part) * shape.all_tiles) + first_tile) *
               32 * static_cast<int>(sizeof(Word));
  };
  if constexpr (resident) {
    copy_block(weights, all_weights, layer.columns * shape.chunks * stage_bytes);
    end_copies();
    wait_copies<0>();
  }
  const std::int64_t row_blocks = (source.outputs + rows - 1) / rows;
  for (std::int64_t at = blockIdx.x; at < row_blocks; at += gridDim.x) {
    const std::int64_t first_row = at * rows;
    arrange<rows>(source, bits, first_row, !resident, block, words);
    const int mine = resident ? warp : 0;
    Walk work{block.list[mine], block.listed[mine], shape.chunks}, reading = work, fetching = work;
    const auto row_of = [&](int slice, int half) {
      return static_cast<std::int32_t>(first_row) +
             block.order[(((warp * slices) + slice) * 16) + (lane / 4) + (half * 8)];
    };
    Sums sums;
    WarpRows<slices> inputs;
    const std::uint32_t* own_words = words + ((((warp * slices) * 16) + (lane / 4)) * source.groups);
    const auto read = [&](typename Sums::Step& next) {
      if (reading.ended()) return;
      if (reading.part == 0) {
        const int z_group = reading.group(), iz = reading.iz();
        inputs.set([&](int slice, int half) -> std::int32_t {
          if constexpr (staged) {
            return input_of(own_words[(((slice * 16) + (half * 8)) * source.groups) + z_group], iz,
                            source.kernel_size);
          }
          const std::int32_t output = row_of(slice, half);
          return output < source.outputs ? source.input(output, z_group, iz) : -1;
        });
      }
      Sums::read(next, layer, inputs, reading.part * chunk);
      reading.next();
    };
    int filled = 0, used = 0;  // stages of the ring
    const auto fetch = [&] {
      if (!fetching.ended()) {
        copy_block(weights + (filled * stage_bytes),
                   stage_of((fetching.group() * source.kernel_size) + fetching.iz(), fetching.part),
                   stage_bytes);
        fetching.next();
      }
      filled = filled + 1 == ring ? 0 : filled + 1;
      end_copies();
    };
    if constexpr (!resident) {
      fetch();
      fetch();
    }
    typename Sums::Step now, next;
    read(next);
    for (; !work.ended(); work.next()) {
      now = next;
      read(next);
      if constexpr (resident) {
        const int column = (work.group() * source.kernel_size) + work.iz();
        sums.multiply(now, reinterpret_cast<const Word*>(
                               weights + (((column * shape.chunks) + work.part) * stage_bytes)));
      } else {
        wait_copies<1>();
        __syncthreads();  // the stage is there for all, and the one before it is free
        fetch();
        sums.multiply(now, reinterpret_cast<const Word*>(weights + (used * stage_bytes)));
        used = used + 1 == ring ? 0 : used + 1;
      }
    }
#pragma unroll
    for (int slice = 0; slice < slices; ++slice) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const std::int32_t row = row_of(slice, half);
        if (row >= source.outputs) continue;
#pragma unroll
        for (int first = 0; first < tiles; first += group) {
          float columns[2 * group];
          gather_columns<group>(sums.of[slice] + first, half, columns);
          finish_columns<group>(layer, row, ((first_tile + first) * 8) + (lane % 4 * 2 * group), columns);
        }
      }
    }
  }
}

template <int chunk, int tiles, int slices, int group>
void launch(const Device& device, const MapSource& source, const LayerOnDevice& layer, const SortBits& bits,
            const Shape& shape, unsigned in_y) {
  constexpr int rows = warps * 16 * slices;
  constexpr std::size_t stage_bytes = tiles * 32 * sizeof(typename WarpSums<chunk, tiles, slices>::Word);
  const std::size_t all =
      static_cast<std::size_t>(layer.columns) * static_cast<std::size_t>(shape.chunks) * stage_bytes;
  const std::size_t words = rows * static_cast<std::size_t>(source.groups) * sizeof(std::uint32_t);
  const bool staged = source.kind == SourceKind::words32 && words <= most_staged;
  const bool resident = staged && in_y == 1 && all <= most_resident;
  const auto run = [&](auto* kernel) {
    const std::size_t bytes = (resident ? all : ring * stage_bytes) + (staged ? words : 0);
    SPIRA_CUDA(
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
    int resident_blocks = 0;
    SPIRA_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident_blocks, kernel, threads, bytes));
    const auto most = static_cast<unsigned>(std::max(1, resident_blocks * device.sm_count));
    const dim3 grid(std::min(blocks_for(source.outputs, rows), most), in_y);
    kernel<<<grid, threads, bytes, device.stream>>>(source, layer, bits, shape);
  };
  if (!staged) {
    run(os_kernel<chunk, tiles, slices, group, false, false>);
  } else if (resident) {
    run(os_kernel<chunk, tiles, slices, group, true, true>);
  } else {
    run(os_kernel<chunk, tiles, slices, group, false, true>);
  }
  SPIRA_CUDA(cudaGetLastError());
}

template <int chunk>
void choose(const Device& device, const MapSource& source, const LayerOnDevice& layer, const SortBits& bits,
            const Shape& shape) {
  const auto in_y = [&](int tiles) { return static_cast<unsigned>(shape.all_tiles / tiles); };
  if (shape.all_tiles == 2) return launch<chunk, 2, 2, 2>(device, source, layer, bits, shape, 1);
  if (shape.all_tiles == 4) return launch<chunk, 4, 2, 4>(device, source, layer, bits, shape, 1);
  if (shape.all_tiles == 8) return launch<chunk, 8, 2, 4>(device, source, layer, bits, shape, 1);
  if (shape.all_tiles == 12) return launch<chunk, 12, 1, 4>(device, source, layer, bits, shape, 1);
  if (shape.all_tiles % 16 == 0) return launch<chunk, 16, 1, 4>(device, source, layer, bits, shape, in_y(16));
  return launch<chunk, 4, 2, 4>(device, source, layer, bits, shape, in_y(4));
}

}  // namespace

void output_stationary_half(const Device& device, const KernelOffsets& offsets, const MapSource& source,
                            const LayerOnDevice& layer) {
  if (source.outputs == 0) return;
  const Shape shape = shape_of(layer);
  const SortBits bits = sort_bits(offsets);
  if (layer.in_channels <= 16) {
    choose<16>(device, source, layer, bits, shape);
  } else {
    choose<32>(device, source, layer, bits, shape);
  }
}

}  // namespace spira::cuda
