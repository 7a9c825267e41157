// Hashes bytes, and generates random numbers from a seed. The numbers are the same on every platform. The
// distributions of the standard library do not guarantee this.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numbers>
#include <span>

namespace spira {

/// The generator SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014).
class Random {
 public:
  explicit constexpr Random(std::uint64_t seed) noexcept : state_(seed) {}

  constexpr std::uint64_t bits() noexcept {
    state_ += 0x9E3779B97F4A7C15ULL;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31U);
  }
  constexpr double uniform() noexcept {
    return static_cast<double>(bits() >> 11U) * 0x1p-53;
  }  ///< Returns a number in [0, 1).
  constexpr double uniform(double low, double high) noexcept { return low + (high - low) * uniform(); }
  constexpr std::uint64_t below(std::uint64_t bound) noexcept {
    return bits() % bound;
  }                           ///< `bound` must be positive.
  double normal() noexcept {  ///< Returns a normally distributed number, N(0, 1) (Box-Muller).
    const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
    return radius * std::cos(2.0 * std::numbers::pi * uniform());
  }

 private:
  std::uint64_t state_;
};

// The function below computes fingerprints of scenes, coordinates and weights: 64-bit FNV-1a over 8-byte
// words. The fingerprints are not suitable for security.

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
