#include "engine/run/replay/level_keys.hpp"

#include "engine/backend/host_read.hpp"

#include <bit>

namespace spira {

LevelKeys::LevelKeys(const CoordSet& level) : size_(size_of(level)) {
  if (level.pack.word_bits() == 32) {
    narrow_ = level.keys.host_span<std::uint32_t>().data();
  } else {
    wide_ = level.keys.host_span<std::uint64_t>().data();
  }
}

std::vector<std::int64_t> packed_offsets(const KernelOffsets& offsets, const PackSpec& pack) {
  std::vector<std::int64_t> words;
  for (int column = 0; column < offsets.columns(); ++column)
    words.push_back(packed_offset(offsets.offset(column), pack));
  return words;
}

int highest_bit(const CoordSet& level) {
  const std::int64_t size = size_of(level);
  // The keys ascend, so the last key has the highest bit.
  return size == 0 ? -1 : static_cast<int>(std::bit_width(key_at(level, size - 1))) - 1;
}

std::int64_t packed_offset(Voxel offset, const PackSpec& pack) noexcept {
  return (std::int64_t{offset[0]} * (std::int64_t{1} << (pack.y_bits + pack.z_bits))) +
         (std::int64_t{offset[1]} * (std::int64_t{1} << pack.z_bits)) + std::int64_t{offset[2]};
}

}  // namespace spira
