// Functions that launch kernels over ranges, and that provide scratch memory for CUB.
#pragma once

#include "engine/map/kernel_offsets.hpp"
#include "kernels/cuda/device/device.hpp"
#include "kernels/cuda/device/handles.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>

namespace spira::cuda {

constexpr int threads_per_block = 256;

[[nodiscard]] inline unsigned blocks_for(std::int64_t items, std::int64_t per_block = threads_per_block) {
  return static_cast<unsigned>((items + per_block - 1) / per_block);
}

/// Returns K if the fast kernels are compiled for this shape: a cube of K cells on each axis. Returns 0 for
/// other shapes, which run in the general kernels.
[[nodiscard]] inline int fast_kernel_size(const KernelShape& kernel) {
  const int size = kernel.cube();
  return size == 4 || size == 6 ? 0 : size;
}

/// Calls visit(std::integral_constant<int, number>{}). `number` must be one of `numbers`.
template <int... numbers, class Visit> void visit_one_of(int number, Visit&& visit) {
  static_cast<void>(((number == numbers && (visit(std::integral_constant<int, numbers>{}), true)) || ...));
}
/// Calls visit_one_of() with the number of offsets of a z-group.
template <class Visit> void visit_z_cells(int z_cells, Visit&& visit) {
  visit_one_of<1, 2, 3, 4, 5, 6, 7>(z_cells, visit);
}
/// Calls visit_one_of() with a result of fast_kernel_size().
template <class Visit> void visit_kernel_size(int kernel_size, Visit&& visit) {
  visit_one_of<1, 2, 3, 5, 7>(kernel_size, visit);
}

/// A number of rows. It is either known on the host, or counted on the device and limited to `max`.
struct RowCount {
  std::int64_t max = 0;
  const std::int64_t* counted = nullptr;  ///< `nullptr` if the number of rows is `max`.

  [[nodiscard]] __device__ std::int64_t get() const {
    return counted == nullptr ? max : min(max, __ldg(counted));
  }
};

/// Calls the CUB function `step(scratch, bytes)` twice. The first call returns the size of the scratch
/// memory, and the second call does the work.
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

/// Calls body(i) on the device for each i in [0, items).
template <class Body> void for_each(const Device& device, std::int64_t items, Body body) {
  if (items == 0) return;
  for_each_kernel<<<blocks_for(items), threads_per_block, 0, device.stream>>>(items, body);
  SPIRA_CUDA(cudaGetLastError());
}

/// A table that is passed as a kernel argument. It has space for 343 int32 values: one per offset of the
/// largest kernel (K = 7).
template <class T> struct SmallTable {
  static constexpr std::size_t size = 343 * sizeof(std::int32_t) / sizeof(T);
  T of[size];
};

/// Returns a copy of a few values in device memory. The values are passed as a kernel argument, which the
/// launch copies. Therefore `from` may be destroyed right after the call, and the host does not wait. With an
/// asynchronous copy instead, `from` would have to exist until the stream has executed the copy.
template <class T> [[nodiscard]] Buffer table_copy(const Device& device, std::span<const T> from) {
  SPIRA_ASSERT(from.size() <= SmallTable<T>::size, "the table is too long for a kernel argument");
  SmallTable<T> table{};
  std::copy(from.begin(), from.end(), table.of);
  Buffer buffer(device.pool, from.size_bytes());
  T* to = values<T>(buffer);
  for_each(device, static_cast<std::int64_t>(from.size()),
           [=] __device__(std::int64_t at) { to[at] = table.of[at]; });
  return buffer;
}

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
