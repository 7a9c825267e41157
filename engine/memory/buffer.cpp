#include "engine/memory/buffer.hpp"

namespace spira {

Buffer::Buffer(std::shared_ptr<MemoryPool> pool, std::size_t bytes)
    : pool_(std::move(pool)), bytes_(bytes), room_(bytes) {
  if (bytes_ != 0) data_ = pool_->allocate(bytes_);
}

Buffer::~Buffer() {
  if (data_ != nullptr) pool_->release(data_, room_);
}

std::optional<MemorySpace> Buffer::space() const noexcept {
  if (data_ == nullptr) return std::nullopt;
  return pool_->space();
}

void Buffer::require_host() const {
  SPIRA_ASSERT(data_ == nullptr || pool_->space() == MemorySpace::host, "this buffer is not in host memory");
}

void Buffer::swap(Buffer& other) noexcept {
  std::swap(pool_, other.pool_);
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  std::swap(room_, other.room_);
}

void Buffer::narrow(std::size_t bytes) {
  SPIRA_ASSERT(bytes <= room_, "a buffer cannot grow");
  bytes_ = bytes;
}

}  // namespace spira
