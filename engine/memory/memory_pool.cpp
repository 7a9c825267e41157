#include "engine/memory/memory_pool.hpp"

#include "engine/base/error.hpp"
#include "engine/base/text.hpp"

#include <atomic>
#include <new>

namespace spira {
namespace {

constexpr std::align_val_t alignment{256};

class HostPool final : public MemoryPool {
 public:
  explicit HostPool(std::size_t limit_bytes) : limit_bytes_(limit_bytes) {}

  [[nodiscard]] MemorySpace space() const noexcept override { return MemorySpace::host; }

  [[nodiscard]] void* allocate(std::size_t bytes) override {
    const std::size_t used = used_.load();
    if (limit_bytes_ != 0 && bytes > limit_bytes_ - (used < limit_bytes_ ? used : limit_bytes_)) {
      throw Error(ErrorKind::device, "memory limit: " + bytes_text(bytes) + " asked for, " +
                                         bytes_text(used) + " of " + bytes_text(limit_bytes_) + " in use");
    }
    void* data = ::operator new(bytes, alignment, std::nothrow);
    if (data == nullptr) {
      throw Error(ErrorKind::device,
                  "out of memory: " + bytes_text(bytes) + " asked for, " + bytes_text(used) + " in use");
    }
    const std::size_t now = used_.fetch_add(bytes) + bytes;
    std::size_t peak = peak_.load();
    while (now > peak && !peak_.compare_exchange_weak(peak, now)) {
    }
    return data;
  }

  void release(void* data, std::size_t bytes) noexcept override {
    ::operator delete(data, alignment);
    used_.fetch_sub(bytes);
  }

  [[nodiscard]] std::size_t used_bytes() const noexcept override { return used_.load(); }
  [[nodiscard]] std::size_t peak_bytes() const noexcept override { return peak_.load(); }
  void reset_peak() noexcept override { peak_.store(used_.load()); }

 private:
  std::size_t limit_bytes_;
  std::atomic<std::size_t> used_{0}, peak_{0};
};

}  // namespace

std::shared_ptr<MemoryPool> make_host_pool(std::size_t limit_bytes) {
  return std::make_shared<HostPool>(limit_bytes);
}

}  // namespace spira
