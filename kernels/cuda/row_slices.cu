#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/map_words.cuh"
#include "kernels/cuda/occupancy.hpp"
#include "kernels/cuda/row_slices.hpp"

#include <cub/cub.cuh>

#include <cstdint>

namespace spira::cuda {
namespace {

constexpr int kind_bits = 14, kinds = 1 << kind_bits, rank_bits = 17;
static_assert(sorted_rows == 1 << rank_bits, "a kind and a rank share 32 bits");
constexpr int scan_threads = 1024, kinds_of_thread = kinds / scan_threads;

/// Bit of the coarse group that a z-group belongs to; corners, which are rarest, stand highest.
__device__ unsigned coarse_bit(int group, int kernel_size) {
  const int centre = (kernel_size - 1) / 2;
  const auto side = [&](int at) { return at < centre ? 0 : at == centre ? 1 : 2; };
  constexpr unsigned bits[9] = {8, 4, 7, 3, 0, 2, 6, 1, 5};
  return 1U << bits[(side(group / kernel_size) * 3) + side(group % kernel_size)];
}

/// Place of a code in the reflected Gray order.
__device__ unsigned gray_place(unsigned code) {
  code ^= code >> 1U;
  code ^= code >> 2U;
  code ^= code >> 4U;
  return code ^ (code >> 8U);
}

/// The kind of a row: its coarse columns, then whether it has anything above, beside and below itself
/// elsewhere, and above and below in its own column.
template <class Words> __device__ unsigned kind_of(const Words& words, const typename Words::Row& word_of) {
  const int K = words.kernel_size(), centre = (K - 1) / 2, own = (centre * K) + centre;
  const std::uint32_t beside = 1U << static_cast<unsigned>(centre), below = beside - 1U;
  const auto has = [&](std::uint32_t word) {
    return ((word & below) != 0 ? 1U : 0U) | ((word & ~(below | beside)) != 0 ? 2U : 0U);
  };
  unsigned code = 0, elsewhere = 0, here = 0;
#pragma unroll(Words::unrolled)
  for (int group = 0; group < words.groups(); ++group) {
    const std::uint32_t word = word_of(group) & words.wanted(group) & ((1U << static_cast<unsigned>(K)) - 1U);
    if (word == 0) continue;
    code |= coarse_bit(group, K);
    if (group == own) {
      here = has(word);
    } else {
      elsewhere |= has(word) | ((word & beside) != 0 ? 4U : 0U);
    }
  }
  return (gray_place(code) << 5U) | (elsewhere << 2U) | here;
}

/// Counts the rows of each kind; `placed`: [rows] kind and rank in it.
template <class Words>
__global__ void __launch_bounds__(threads_per_block)
    kinds_kernel(const __grid_constant__ Words words, std::int32_t* counts, std::uint32_t* placed) {
  const std::int64_t row = (static_cast<std::int64_t>(blockIdx.x) * blockDim.x) + threadIdx.x;
  const std::int64_t rows = words.rows();
  if (row - (threadIdx.x & 31U) >= rows) return;
  const bool there = row < rows;
  const unsigned kind = there ? kind_of(words, words.row(row, there)) : static_cast<unsigned>(kinds);
  const unsigned alike = __match_any_sync(0xFFFFFFFFU, kind);
  if (!there) return;
  const int lane = static_cast<int>(threadIdx.x & 31U), leader = __ffs(static_cast<int>(alike)) - 1;
  unsigned rank = 0;
  if (lane == leader)
    rank = static_cast<unsigned>(atomicAdd(counts + ((row / sorted_rows * kinds) + kind), __popc(alike)));
  rank = __shfl_sync(alike, rank, leader) + static_cast<unsigned>(__popc(alike & ((1U << lane) - 1U)));
  placed[row] = (kind << rank_bits) | rank;
}

/// Turns counts into where each kind starts; a block the kinds of rows that are sorted together.
__global__ void __launch_bounds__(scan_threads) starts_kernel(std::int32_t* counts) {
  using Scan = cub::BlockScan<int, scan_threads>;
  __shared__ typename Scan::TempStorage scratch;
  auto* own = reinterpret_cast<int4*>(counts + (static_cast<std::int64_t>(blockIdx.x) * kinds) +
                                      (threadIdx.x * kinds_of_thread));
  alignas(sizeof(int4)) int values[kinds_of_thread];
#pragma unroll
  for (int at = 0; at < kinds_of_thread; at += 4)
    *reinterpret_cast<int4*>(values + at) = own[at / 4];
  Scan(scratch).ExclusiveSum(values, values);
#pragma unroll
  for (int at = 0; at < kinds_of_thread; at += 4)
    own[at / 4] = *reinterpret_cast<int4*>(values + at);
}

/// Puts each row, with its words, where it belongs; the last slice is filled up with none.
template <class Words>
__global__ void __launch_bounds__(threads_per_block)
    order_kernel(const __grid_constant__ Words words, const std::int32_t* starts, const std::uint32_t* placed,
                 std::int32_t* rows, std::uint32_t* slice_words) {
  const std::int64_t row = (static_cast<std::int64_t>(blockIdx.x) * blockDim.x) + threadIdx.x;
  const std::int64_t all_rows = words.rows();
  if (row >= (all_rows + slice_rows - 1) / slice_rows * slice_rows) return;
  const bool there = row < all_rows;
  std::int64_t place = row;
  if (there) {
    const std::uint32_t own = placed[row];
    const std::int64_t together = row / sorted_rows;
    place = (together * sorted_rows) + __ldg(starts + (together * kinds) + (own >> rank_bits)) +
            (own & (sorted_rows - 1));
  }
  const auto word_of = words.row(row, there);
  rows[place] = there ? static_cast<std::int32_t>(row) : -1;
  const int groups = words.groups();
  std::uint32_t* to =
      slice_words + (place / slice_rows * groups * slice_rows) + (place % 8 * 2) + (place % slice_rows / 8);
#pragma unroll(Words::unrolled)
  for (int group = 0; group < groups; ++group)
    to[group * slice_rows] = word_of(group);
}

/// Where things stand in the memory of slices: rows, words, and what sorting needs.
struct Places {
  std::int64_t most_rows, sets;

  explicit Places(std::int64_t outputs)
      : most_rows((outputs + slice_rows - 1) / slice_rows * slice_rows),
        sets((outputs + sorted_rows - 1) / sorted_rows) {}
  [[nodiscard]] std::int64_t words() const { return most_rows; }
  [[nodiscard]] std::int64_t counts(int groups) const { return words() + (most_rows * groups); }
  [[nodiscard]] std::int64_t placed(int groups) const { return counts(groups) + (sets * kinds); }
  [[nodiscard]] std::int64_t all(int groups) const { return placed(groups) + most_rows; }  // of 32 bits
};

template <class Words>
void launch(const Device& device, const Words& words, std::int64_t most_rows, Buffer& slices) {
  if (most_rows == 0) return;
  const Places places(most_rows);
  auto* rows = values<std::int32_t>(slices);
  std::int32_t* counts = rows + places.counts(words.groups());
  auto* placed = reinterpret_cast<std::uint32_t*>(rows + places.placed(words.groups()));
  SPIRA_CUDA(cudaMemsetAsync(counts, 0, static_cast<std::size_t>(places.sets * kinds) * sizeof(std::int32_t),
                             device.stream));
  const unsigned blocks = blocks_for(places.most_rows);
  kinds_kernel<<<blocks, threads_per_block, 0, device.stream>>>(words, counts, placed);
  SPIRA_CUDA(cudaGetLastError());
  starts_kernel<<<static_cast<unsigned>(places.sets), scan_threads, 0, device.stream>>>(counts);
  SPIRA_CUDA(cudaGetLastError());
  order_kernel<<<blocks, threads_per_block, 0, device.stream>>>(
      words, counts, placed, rows, reinterpret_cast<std::uint32_t*>(rows + places.words()));
  SPIRA_CUDA(cudaGetLastError());
}

}  // namespace

std::size_t RowSlices::bytes(std::int64_t outputs, int groups) {
  return static_cast<std::size_t>(Places(outputs).all(groups)) * sizeof(std::int32_t);
}

RowSlices RowSlices::in(const Buffer& buffer, std::int64_t outputs) {
  const auto* rows = values<std::int32_t>(buffer);
  return {rows, reinterpret_cast<const uint2*>(rows + Places(outputs).words())};
}

void row_slices(const Device& device, const MapSource& source, Buffer& slices) {
  launch(device, MemoryWords{source}, source.outputs.most, slices);
}

void row_slices(const Device& device, const OccupancyMap& map, int kernel_size, Buffer& slices) {
  visit_map(map.pack, kernel_size, [&]<class Key, int K>(Key, std::integral_constant<int, K>) {
    launch(device, GridWords<Key, K>{map}, map.outputs.most, slices);
  });
}

}  // namespace spira::cuda
