#include "kernels/cuda/group_slices.hpp"
#include "kernels/cuda/launch.cuh"

#include <algorithm>
#include <cstdint>

namespace spira::cuda {
namespace {

std::int64_t blocks_of(std::int64_t outputs, int block_rows) {
  return (outputs + block_rows - 1) / block_rows;
}

/// Turns counts into where each mask starts, descending, so that masks with many offsets come first. Returns
/// how many rows have any. All lanes of the warp.
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

/// Counts the rows of each mask; returns how many of the same mask came before this one. Lanes of a warp that
/// have the same mask count together.
__device__ int rank_of(std::uint32_t mask, int* counts) {
  const unsigned alike = __match_any_sync(0xFFFFFFFFU, mask);
  const int lane = static_cast<int>(threadIdx.x & 31U), leader = __ffs(static_cast<int>(alike)) - 1;
  int before = 0;
  if (lane == leader && mask != 0) before = atomicAdd(counts + mask, __popc(alike));
  return __shfl_sync(0xFFFFFFFFU, before, leader) + __popc(alike & ((1U << lane) - 1U));
}

/// Counting sort of the rows of a block by their presence bits, for each z-group. A block of threads takes
/// one block of rows, a thread a row.
__global__ void __launch_bounds__(most_block_rows)
    slices_kernel(const __grid_constant__ MapSource source, SliceEntry* entries, std::int32_t* counts) {
  extern __shared__ int shared[];
  const int masks = 1 << source.kernel_size, rows = static_cast<int>(blockDim.x);
  int* starts = shared;                                                              // [groups][masks]
  auto* ranks = reinterpret_cast<std::uint16_t*>(shared + (source.groups * masks));  // [groups][rows]
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32;
  const std::int64_t row = (static_cast<std::int64_t>(blockIdx.x) * rows) + thread;
  const std::int64_t first_list = static_cast<std::int64_t>(blockIdx.x) * source.groups;
  const auto* words = static_cast<const std::uint32_t*>(source.data) + (row * source.groups);
  const auto word_of = [&](int group) { return row < source.outputs ? __ldg(words + group) : 0U; };
  for (int at = thread; at < source.groups * masks; at += rows)
    starts[at] = 0;
  __syncthreads();
#pragma unroll 5
  for (int group = 0; group < source.groups; ++group)
    ranks[(group * rows) + thread] =
        static_cast<std::uint16_t>(rank_of(word_of(group) & source.wanted[group], starts + (group * masks)));
  __syncthreads();
  for (int group = thread / 32; group < source.groups; group += rows / 32) {
    const int used = starts_of(starts + (group * masks), masks);
    if (lane == 0) counts[first_list + group] = used;
  }
  __syncthreads();
#pragma unroll 5
  for (int group = 0; group < source.groups; ++group) {
    const std::uint32_t word = word_of(group), mask = word & source.wanted[group];
    if (mask == 0) continue;
    const int place = starts[(group * masks) + static_cast<int>(mask)] + ranks[(group * rows) + thread];
    entries[((first_list + group) * rows) + place] = {word, static_cast<std::uint32_t>(thread)};
  }
}

}  // namespace

std::size_t GroupSlices::bytes(std::int64_t outputs, int groups, int block_rows) {
  const auto lists = static_cast<std::size_t>(blocks_of(outputs, block_rows) * groups);
  return lists * ((static_cast<std::size_t>(block_rows) * sizeof(SliceEntry)) + sizeof(std::int32_t));
}

GroupSlices GroupSlices::in(const Buffer& buffer, std::int64_t outputs, int groups, int block_rows) {
  const auto* entries = values<SliceEntry>(buffer);
  const std::int64_t lists = blocks_of(outputs, block_rows) * groups;
  return {block_rows, entries, reinterpret_cast<const std::int32_t*>(entries + (lists * block_rows))};
}

int block_rows_for(const Device& device, std::int64_t outputs, int most_rows) {
  int rows = std::min(most_rows, most_block_rows);
  while (rows > least_block_rows && blocks_of(outputs, rows) * 5 < std::int64_t{device.sm_count} * 4)
    rows /= 2;
  return rows;
}

Buffer group_slices(const Device& device, const MapSource& source, int block_rows) {
  Buffer buffer(device.pool, GroupSlices::bytes(source.outputs, source.groups, block_rows));
  if (source.outputs == 0) return buffer;
  const std::int64_t blocks = blocks_of(source.outputs, block_rows);
  auto* entries = values<SliceEntry>(buffer);
  auto* counts = reinterpret_cast<std::int32_t*>(entries + (blocks * source.groups * block_rows));
  const std::size_t bytes =
      static_cast<std::size_t>(source.groups) *
      ((sizeof(int) << source.kernel_size) + (sizeof(std::uint16_t) * static_cast<std::size_t>(block_rows)));
  SPIRA_CUDA(cudaFuncSetAttribute(slices_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  static_cast<int>(bytes)));
  slices_kernel<<<static_cast<unsigned>(blocks), static_cast<unsigned>(block_rows), bytes, device.stream>>>(
      source, entries, counts);
  SPIRA_CUDA(cudaGetLastError());
  return buffer;
}

}  // namespace spira::cuda
