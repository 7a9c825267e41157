// Functions that access packed keys as typed words. All CPU code selects the key type with visit_key().
#pragma once

#include "engine/voxel/coord_set.hpp"

#include <cstdint>
#include <memory>
#include <span>

namespace spira::cpu {

/// Calls body(Key{}), where Key is std::uint32_t or std::uint64_t, as in the packing.
template <class Body> decltype(auto) visit_key(const PackSpec& pack, Body&& body) {
  if (pack.word_bits() == 32) return body(std::uint32_t{});
  return body(std::uint64_t{});
}

template <class Key> [[nodiscard]] std::span<const Key> keys_of(const CoordSet& coords) {
  return coords.keys.host_span<Key>().first(static_cast<std::size_t>(coords.size.value()));
}

/// Creates a coordinate set in host memory whose capacity is exactly the size of `keys`.
template <class Key>
[[nodiscard]] CoordSet make_coord_set(const std::shared_ptr<MemoryPool>& pool, const PackSpec& pack,
                                      int stride, std::span<const Key> keys) {
  CoordSet coords;
  coords.pack = pack;
  coords.stride = stride;
  coords.capacity = static_cast<std::int64_t>(keys.size());
  coords.size = coords.capacity;
  coords.keys = Buffer(pool, keys.size_bytes());
  std::copy(keys.begin(), keys.end(), coords.keys.host_span<Key>().begin());
  coords.count = Buffer(pool, sizeof(std::int64_t));
  coords.count.host_span<std::int64_t>()[0] = coords.capacity;
  return coords;
}

}  // namespace spira::cpu
