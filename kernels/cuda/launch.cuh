// Launching kernels over ranges, and scratch memory of CUB.
#pragma once

#include "kernels/cuda/check.hpp"
#include "kernels/cuda/device.hpp"

#include <cstdint>

namespace spira::cuda {

constexpr int threads_per_block = 256;

[[nodiscard]] inline unsigned blocks_for(std::int64_t items, std::int64_t per_block = threads_per_block) {
  return static_cast<unsigned>((items + per_block - 1) / per_block);
}

/// Rows that there are: known on the host, or counted on the device, of which there is room for `most`.
struct RowCount {
  std::int64_t most = 0;
  const std::int64_t* counted = nullptr;  ///< null: `most` is the count

  [[nodiscard]] __device__ std::int64_t get() const {
    return counted == nullptr ? most : min(most, __ldg(counted));
  }
};

/// Calls `step(scratch, bytes)` of CUB twice: for the size, then for the work.
template <class Step> void with_scratch(const Device& device, Step&& step) {
  std::size_t bytes = 0;
  SPIRA_CUDA(step(nullptr, bytes));
  Buffer scratch(device.pool, bytes == 0 ? 1 : bytes);
  SPIRA_CUDA(step(scratch.data(), bytes));
}

template <class Body> __global__ void for_each_kernel(std::int64_t items, Body body) {
  const std::int64_t at = (static_cast<std::int64_t>(blockIdx.x) * blockDim.x) + threadIdx.x;
  if (at < items) body(at);
}

/// body(i) on the device for each i in [0, items).
template <class Body> void for_each(const Device& device, std::int64_t items, Body body) {
  if (items == 0) return;
  for_each_kernel<<<blocks_for(items), threads_per_block, 0, device.stream>>>(items, body);
  SPIRA_CUDA(cudaGetLastError());
}

}  // namespace spira::cuda
