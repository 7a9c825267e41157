// The data that all kernels of a device use: its stream, its memory pool and its properties.
#pragma once

#include "engine/memory/buffer.hpp"

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace spira {
class StageSource;
}

namespace spira::cuda {

/// Shared memory in bytes that each thread block reserves for the system and for variables that kernels
/// declare.
constexpr int kept_shared = 2048;

/// A memory pool that keeps one zeroed block for the next call of allocate_zeros(). The kept block does not
/// count as used memory.
class ZerosPool : public MemoryPool {
 public:
  struct Block {
    void* data = nullptr;
    /// `bytes` is the size of the block. `counted` is the requested size, which is counted as used memory.
    std::size_t bytes = 0, counted = 0;
  };
  /// Throws the same errors as allocate().
  [[nodiscard]] virtual Block allocate_zeros(std::size_t bytes) = 0;
  /// Keeps a zeroed block for the next call of allocate_zeros(). Must be called by the owner thread only.
  virtual void keep_zeros(const Block& block) noexcept = 0;
  /// Returns the number of bytes that the pool has reserved on the device but that no allocation uses.
  [[nodiscard]] virtual std::size_t unused_bytes() const = 0;
};

class CounterSets;
class Cublas;

struct Device {
  int index = 0;
  int sm = 0;  ///< Compute capability times 10; for example, 90 means 9.0.
  int sm_count = 0;
  /// Number of threads and bytes of shared memory that a multiprocessor can hold.
  int threads_of_sm = 0, shared_of_sm = 0;
  bool cooperative =
      false;  ///< True if the thread blocks of a launch may wait for each other (cooperative launch).
  int shared_bytes = 0;           ///< Maximum shared memory of a thread block, in bytes.
  cudaStream_t stream = nullptr;  ///< The stream on which the pool allocates and frees memory.
  std::shared_ptr<ZerosPool> pool;
  std::shared_ptr<CounterSets> counters;
  std::shared_ptr<Cublas> cublas;  ///< Uses `stream` for all products.
  bool repeatable = false;         ///< BackendOptions::repeatable.
};
/// Returns true if this build contains warpgroup products (sm_90a) and a device with compute capability `sm`
/// supports them.
[[nodiscard]] constexpr bool has_warpgroup_products([[maybe_unused]] int sm) {
#ifdef SPIRA_BUILT_FOR_SM90A
  return sm == 90;
#else
  return false;
#endif
}
/// Opens a device. Throws Error(device) if the device cannot be used.
[[nodiscard]] Device open_device(int index, std::size_t limit_bytes, bool poison);

/// Returns a source that times stages with CUDA events on a stream.
[[nodiscard]] std::unique_ptr<StageSource> make_event_stages(cudaStream_t stream);

/// Returns the free memory of the device plus the unused memory of the pool.
[[nodiscard]] std::size_t free_bytes(const Device& device);

/// A block of device memory that contains only zeros when it is allocated. If the owner sets it to zero again
/// and calls keep(), the next allocation does not have to clear the block.
class Zeros {
 public:
  Zeros() = default;
  Zeros(const Device& device, std::size_t bytes) : pool_(device.pool), block_(pool_->allocate_zeros(bytes)) {}
  Zeros(Zeros&& other) noexcept : pool_(std::move(other.pool_)), block_(std::exchange(other.block_, {})) {}
  Zeros& operator=(Zeros&& other) noexcept {
    std::swap(pool_, other.pool_);
    std::swap(block_, other.block_);
    return *this;
  }
  Zeros(const Zeros&) = delete;
  Zeros& operator=(const Zeros&) = delete;
  ~Zeros() {
    if (block_.data != nullptr) pool_->release(block_.data, block_.counted);
  }

  [[nodiscard]] void* data() const noexcept { return block_.data; }
  /// Returns the block to the pool as a zeroed block. The block must contain only zeros when all launched
  /// work is complete.
  void keep() noexcept { pool_->keep_zeros(std::exchange(block_, {})); }

 private:
  std::shared_ptr<ZerosPool> pool_;
  ZerosPool::Block block_;
};

template <class T> [[nodiscard]] T* values(Buffer& buffer) {
  return static_cast<T*>(buffer.data());
}
template <class T> [[nodiscard]] const T* values(const Buffer& buffer) {
  return static_cast<const T*>(buffer.data());
}

/// copy_to_device() and copy_from_device() copy between the host and the device, in stream order.
/// copy_from_device() waits for the copy. copy_to_device() may read `from` until the stream has been
/// synchronized. If `from` may be destroyed sooner, table_copy() must be used instead.
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
