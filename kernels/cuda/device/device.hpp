// The state that all kernels of one device share: its stream, its memory and its properties.
#pragma once

#include "engine/memory/buffer.hpp"
#include "kernels/cuda/baseline/cublas.hpp"

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace spira::cuda {

/// Bytes of a block's shared memory that are reserved for variables declared in kernels and for the system.
constexpr int kept_shared = 2048;

/// A pool that keeps zeroed memory for the next request for zeros. Kept memory does not count as used.
class ZerosPool : public MemoryPool {
 public:
  struct Block {
    void* data = nullptr;
    std::size_t bytes = 0, counted = 0;  ///< Size of the block, and the requested size, which counts as used.
  };
  /// Throws the same errors as allocate().
  [[nodiscard]] virtual Block allocate_zeros(std::size_t bytes) = 0;
  /// Must be called by the owner thread only.
  virtual void keep_zeros(const Block& block) noexcept = 0;
};

class CounterSets;

struct Device {
  int index = 0;
  int sm = 0;  ///< 90 means compute capability 9.0.
  int sm_count = 0;
  int threads_of_sm = 0, shared_of_sm = 0;  ///< Threads of a multiprocessor, and bytes of its shared memory.
  bool cooperative = false;                 ///< True if blocks of a launch may wait for each other.
  int shared_bytes = 0;                     ///< Largest shared memory of a block.
  cudaStream_t stream = nullptr;            ///< The stream of the pool.
  std::shared_ptr<ZerosPool> pool;
  std::shared_ptr<CounterSets> counters;
  std::shared_ptr<Cublas> cublas;  ///< Uses `stream`.
};
/// Returns true if this build contains warpgroup products (sm_90a) and a device of this `sm` has them.
[[nodiscard]] constexpr bool has_warpgroup_products([[maybe_unused]] int sm) {
#ifdef SPIRA_BUILT_FOR_SM90A
  return sm == 90;
#else
  return false;
#endif
}
/// Throws Error(device) if the device cannot be used.
[[nodiscard]] Device open_device(int index, std::size_t limit_bytes, bool poison);

/// Returns the free memory of the device plus the memory that the pool keeps unused.
[[nodiscard]] std::size_t free_bytes(const Device& device);

template <class T> [[nodiscard]] T* values(Buffer& buffer) {
  return static_cast<T*>(buffer.data());
}
template <class T> [[nodiscard]] const T* values(const Buffer& buffer) {
  return static_cast<const T*>(buffer.data());
}

/// Copy between the host and the device, in stream order. copy_from_device() waits. copy_to_device() may read
/// `from` until the stream has been synchronized. Use table_copy() if `from` is destroyed sooner.
void copy_to_device(const Device& device, void* to, const void* from, std::size_t bytes);
void copy_from_device(const Device& device, void* to, const void* from, std::size_t bytes);

template <class T> [[nodiscard]] Buffer device_copy(const Device& device, std::span<const T> from) {
  Buffer buffer(device.pool, from.size_bytes());
  copy_to_device(device, buffer.data(), from.data(), from.size_bytes());
  return buffer;
}
template <class T> [[nodiscard]] std::vector<T> host_copy(const Device& device, const Buffer& from) {
  std::vector<T> result(from.bytes() / sizeof(T));
  copy_from_device(device, result.data(), from.data(), from.bytes());
  return result;
}
template <class T> [[nodiscard]] T read_value(const Device& device, const T* from) {
  T value{};
  copy_from_device(device, &value, from, sizeof(T));
  return value;
}

}  // namespace spira::cuda
