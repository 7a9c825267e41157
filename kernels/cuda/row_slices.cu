#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/map_words.cuh"
#include "kernels/cuda/occupancy.hpp"
#include "kernels/cuda/row_slices.hpp"

#include <cub/cub.cuh>

#include <cstdint>

namespace spira::cuda {
namespace {

constexpr int kinds = 512;  // of rows: which of 3 x 3 coarse z-groups they have

std::int64_t blocks_of(std::int64_t outputs) {
  return (outputs + sorted_rows - 1) / sorted_rows;
}

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

/// A block of threads sorts a block of rows, a thread a row.
template <class Words>
__global__ void __launch_bounds__(sorted_rows)
    order_kernel(const __grid_constant__ Words words, std::int32_t* rows, std::uint32_t* slice_words) {
  using Scan = cub::BlockScan<int, sorted_rows>;
  __shared__ typename Scan::TempStorage scratch;
  __shared__ int starts[kinds + 2];  // [1 + kind]; the last are places without a row
  const int thread = static_cast<int>(threadIdx.x), groups = words.groups();
  const std::int64_t first_row = static_cast<std::int64_t>(blockIdx.x) * sorted_rows, all_rows = words.rows();
  if (first_row >= all_rows) return;
  const bool there = first_row + thread < all_rows;
  const auto word_of = words.row(first_row + thread, there);
  if (thread < kinds + 2) starts[thread] = 0;
  unsigned code = 0;
#pragma unroll(Words::unrolled)
  for (int group = 0; group < groups; ++group) {
    if ((word_of(group) & words.wanted(group)) != 0) code |= coarse_bit(group, words.kernel_size());
  }
  const unsigned kind = 1U + (there ? gray_place(code) : static_cast<unsigned>(kinds));
  __syncthreads();
  const int rank = rank_of(kind, starts);
  __syncthreads();
  int start = thread < kinds + 2 ? starts[thread] : 0;
  Scan(scratch).ExclusiveSum(start, start);
  if (thread < kinds + 2) starts[thread] = start;
  __syncthreads();
  const int place = starts[kind] + rank;
  rows[first_row + place] = there ? static_cast<std::int32_t>(first_row + thread) : -1;
  const std::int64_t slice = (first_row + place) / 16;
  std::uint32_t* to = slice_words + (slice * groups * 16) + (place % 8 * 2) + (place % 16 / 8);
#pragma unroll(Words::unrolled)
  for (int group = 0; group < groups; ++group)
    to[group * 16] = word_of(group);
}

template <class Words>
void launch(const Device& device, const Words& words, std::int64_t most_rows, Buffer& slices) {
  const std::int64_t blocks = blocks_of(most_rows);
  if (blocks == 0) return;
  auto* rows = values<std::int32_t>(slices);
  order_kernel<<<static_cast<unsigned>(blocks), sorted_rows, 0, device.stream>>>(
      words, rows, reinterpret_cast<std::uint32_t*>(rows + (blocks * sorted_rows)));
  SPIRA_CUDA(cudaGetLastError());
}

}  // namespace

std::size_t RowSlices::bytes(std::int64_t outputs, int groups) {
  return static_cast<std::size_t>(blocks_of(outputs) * sorted_rows) * sizeof(std::int32_t) *
         static_cast<std::size_t>(groups + 1);
}

RowSlices RowSlices::in(const Buffer& buffer, std::int64_t outputs) {
  const auto* rows = values<std::int32_t>(buffer);
  return {rows, reinterpret_cast<const uint2*>(rows + (blocks_of(outputs) * sorted_rows))};
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
