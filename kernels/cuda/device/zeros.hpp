// Device memory that contains only zeros when it is allocated. If the owner returns it zeroed, the next
// allocation of zeros does not have to clear it.
#pragma once

#include "kernels/cuda/device/device.hpp"

#include <utility>

namespace spira::cuda {

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
  /// Returns the memory to the pool as zeroed. All work launched so far must leave it zeroed.
  void keep() noexcept { pool_->keep_zeros(std::exchange(block_, {})); }

 private:
  std::shared_ptr<ZerosPool> pool_;
  ZerosPool::Block block_;
};

}  // namespace spira::cuda
