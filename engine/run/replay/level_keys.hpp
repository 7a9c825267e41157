// Provides the inputs of the search replays as signed words: the keys of a level and the packed offsets.
#pragma once

#include "engine/map/kernel_offsets.hpp"
#include "engine/voxel/coord_set.hpp"

#include <cstdint>
#include <vector>

namespace spira {

/// The keys of a level in host memory. As in all kernels, they are compared as signed 64-bit words. With
/// signed words, the key of a query outside the scene is smaller or larger than every key of the level. The
/// level must outlive this view.
class LevelKeys {
 public:
  explicit LevelKeys(const CoordSet& level);

  [[nodiscard]] std::int64_t size() const noexcept { return size_; }
  [[nodiscard]] std::int64_t bytes_of_key() const noexcept { return narrow_ != nullptr ? 4 : 8; }
  [[nodiscard]] std::int64_t operator[](std::int64_t at) const noexcept {
    return narrow_ != nullptr ? static_cast<std::int64_t>(narrow_[at]) : static_cast<std::int64_t>(wide_[at]);
  }
  /// Returns the position of the first key that is not less than `wanted`. Calls `compared(begin, end,
  /// middle)` for each comparison of the binary search.
  template <class Compared>
  [[nodiscard]] std::int64_t lower_bound(std::int64_t wanted, Compared&& compared) const {
    std::int64_t begin = 0, end = size_;
    while (begin < end) {
      const std::int64_t middle = begin + ((end - begin) >> 1);
      compared(begin, end, middle);
      if ((*this)[middle] < wanted) {
        begin = middle + 1;
      } else {
        end = middle;
      }
    }
    return begin;
  }

 private:
  const std::uint32_t* narrow_ = nullptr;
  const std::uint64_t* wide_ = nullptr;
  std::int64_t size_ = 0;
};

/// Returns the K^3 packed offsets as signed words. The key of an output plus an offset is the key of a query.
[[nodiscard]] std::vector<std::int64_t> packed_offsets(const KernelOffsets& offsets, const PackSpec& pack);
[[nodiscard]] std::int64_t packed_offset(Voxel offset, const PackSpec& pack) noexcept;
/// Returns the index of the highest bit that is set in any key of the level, from 0, or -1 if none is set.
[[nodiscard]] int highest_bit(const CoordSet& level);

}  // namespace spira
