// Declares memory pools. They allocate buffers on the host or on a device and record the peak of their bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace spira {

enum class MemorySpace : std::uint8_t { host, cuda };

/// Allocates the memory of one Backend. Each buffer shares ownership of its pool, so the pool outlives its
/// buffers. Only the owner thread may call allocate(); any thread may call release().
class MemoryPool : public std::enable_shared_from_this<MemoryPool> {
 public:
  MemoryPool() = default;
  virtual ~MemoryPool() = default;
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;

  [[nodiscard]] virtual MemorySpace space() const noexcept = 0;
  /// Returns memory that is aligned to 256 bytes. Throws `Error(device_memory)` with the requested size in
  /// the message.
  [[nodiscard]] virtual void* allocate(std::size_t bytes) = 0;
  virtual void release(void* data, std::size_t bytes) noexcept = 0;
  [[nodiscard]] virtual std::size_t used_bytes() const noexcept = 0;
  [[nodiscard]] virtual std::size_t peak_bytes() const noexcept = 0;
  virtual void reset_peak() noexcept = 0;  ///< Sets the peak to the bytes that are used now.
  /// Raises the peak to at least `bytes`. Used to restore a peak that was read before a reset.
  virtual void raise_peak(std::size_t bytes) noexcept = 0;
};

/// The value with which new memory is filled to find reads of uninitialised memory. It differs from 0 and
/// from -1, which means "no input". Memory that is filled with it is NaN as fp16 and a very large number as
/// fp32.
constexpr int poison_byte = 0x7F;

/// Creates a pool of host memory. `limit_bytes` = 0 means no limit. If `poison` is true, new blocks are
/// filled with poison_byte. The pool keeps up to 192 MB of large released blocks for later requests; these
/// blocks do not count as used.
[[nodiscard]] std::shared_ptr<MemoryPool> make_host_pool(std::size_t limit_bytes = 0, bool poison = false);

// The declarations below place tensors in one memory block. Tensors that are needed in different steps share
// memory.

struct ArenaTensor {
  std::size_t bytes = 0;
  /// The tensor is needed from the start of first_step to the end of last_step.
  int first_step = 0, last_step = 0;
  std::size_t offset = 0;  ///< In bytes, a multiple of 256. Set by plan_arena().
};

/// Sets the offsets of all tensors and returns the size of the memory block in bytes. Begins with the largest
/// tensor. Each tensor is placed at the lowest offset that is free during its steps.
[[nodiscard]] std::size_t plan_arena(std::vector<ArenaTensor>& tensors);

}  // namespace spira
