// Sorts the rows of each block by presence bits, separately for each z-group (part of stage "order").
#include "kernels/cuda/device/launch.cuh"
#include "kernels/cuda/order/group_slices.hpp"
#include "kernels/cuda/order/map_words.cuh"
#include "kernels/cuda/voxels/occupancy.hpp"

#include <algorithm>
#include <cstdint>

namespace spira::cuda {
namespace {

std::int64_t blocks_of(std::int64_t outputs, int block_rows) {
  return (outputs + block_rows - 1) / block_rows;
}

/// Converts the counts of the masks to start positions. The largest mask has the first position, so that
/// masks with many offsets come first. Returns the number of rows that have at least one offset. Must be
/// called by all lanes of a warp.
__device__ int starts_of(int* counts, int masks) {
  const int lane = static_cast<int>(threadIdx.x & 31U);
  int before = 0;
  for (int first = masks - 1; first > 0; first -= 32) {
    const int mask = first - lane;
    const int own = mask > 0 ? counts[mask] : 0;
    int up_to = own;
#pragma unroll
    for (int step = 1; step < 32; step *= 2) {
      const int more = __shfl_up_sync(0xFFFFFFFFU, up_to, step);
      if (lane >= step) up_to += more;
    }
    if (mask > 0) counts[mask] = before + up_to - own;
    before += __shfl_sync(0xFFFFFFFFU, up_to, 31);
  }
  return before;
}

/// Sorts the rows of each block by presence bits with a counting sort, for each z-group. One thread block
/// processes one block of rows, with one thread per row.
template <class Words>
__global__ void __launch_bounds__(max_block_rows)
    slices_kernel(const __grid_constant__ Words words, SliceEntry* entries, std::int32_t* counts) {
  extern __shared__ int shared[];
  const int masks = 1 << words.kernel_size(), groups = words.groups(), rows = static_cast<int>(blockDim.x);
  // `starts` first contains counts and then start positions. Shape: [groups][masks]. `ranks` contains the
  // ranks of rows among the rows with the same mask. Shape: [groups][rows].
  int* starts = shared;
  auto* ranks = reinterpret_cast<std::uint16_t*>(shared + (groups * masks));
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32;
  const std::int64_t first_row = static_cast<std::int64_t>(blockIdx.x) * rows, all_rows = words.rows();
  const std::int64_t first_list = static_cast<std::int64_t>(blockIdx.x) * groups;
  if (first_row >= all_rows) return;
  for (int at = thread; at < groups * masks; at += rows)
    starts[at] = 0;
  const auto word_of = words.row(first_row + thread, first_row + thread < all_rows);
  __syncthreads();
#pragma unroll(Words::unrolled)
  for (int group = 0; group < groups; ++group)
    ranks[(group * rows) + thread] =
        static_cast<std::uint16_t>(rank_of(word_of(group) & words.wanted(group), starts + (group * masks)));
  __syncthreads();
  for (int group = thread / 32; group < groups; group += rows / 32) {
    const int used = starts_of(starts + (group * masks), masks);
    if (lane == 0) counts[first_list + group] = used;
  }
  __syncthreads();
#pragma unroll(Words::unrolled)
  for (int group = 0; group < groups; ++group) {
    const std::uint32_t word = word_of(group), mask = word & words.wanted(group);
    if (mask == 0) continue;
    const int place = starts[(group * masks) + static_cast<int>(mask)] + ranks[(group * rows) + thread];
    entries[((first_list + group) * rows) + place] = {word, static_cast<std::uint32_t>(thread)};
  }
}

template <class Words>
void launch_slices(const Device& device, const Words& words, std::int64_t max_rows, int block_rows,
                   Buffer& slices) {
  const std::int64_t blocks = blocks_of(max_rows, block_rows);
  if (blocks == 0) return;
  auto* entries = values<SliceEntry>(slices);
  auto* counts = reinterpret_cast<std::int32_t*>(entries + (blocks * words.groups() * block_rows));
  const std::size_t bytes = bytes_to_sort(words.kernel_size(), block_rows);
  SPIRA_CUDA(cudaFuncSetAttribute(slices_kernel<Words>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  static_cast<int>(bytes)));
  slices_kernel<<<static_cast<unsigned>(blocks), static_cast<unsigned>(block_rows), bytes, device.stream>>>(
      words, entries, counts);
  SPIRA_CUDA(cudaGetLastError());
}

}  // namespace

std::size_t GroupSlices::bytes(std::int64_t outputs, int kernel_size, int block_rows) {
  const auto lists = static_cast<std::size_t>(blocks_of(outputs, block_rows) * kernel_size * kernel_size);
  return lists * ((static_cast<std::size_t>(block_rows) * sizeof(SliceEntry)) + sizeof(std::int32_t));
}

GroupSlices GroupSlices::in(const Buffer& buffer, std::int64_t outputs, int groups, int block_rows) {
  const auto* entries = values<SliceEntry>(buffer);
  const std::int64_t lists = blocks_of(outputs, block_rows) * groups;
  return {block_rows, entries, reinterpret_cast<const std::int32_t*>(entries + (lists * block_rows))};
}

void group_slices(const Device& device, const MapSource& source, int block_rows, Buffer& slices) {
  launch_slices(device, MemoryWords{source}, source.outputs.max, block_rows, slices);
}

void group_slices(const Device& device, const OccupancyMap& map, int kernel_size, int block_rows,
                  Buffer& slices) {
  visit_map(map.pack, kernel_size, [&]<class Key, int K>(Key, std::integral_constant<int, K>) {
    launch_slices(device, GridWords<Key, K>{map}, map.outputs.max, block_rows, slices);
  });
}

}  // namespace spira::cuda
