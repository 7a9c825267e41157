// Defines Features: the feature vectors of one level.
#pragma once

#include "engine/memory/buffer.hpp"

#include <cstdint>
#include <string_view>

namespace spira {

/// Precision of stored values. Sums are always computed in fp32.
enum class Precision : std::uint8_t { fp16, fp32 };
[[nodiscard]] constexpr std::size_t bytes_of(Precision precision) noexcept {
  return precision == Precision::fp16 ? 2 : 4;
}
[[nodiscard]] constexpr std::string_view text_of(Precision precision) noexcept {
  return precision == Precision::fp16 ? "fp16" : "fp32";
}

/// Feature vectors in row-major order. Shape: `[rows][channels]`. The rows have the order of the CoordSet.
struct Features {
  std::int64_t rows = 0;
  int channels = 0;
  Precision precision = Precision::fp32;
  Buffer data;
};

}  // namespace spira
