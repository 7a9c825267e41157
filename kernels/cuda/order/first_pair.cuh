// Finds where the pair list of a column begins.
#pragma once

#include "kernels/cuda/device/launch.cuh"

#include <cstdint>

namespace spira::cuda {

/// Returns the number of pairs in the columns before `column`. Must be called by all threads of the thread
/// block, once.
__device__ inline std::uint32_t first_pair_of(const std::int32_t* counts, int column) {
  __shared__ std::uint32_t first;
  const int thread = static_cast<int>(threadIdx.x);
  if (thread < 32) {
    std::uint32_t before = 0;
    for (int at = thread; at < column; at += 32)
      before += static_cast<std::uint32_t>(__ldg(counts + at));
    before = sum_of_warp(before);
    if (thread == 0) first = before;
  }
  __syncthreads();
  return first;
}

}  // namespace spira::cuda
