// Declares memory pools. They allocate buffers on the host or on a device, and record the peak of the
// allocated bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace spira {

enum class MemorySpace : std::uint8_t { host, cuda };

/// Allocates the memory of one Backend. The buffers share ownership of the pool, so the pool outlives them.
/// Only the owner thread may call allocate(), but any thread may call release().
class MemoryPool {
 public:
  MemoryPool() = default;
  virtual ~MemoryPool() = default;
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;

  [[nodiscard]] virtual MemorySpace space() const noexcept = 0;
  /// Returns memory that is aligned to 256 bytes. Throws Error(device_memory) with the requested size in the
  /// message.
  [[nodiscard]] virtual void* allocate(std::size_t bytes) = 0;
  virtual void release(void* data, std::size_t bytes) noexcept = 0;
  [[nodiscard]] virtual std::size_t used_bytes() const noexcept = 0;
  [[nodiscard]] virtual std::size_t peak_bytes() const noexcept = 0;
  virtual void reset_peak() noexcept = 0;  ///< Sets the peak to the bytes in use now.
  /// Raises the recorded peak to at least `bytes`. Callers use it to restore a peak that they read before a
  /// reset.
  virtual void raise_peak(std::size_t bytes) noexcept = 0;
};

/// Fill value for new memory, to find reads of uninitialised memory. It differs from 0 and from -1, which
/// means "no input". Filled memory is NaN if it is read as fp16, and a very large number if it is read as
/// fp32.
constexpr int poison_byte = 0x7F;

/// Creates a pool of host memory. `limit_bytes` = 0 means no limit. If `poison` is true, new blocks are
/// filled with poison_byte. The pool stores up to 192 MB of large released blocks for later requests; these
/// blocks do not count as used.
[[nodiscard]] std::shared_ptr<MemoryPool> make_host_pool(std::size_t limit_bytes = 0, bool poison = false);

// Assigns an offset in one memory block to each tensor. Tensors that are needed in different steps share
// memory.

struct ArenaTensor {
  std::size_t bytes = 0;
  /// The tensor is needed from the start of first_step to the end of last_step.
  int first_step = 0, last_step = 0;
  std::size_t offset = 0;  ///< In bytes, a multiple of 256. plan_arena() sets it.
};

/// Sets the offsets of all tensors. Starts with the largest tensor, and puts each tensor at the lowest offset
/// that is free during its steps. Returns the size of the arena in bytes.
[[nodiscard]] std::size_t plan_arena(std::vector<ArenaTensor>& tensors);

}  // namespace spira
