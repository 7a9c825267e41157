// Owned bytes of one memory space. The only type that owns memory of a back end.
#pragma once

#include "engine/base/error.hpp"
#include "engine/memory/memory_pool.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <utility>

namespace spira {

/// Uninitialised bytes. Move-only: a copy of device memory is always a call with a name.
class Buffer {
 public:
  Buffer() = default;
  Buffer(std::shared_ptr<MemoryPool> pool, std::size_t bytes);  ///< throws Error(device); 0 bytes: empty
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
  [[nodiscard]] std::optional<MemorySpace> space() const noexcept;  ///< empty for an empty buffer
  [[nodiscard]] const void* data() const noexcept { return data_; }
  [[nodiscard]] void* data() noexcept { return data_; }

  /// Throws Error(internal) for memory that the host cannot read.
  template <class T> [[nodiscard]] std::span<const T> host_span() const {
    require_host();
    return {static_cast<const T*>(data_), bytes_ / sizeof(T)};
  }
  template <class T> [[nodiscard]] std::span<T> host_span() {
    require_host();
    return {static_cast<T*>(data_), bytes_ / sizeof(T)};
  }
  void swap(Buffer& other) noexcept;
  /// Of the room that was taken before anybody knew how much would be needed, only the first bytes are of
  /// use. The rest stays taken for as long as the buffer lives.
  void narrow(std::size_t bytes);

 private:
  void require_host() const;

  std::shared_ptr<MemoryPool> pool_;
  void* data_ = nullptr;
  std::size_t bytes_ = 0, room_ = 0;
};

}  // namespace spira
