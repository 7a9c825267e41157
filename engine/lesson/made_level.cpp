#include "engine/lesson/made_level.hpp"

#include <algorithm>

namespace spira {

CoordSet made_level(const PackSpec& pack, int stride, std::span<const std::uint64_t> keys) {
  const auto pool = make_host_pool();
  CoordSet level;
  level.pack = pack;
  level.stride = stride;
  level.capacity = std::ssize(keys);
  level.size = level.capacity;
  level.count = Buffer(pool, sizeof(std::int64_t));
  level.count.host_span<std::int64_t>()[0] = level.capacity;
  level.keys = Buffer(pool, keys.size() * static_cast<std::size_t>(pack.word_bits() / 8));
  if (pack.word_bits() == 32) {
    std::transform(keys.begin(), keys.end(), level.keys.host_span<std::uint32_t>().begin(),
                   [](std::uint64_t key) { return static_cast<std::uint32_t>(key); });
  } else {
    std::copy(keys.begin(), keys.end(), level.keys.host_span<std::uint64_t>().begin());
  }
  return level;
}

}  // namespace spira
