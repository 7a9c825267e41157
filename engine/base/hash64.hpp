// Computes a fingerprint (64-bit FNV-1a over 8-byte words) of scenes, coordinates and weights. It is not
// suited for security.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace spira {

[[nodiscard]] inline std::uint64_t hash64(std::span<const std::byte> bytes,
                                          std::uint64_t seed = 0xCBF29CE484222325ULL) noexcept {
  std::uint64_t hash = seed ^ bytes.size();
  for (std::size_t at = 0; at < bytes.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, bytes.size() - at < 8 ? bytes.size() - at : 8);
    hash = (hash ^ word) * 0x100000001B3ULL;
    hash ^= hash >> 29U;
  }
  return hash;
}

}  // namespace spira
