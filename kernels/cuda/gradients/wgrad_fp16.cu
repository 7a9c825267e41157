// Computes the gradients of weights in fp16 (stage "wgrad"). A thread block gathers the rows of both factors
// of a chunk of pairs into shared memory, and multiplies them on the matrix units, with fp32 sums. The pairs
// are the reduction dimension. While a chunk is multiplied, the rows of the next two chunks are copied.
#include "kernels/cuda/conv_fp16/conv_fp16.cuh"
#include "kernels/cuda/device/shared_copies.cuh"
#include "kernels/cuda/gradients/chunks.cuh"

#include <array>

namespace spira::cuda {
namespace {

constexpr int stages = 3;
constexpr int piece = 8;  // Values in 16 bytes.

constexpr int at_most(int value, int limit) {
  return value < limit ? value : limit;
}

/// The division of a matrix with M input channels and N output channels among the warps of a thread block.
/// Each warp computes at most 32 x 32 values. If there are more warps than tiles, the warps divide the pairs
/// of a chunk too.
template <int M, int N> struct Tiles {
  static constexpr int warp_in = at_most(M, 32), warp_out = at_most(N, 32);
  static constexpr int warps_in = M / warp_in, warps_out = N / warp_out;
  static constexpr int threads = M * N > 64 * 128 ? 512 : 256;
  static constexpr int splits = threads / 32 / (warps_in * warps_out);
  /// Thread blocks that a multiprocessor runs at the same time. With more, the compiler would have to move
  /// registers of the main loop to memory: 32 x 32 channels then take 60 instead of 33 us.
  static constexpr int resident = M + N <= 32 ? 4 : threads == 256 ? 2 : 1;
  static constexpr int pairs = M + N <= 32 ? 256 : M + N <= 128 || threads == 512 ? 128 : 64;
  static constexpr int stage_values = pairs * (M + N);
  static constexpr int fold_values = splits > 1 ? M* N : 0;
  static constexpr std::size_t shared_bytes =
      (static_cast<std::size_t>(stages * stage_values) * 2) + (static_cast<std::size_t>(fold_values) * 4);
};

/// Returns the position of a piece in a row of `pieces` pieces. The pieces are exchanged between rows, so
/// that ldmatrix reads the same piece of 8 consecutive rows from different banks.
template <int pieces> __device__ inline int place_of(int row, int at) {
  if constexpr (pieces >= 8) return at ^ (row & 7);
  if constexpr (pieces == 4) return at ^ (row >> 1 & 3);
  return at ^ (row >> 2 & 1);
}

/// Reads four 8x8 matrices from rows of pairs, transposed: (pairs 0-7, first 8 channels), (pairs 0-7, next 8
/// channels), and the same for pairs 8-15.
template <int width>
__device__ inline void read_transposed(unsigned (&to)[4], const __half* rows, int first_pair, int channel) {
  const int lane = static_cast<int>(threadIdx.x & 31U), matrix = lane / 8;
  const int row = first_pair + (matrix / 2 * 8) + (lane % 8), at = (channel / piece) + (matrix % 2);
  const __half* from = rows + (row * width) + (place_of<width / piece>(row, at) * piece);
  read_transposed_matrices(to, from);
}

/// Copies the rows of one factor for the chunks of a thread block. `width` is the number of channels that the
/// thread block multiplies. Each thread copies the same piece of several rows.
template <int width, int pairs, int threads> class RowCopies {
 public:
  /// `first` is the first channel that the thread block multiplies.
  __device__ RowCopies(const RowsToGather& rows, int first)
      : stride_(rows.stride),
        there_(first + (own_piece() * piece) < rows.stride && own_pair() < pairs),
        from_(static_cast<const __half*>(rows.data) + first + (own_piece() * piece)),
        to_((own_pair() * width) + (place_of<pieces>(own_pair(), own_piece()) * piece)) {}
  /// Reads the indices of the rows of a chunk. `side` is 0 for the outputs of the map, and 1 for its inputs.
  __device__ void read_rows(const int2* chunk, int count, int side) {
    const auto* const indices = reinterpret_cast<const std::int32_t*>(chunk) + (own_pair() * 2) + side;
#pragma unroll
    for (int step = 0; step < steps; ++step)
      rows_[step] = there_ && own_pair() + (step * pairs_of_step) < count
                        ? __ldg(indices + (step * pairs_of_step * 2))
                        : -1;
  }
  /// Starts to copy the rows whose indices were read. Missing rows become 0.
  __device__ void copy(__half* to) const {
#pragma unroll
    for (int step = 0; step < steps; ++step) {
      if (idle_threads && own_pair() >= pairs) continue;
      const bool there = rows_[step] >= 0;
      copy_piece(to + to_ + (step * pairs_of_step * width),
                 from_ + (there ? static_cast<std::int64_t>(rows_[step]) * stride_ : 0), there);
    }
  }

 private:
  // The position of a piece is the same in each step, because a step has a multiple of 8 rows.
  static constexpr int pieces = width / piece, pairs_of_step = threads / pieces;
  static constexpr int steps = (pairs + pairs_of_step - 1) / pairs_of_step;
  static constexpr bool idle_threads = pairs_of_step > pairs;
  static_assert(idle_threads || pairs % pairs_of_step == 0);
  [[nodiscard]] __device__ static int own_pair() {
    return static_cast<int>(threadIdx.x) / pieces;
  }
  [[nodiscard]] __device__ static int own_piece() {
    return static_cast<int>(threadIdx.x) % pieces;
  }

  int stride_;
  bool there_;
  const __half* from_;
  int to_;
  std::int32_t rows_[steps];
};

template <int M, int N> struct Sums {
  using T = Tiles<M, N>;
  static constexpr int ins = T::warp_in / 16, outs = T::warp_out / 8;
  float of[ins][outs][4];

  __device__ void clear() {
#pragma unroll
    for (auto& row : of) {
#pragma unroll
      for (auto& tile : row) {
#pragma unroll
        for (float& value : tile)
          value = 0;
      }
    }
  }
  /// Calls visit(sum, in, out) for each value, with its channels within the matrix of the thread block.
  template <class Visit> __device__ void for_each(int warp_in, int warp_out, const Visit& visit) {
    // The lane is read here, so that the compiler does not keep the channels of all values in registers
    // during the main loop.
    int lane;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
#pragma unroll
    for (int a = 0; a < ins; ++a) {
#pragma unroll
      for (int b = 0; b < outs; ++b) {
#pragma unroll
        for (int value = 0; value < 4; ++value)
          visit(of[a][b][value], warp_in + (a * 16) + (value / 2 * 8) + (lane / 4),
                warp_out + (b * 8) + (lane % 4 * 2) + (value % 2));
      }
    }
  }
};

template <int M, int N>
__device__ void multiply_pairs(Sums<M, N>& sums, const __half* x, const __half* g, int warp_in, int warp_out,
                               int first_pair) {
  using S = Sums<M, N>;
  RowFragment a[S::ins];
  unsigned b[S::outs / 2][4];
#pragma unroll
  for (int at = 0; at < S::ins; ++at)
    read_transposed<M>(a[at].of, x, first_pair, warp_in + (at * 16));
#pragma unroll
  for (int at = 0; at < S::outs / 2; ++at)
    read_transposed<N>(b[at], g, first_pair, warp_out + (at * 16));
#pragma unroll
  for (int in = 0; in < S::ins; ++in) {
#pragma unroll
    for (int out = 0; out < S::outs; ++out)
      multiply_add(sums.of[in][out], a[in], b[out / 2][out % 2], b[out / 2][2 + (out % 2)]);
  }
}

/// Writes the sums of a column as a partial sum, and clears them. Must be called by all threads.
template <int M, int N>
__device__ void write_part(const WgradWork& work, Sums<M, N>& sums, int slot, int first_in, int first_out,
                           float* fold) {
  using T = Tiles<M, N>;
  const int warp = static_cast<int>(threadIdx.x / 32U), split = warp / (T::warps_in * T::warps_out);
  const int warp_in = warp / T::warps_out % T::warps_in * T::warp_in,
            warp_out = warp % T::warps_out * T::warp_out;
  if constexpr (T::splits > 1) {
    for (int now = 0; now < T::splits - 1; ++now) {
      if (now == split)
        sums.for_each(warp_in, warp_out, [&](float value, int in, int out) {
          float& sum = fold[(in * N) + out];
          sum = now == 0 ? value : sum + value;
        });
      __syncthreads();
    }
  }
  float* const part = part_of(work, slot);
  if (split == T::splits - 1) {
    sums.for_each(warp_in, warp_out, [&](float value, int in, int out) {
      if (first_in + in >= work.in.channels || first_out + out >= work.gradient.channels) return;
      if constexpr (T::splits > 1) value = fold[(in * N) + out] + value;
      part[(static_cast<std::int64_t>(first_in + in) * work.gradient.channels) + first_out + out] = value;
    });
  }
  sums.clear();
}

template <int M, int N>
__global__ void __launch_bounds__(Tiles<M, N>::threads, Tiles<M, N>::resident)
    wgrad_kernel(const __grid_constant__ WgradWork work) {
  using T = Tiles<M, N>;
  extern __shared__ __align__(128) unsigned char memory[];
  auto* const rows = reinterpret_cast<__half*>(memory);
  auto* const fold = reinterpret_cast<float*>(rows + (stages * T::stage_values));
  const int warp = static_cast<int>(threadIdx.x / 32U);
  const int split = warp / (T::warps_in * T::warps_out);
  const int warp_in = warp / T::warps_out % T::warps_in * T::warp_in,
            warp_out = warp % T::warps_out * T::warp_out;
  const int tiles_out = (work.gradient.channels + N - 1) / N;
  const int first_in = static_cast<int>(blockIdx.x) / tiles_out * M,
            first_out = static_cast<int>(blockIdx.x) % tiles_out * N;
  const Sections sections(work.blocks, __ldg(work.count));
  const int begin = sections.begin(static_cast<int>(blockIdx.y)),
            end = sections.begin(static_cast<int>(blockIdx.y) + 1);
  if (begin == end) return;
  RowCopies<M, T::pairs, T::threads> x(work.in, first_in);
  RowCopies<N, T::pairs, T::threads> g(work.gradient, first_out);
  const auto chunk_at = [&](int chunk) { return work.chunks[min(chunk, end - 1)]; };
  const auto read_rows = [&](int chunk, const PairChunk& from) {
    const int count = chunk < end ? from.count : 0;
    x.read_rows(work.pairs + from.first_pair, count, from.swapped ? 0 : 1);
    g.read_rows(work.pairs + from.first_pair, count, from.swapped ? 1 : 0);
  };
  const auto copy_rows = [&](int stage) {
    __half* const to = rows + (stage * T::stage_values);
    x.copy(to);
    g.copy(to + (T::pairs * M));
    commit_copies();
  };
  // The rows of a chunk are copied two chunks before they are multiplied, and their indices are read one
  // chunk earlier.
#pragma unroll
  for (int stage = 0; stage < stages - 1; ++stage) {
    read_rows(begin + stage, chunk_at(begin + stage));
    copy_rows(stage);
  }
  read_rows(begin + stages - 1, chunk_at(begin + stages - 1));
  PairChunk next = chunk_at(begin + stages);
  Sums<M, N> sums;
  sums.clear();
  int stage = 0, free_stage = stages - 1;
  for (int chunk = begin; chunk < end; ++chunk) {
    wait_for_copies<stages - 2>();
    __syncthreads();
    copy_rows(free_stage);
    read_rows(chunk + stages, next);
    next = chunk_at(chunk + stages + 1);
    const PairChunk now = work.chunks[chunk];
    const __half* const from = rows + (stage * T::stage_values);
#pragma unroll 1
    for (int pair = split * 16; pair < now.count; pair += T::splits * 16)
      multiply_pairs<M, N>(sums, from, from + (T::pairs * M), warp_in, warp_out, pair);
    if (now.ends || chunk + 1 == end) write_part<M, N>(work, sums, now.slot, first_in, first_out, fold);
    free_stage = stage;
    stage = stage + 1 == stages ? 0 : stage + 1;
  }
}

struct Kernel {
  void (*run)(WgradWork) = nullptr;
  int in, out, pairs, threads;
  std::size_t shared_bytes;
};
template <int M, int N> constexpr Kernel kernel_of() {
  return {wgrad_kernel<M, N>, M, N, Tiles<M, N>::pairs, Tiles<M, N>::threads, Tiles<M, N>::shared_bytes};
}
constexpr std::array sizes{16, 32, 64, 128};
constexpr std::array kernels{
    kernel_of<16, 16>(),  kernel_of<16, 32>(),  kernel_of<16, 64>(),  kernel_of<16, 128>(),
    kernel_of<32, 16>(),  kernel_of<32, 32>(),  kernel_of<32, 64>(),  kernel_of<32, 128>(),
    kernel_of<64, 16>(),  kernel_of<64, 32>(),  kernel_of<64, 64>(),  kernel_of<64, 128>(),
    kernel_of<128, 16>(), kernel_of<128, 32>(), kernel_of<128, 64>(), kernel_of<128, 128>()};

/// Returns the index of the smallest size that is not below `channels`, or of the largest size.
std::size_t size_for(int channels) {
  std::size_t at = 0;
  while (at + 1 < sizes.size() && sizes[at] < channels)
    ++at;
  return at;
}

/// Returns the kernel with the largest matrix that fits in the shared memory of the device.
const Kernel& kernel_for(const Device& device, int in_channels, int out_channels) {
  std::size_t in = size_for(in_channels), out = size_for(out_channels);
  const auto kernel = [&]() -> const Kernel& { return kernels[(in * sizes.size()) + out]; };
  while (kernel().shared_bytes > static_cast<std::size_t>(device.shared_bytes))
    --(in >= out ? in : out);
  return kernel();
}

}  // namespace

WgradShape wgrad_shape_fp16(const Device& device, int in_channels, int out_channels) {
  const Kernel& kernel = kernel_for(device, in_channels, out_channels);
  WgradShape shape{kernel.in, kernel.out, 0, kernel.pairs, 0};
  shape.tiles = (in_channels + kernel.in - 1) / kernel.in * ((out_channels + kernel.out - 1) / kernel.out);
  SPIRA_CUDA(cudaFuncSetAttribute(kernel.run, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  static_cast<int>(kernel.shared_bytes)));
  int blocks = 0;
  SPIRA_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel.run, kernel.threads,
                                                           kernel.shared_bytes));
  shape.blocks = std::max(1, blocks * device.sm_count / shape.tiles);
  return shape;
}

void wgrad_fp16(const Device& device, const WgradShape& shape, const WgradWork& work) {
  const Kernel& kernel = kernel_for(device, work.in.channels, work.gradient.channels);
  // The thread blocks of a section are neighbours in the grid, because they read the same rows.
  const dim3 grid(static_cast<unsigned>(shape.tiles), static_cast<unsigned>(shape.blocks));
  kernel.run<<<grid, static_cast<unsigned>(kernel.threads), kernel.shared_bytes, device.stream>>>(work);
  SPIRA_CUDA(cudaGetLastError());
}

}  // namespace spira::cuda
