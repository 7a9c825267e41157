// What all kernels of one device share: its stream, its memory and its facts.
#pragma once

#include "engine/memory/buffer.hpp"
#include "kernels/cuda/cublas.hpp"

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace spira::cuda {

/// Bytes of a block's shared memory for what kernels declare and for the system.
constexpr int kept_shared = 2048;

/// A pool that keeps memory which is all zeros again for the next who asks for zeros. What is kept does not
/// count as used.
class ZerosPool : public MemoryPool {
 public:
  struct Block {
    void* data = nullptr;
    std::size_t bytes = 0, counted = 0;  ///< that there are, that were asked for and count as used
  };
  /// Throws as allocate() does.
  [[nodiscard]] virtual Block allocate_zeros(std::size_t bytes) = 0;
  /// Owner thread only.
  virtual void keep_zeros(const Block& block) noexcept = 0;
};

class CounterSets;

struct Device {
  int index = 0;
  int sm = 0;  ///< 90 for compute capability 9.0
  int sm_count = 0;
  int threads_of_sm = 0, shared_of_sm = 0;  ///< that a multiprocessor has, in bytes the latter
  bool cooperative = false;                 ///< blocks of a launch may wait for each other
  int shared_bytes = 0;                     ///< that a block can have
  cudaStream_t stream = nullptr;            ///< of the pool
  std::shared_ptr<ZerosPool> pool;
  std::shared_ptr<CounterSets> counters;
  std::shared_ptr<Cublas> cublas;  ///< on the stream
};
/// Whether code for products of warpgroups was built (sm_90a), and a device of this `sm` has them.
[[nodiscard]] constexpr bool has_warpgroup_products([[maybe_unused]] int sm) {
#ifdef SPIRA_BUILT_FOR_SM90A
  return sm == 90;
#else
  return false;
#endif
}
/// Throws Error(device) where it cannot be used.
[[nodiscard]] Device open_device(int index, std::size_t limit_bytes, bool poison);

/// What the device has left, and what the pool keeps without using it.
[[nodiscard]] std::size_t free_bytes(const Device& device);

template <class T> [[nodiscard]] T* values(Buffer& buffer) {
  return static_cast<T*>(buffer.data());
}
template <class T> [[nodiscard]] const T* values(const Buffer& buffer) {
  return static_cast<const T*>(buffer.data());
}

/// Copies between the host and the device, in the order of the stream. from_device waits; to_device may read
/// `from` until the stream has been waited for (table_copy() takes what ends sooner).
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
