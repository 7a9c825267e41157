#include "engine/memory/memory_pool.hpp"

#include "engine/base/error.hpp"
#include "engine/base/text.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <map>
#include <mutex>
#include <new>
#include <numeric>

namespace spira {
namespace {

constexpr std::align_val_t alignment{256};

/// Keeps large released blocks for later requests of about the same size. This saves time, because the first
/// access to new pages takes longer than filling a kernel map (docs/performance.md).
class KeptBlocks {
 public:
  static constexpr std::size_t smallest = std::size_t{1} << 20, max_bytes = std::size_t{192} << 20;

  KeptBlocks() = default;
  KeptBlocks(const KeptBlocks&) = delete;
  KeptBlocks& operator=(const KeptBlocks&) = delete;
  ~KeptBlocks() {
    for (const auto& [size, data] : blocks_)
      ::operator delete(data, alignment);
  }

  /// Returns a kept block of this size, or `nullptr` if the pool has kept no such block.
  void* take(std::size_t size) {
    const std::scoped_lock lock(mutex_);
    const auto found = blocks_.find(size);
    if (found == blocks_.end()) return nullptr;
    void* data = found->second;
    blocks_.erase(found);
    bytes_ -= size;
    return data;
  }
  bool keep(void* data, std::size_t size) {
    const std::scoped_lock lock(mutex_);
    if (size < smallest || bytes_ + size > max_bytes) return false;
    blocks_.emplace(size, data);
    bytes_ += size;
    return true;
  }

 private:
  std::mutex mutex_;
  std::multimap<std::size_t, void*> blocks_;
  std::size_t bytes_ = 0;
};

/// Rounds the size of a large block up. There are eight sizes between two powers of two. A block can then
/// serve requests of slightly different sizes, and at most an eighth of it is wasted.
std::size_t block_size(std::size_t bytes) {
  if (bytes < KeptBlocks::smallest) return bytes;
  const std::size_t step = std::bit_floor(bytes) / 8;
  return (bytes + step - 1) / step * step;
}

class HostPool final : public MemoryPool {
 public:
  HostPool(std::size_t limit_bytes, bool poison) : limit_bytes_(limit_bytes), poison_(poison) {}

  [[nodiscard]] MemorySpace space() const noexcept override { return MemorySpace::host; }

  [[nodiscard]] void* allocate(std::size_t bytes) override {
    const std::size_t used = used_.load();
    if (limit_bytes_ != 0 && bytes > limit_bytes_ - (used < limit_bytes_ ? used : limit_bytes_)) {
      throw Error(ErrorKind::device_memory, "memory limit: " + bytes_text(bytes) + " requested, " +
                                                bytes_text(used) + " of " + bytes_text(limit_bytes_) +
                                                " in use");
    }
    const std::size_t size = block_size(bytes);
    void* data = kept_.take(size);
    if (data == nullptr) data = ::operator new(size, alignment, std::nothrow);
    if (data == nullptr) {
      throw Error(ErrorKind::device_memory,
                  "out of memory: " + bytes_text(bytes) + " requested, " + bytes_text(used) + " in use");
    }
    raise_peak(used_.fetch_add(bytes) + bytes);
    if (poison_) std::memset(data, poison_byte, bytes);
    return data;
  }

  void release(void* data, std::size_t bytes) noexcept override {
    if (!kept_.keep(data, block_size(bytes))) ::operator delete(data, alignment);
    used_.fetch_sub(bytes);
  }

  [[nodiscard]] std::size_t used_bytes() const noexcept override { return used_.load(); }
  [[nodiscard]] std::size_t peak_bytes() const noexcept override { return peak_.load(); }
  void reset_peak() noexcept override { peak_.store(used_.load()); }
  void raise_peak(std::size_t bytes) noexcept override {
    std::size_t peak = peak_.load();
    while (bytes > peak && !peak_.compare_exchange_weak(peak, bytes)) {
    }
  }

 private:
  std::size_t limit_bytes_;
  bool poison_;
  std::atomic<std::size_t> used_{0}, peak_{0};
  KeptBlocks kept_;
};

}  // namespace

std::shared_ptr<MemoryPool> make_host_pool(std::size_t limit_bytes, bool poison) {
  return std::make_shared<HostPool>(limit_bytes, poison);
}

namespace {

constexpr std::size_t tensor_alignment = 256;

std::size_t aligned(std::size_t bytes) {
  return (bytes + tensor_alignment - 1) / tensor_alignment * tensor_alignment;
}

bool live_together(const ArenaTensor& a, const ArenaTensor& b) {
  return a.first_step <= b.last_step && b.first_step <= a.last_step;
}

}  // namespace

std::size_t plan_arena(std::vector<ArenaTensor>& tensors) {
  std::vector<std::size_t> order(tensors.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return tensors[a].bytes > tensors[b].bytes; });
  std::size_t end = 0;
  std::vector<const ArenaTensor*> placed;  // Sorted by offset.
  for (const std::size_t at : order) {
    ArenaTensor& tensor = tensors[at];
    tensor.offset = 0;
    for (const ArenaTensor* other : placed) {
      if (!live_together(tensor, *other)) continue;
      if (tensor.offset + tensor.bytes <= other->offset) break;
      tensor.offset = std::max(tensor.offset, aligned(other->offset + other->bytes));
    }
    end = std::max(end, aligned(tensor.offset + tensor.bytes));
    const auto behind =
        std::upper_bound(placed.begin(), placed.end(), tensor.offset,
                         [](std::size_t offset, const ArenaTensor* other) { return offset < other->offset; });
    placed.insert(behind, &tensor);
  }
  return end;
}

}  // namespace spira
