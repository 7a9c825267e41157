// Declares Buffer, which owns memory of one memory space. No other type owns memory of a back end.
#pragma once

#include "engine/base/error.hpp"
#include "engine/memory/memory_pool.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <utility>

namespace spira {

/// A block of uninitialised bytes. It can be moved but not copied, because copies of device memory must be
/// explicit calls.
class Buffer {
 public:
  Buffer() = default;
  /// Allocates `bytes` from `pool`. `bytes` can be 0. Throws `Error(device_memory)` if the pool is exhausted.
  Buffer(std::shared_ptr<MemoryPool> pool, std::size_t bytes);
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    Buffer moved(std::move(other));
    swap(moved);
    return *this;
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer();

  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  [[nodiscard]] std::optional<MemorySpace> space()
      const noexcept;  ///< Returns an empty optional for an empty buffer.
  [[nodiscard]] const void* data() const noexcept { return data_; }
  [[nodiscard]] void* data() noexcept { return data_; }

  /// Throws `Error(internal)` if the host cannot read the memory.
  template <class T> [[nodiscard]] std::span<const T> host_span() const {
    require_host();
    return {static_cast<const T*>(data_), bytes_ / sizeof(T)};
  }
  template <class T> [[nodiscard]] std::span<T> host_span() {
    require_host();
    return {static_cast<T*>(data_), bytes_ / sizeof(T)};
  }
  void swap(Buffer& other) noexcept;
  /// Makes the buffer smaller: keeps its first `bytes`. Used if the required size was not known when the
  /// memory was allocated. The other bytes stay allocated until the buffer is destroyed.
  void narrow(std::size_t bytes);

 private:
  void require_host() const;

  std::shared_ptr<MemoryPool> pool_;
  void* data_ = nullptr;
  std::size_t bytes_ = 0, room_ = 0;
};

}  // namespace spira
