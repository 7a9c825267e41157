// Where buffers come from, on the host or on a device, and how much was taken at the most.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace spira {

enum class MemorySpace : std::uint8_t { host, cuda };

/// One per Backend; outlives its buffers (they share it). allocate(): owner thread only. release(): any
/// thread.
class MemoryPool {
 public:
  MemoryPool() = default;
  virtual ~MemoryPool() = default;
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;

  [[nodiscard]] virtual MemorySpace space() const noexcept = 0;
  /// Aligned to 256; throws Error(device) naming the bytes asked for.
  [[nodiscard]] virtual void* allocate(std::size_t bytes) = 0;
  virtual void release(void* data, std::size_t bytes) noexcept = 0;
  [[nodiscard]] virtual std::size_t used_bytes() const noexcept = 0;
  [[nodiscard]] virtual std::size_t peak_bytes() const noexcept = 0;
  virtual void reset_peak() noexcept = 0;  ///< the peak becomes what is in use now
  /// The peak becomes `bytes` at the least: gives back a peak that was read before a reset.
  virtual void raise_peak(std::size_t bytes) noexcept = 0;
};

/// What memory is filled with where writes are checked: no zero, not the -1 of "no input", as fp16 no number
/// and as fp32 a huge one.
constexpr int poison_byte = 0x7F;

/// Host memory. `limit_bytes` 0: no limit of ours. `poison`: blocks are filled with poison_byte. Up to 192 MB
/// of large blocks that were given back are kept for the next requests; they are not counted as used.
[[nodiscard]] std::shared_ptr<MemoryPool> make_host_pool(std::size_t limit_bytes = 0, bool poison = false);

}  // namespace spira
