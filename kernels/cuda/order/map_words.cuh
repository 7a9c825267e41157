// Device functions that the kernels of all row orders use. They read the words of a row, and number the rows
// that have equal masks.
#pragma once

#include "kernels/cuda/map/map_source.cuh"

#include <cstdint>

namespace spira::cuda {

struct MemoryWords {
  MapSource source;
  static constexpr int unrolled = 5;

  struct Row {
    const std::uint32_t* words;
    bool there;
    [[nodiscard]] __device__ std::uint32_t operator()(int group) const {
      return there ? __ldg(words + group) : 0U;
    }
  };
  [[nodiscard]] __host__ __device__ int groups() const { return source.groups; }
  [[nodiscard]] __host__ __device__ int kernel_size() const { return source.cube; }
  [[nodiscard]] __device__ std::int64_t rows() const { return source.outputs.get(); }
  [[nodiscard]] __device__ std::uint32_t wanted(int group) const { return source.wanted[group]; }
  [[nodiscard]] __device__ Row row(std::int64_t index, bool there) const {
    return {static_cast<const std::uint32_t*>(source.data) + (index * source.groups), there};
  }
};

/// Increments the count of a mask. Returns how many rows with this mask were counted earlier. Lanes of a warp
/// that have the same mask share one atomic operation.
__device__ inline int rank_of(std::uint32_t mask, int* counts) {
  const unsigned alike = __match_any_sync(0xFFFFFFFFU, mask);
  const int lane = static_cast<int>(threadIdx.x & 31U), leader = __ffs(static_cast<int>(alike)) - 1;
  int before = 0;
  if (lane == leader && mask != 0) before = atomicAdd(counts + mask, __popc(alike));
  return __shfl_sync(0xFFFFFFFFU, before, leader) + __popc(alike & ((1U << lane) - 1U));
}

}  // namespace spira::cuda
