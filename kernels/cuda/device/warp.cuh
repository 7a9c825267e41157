// Reductions over all lanes of a warp.
#pragma once

#include <cstdint>

namespace spira::cuda {

__device__ inline std::uint32_t or_of_warp(std::uint32_t value) {
#if __CUDA_ARCH__ >= 800
  return __reduce_or_sync(0xFFFFFFFFU, value);
#else
  for (int step = 16; step > 0; step /= 2)
    value |= __shfl_xor_sync(0xFFFFFFFFU, value, step);
  return value;
#endif
}

__device__ inline std::uint32_t sum_of_warp(std::uint32_t value) {
#if __CUDA_ARCH__ >= 800
  return __reduce_add_sync(0xFFFFFFFFU, value);
#else
  for (int step = 16; step > 0; step /= 2)
    value += __shfl_xor_sync(0xFFFFFFFFU, value, step);
  return value;
#endif
}

}  // namespace spira::cuda
