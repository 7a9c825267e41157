#include "engine/lesson/level_keys.hpp"

#include "engine/backend/host_read.hpp"

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
  for (int column = 0; column < offsets.columns(); ++column) {
    const Voxel d = offsets.offset(column);
    words.push_back((std::int64_t{d[0]} * (std::int64_t{1} << (pack.y_bits + pack.z_bits))) +
                    (std::int64_t{d[1]} * (std::int64_t{1} << pack.z_bits)) + std::int64_t{d[2]});
  }
  return words;
}

}  // namespace spira
