// Launching kernels over ranges, and scratch memory of CUB.
#pragma once

#include "kernels/cuda/check.hpp"
#include "kernels/cuda/device.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>

namespace spira::cuda {

constexpr int threads_per_block = 256;

[[nodiscard]] inline unsigned blocks_for(std::int64_t items, std::int64_t per_block = threads_per_block) {
  return static_cast<unsigned>((items + per_block - 1) / per_block);
}

/// visit(std::integral_constant<int, K>{}) of the kernel sizes that there are.
template <class Visit> void visit_kernel_size(int kernel_size, Visit&& visit) {
  switch (kernel_size) {
    case 1:
      return visit(std::integral_constant<int, 1>{});
    case 2:
      return visit(std::integral_constant<int, 2>{});
    case 3:
      return visit(std::integral_constant<int, 3>{});
    case 5:
      return visit(std::integral_constant<int, 5>{});
    default:
      return visit(std::integral_constant<int, 7>{});
  }
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

/// What fits beside the other arguments of a launch: one value an offset of the widest kernel.
template <class T> struct SmallTable {
  static constexpr std::size_t most = 343 * sizeof(std::int32_t) / sizeof(T);
  T of[most];
};

/// A few values for kernels. They travel as an argument of a launch, which keeps what it is given: `from` may
/// end at once, and the host waits for nothing. An asynchronous copy promises only one of the two: it may
/// read host memory as late as the stream gets there.
template <class T> [[nodiscard]] Buffer table_copy(const Device& device, std::span<const T> from) {
  SPIRA_ASSERT(from.size() <= SmallTable<T>::most, "the table is too long for an argument");
  SmallTable<T> table{};
  std::copy(from.begin(), from.end(), table.of);
  Buffer buffer(device.pool, from.size_bytes());
  T* to = values<T>(buffer);
  for_each(device, static_cast<std::int64_t>(from.size()),
           [=] __device__(std::int64_t at) { to[at] = table.of[at]; });
  return buffer;
}

}  // namespace spira::cuda
