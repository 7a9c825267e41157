// Reads numbers from untrusted bytes. The caller must check that enough bytes are available.
#pragma once

#include "engine/base/fp16.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>

namespace spira {

enum class ByteOrder : std::uint8_t { little, big };

template <class Number>
[[nodiscard]] Number load(const std::byte* from, ByteOrder order = ByteOrder::little) noexcept {
  std::byte bytes[sizeof(Number)];
  const bool swap = (order == ByteOrder::little) != (std::endian::native == std::endian::little);
  for (std::size_t at = 0; at < sizeof(Number); ++at)
    bytes[at] = from[swap ? sizeof(Number) - 1 - at : at];
  Number value;
  std::memcpy(&value, bytes, sizeof(Number));
  return value;
}

/// The number types of PCD, PLY and NPY files and of raw rows.
enum class Scalar : std::uint8_t { i8, u8, i16, u16, i32, u32, i64, u64, f16, f32, f64 };

[[nodiscard]] constexpr bool is_integral(Scalar type) noexcept {
  return type != Scalar::f16 && type != Scalar::f32 && type != Scalar::f64;
}

[[nodiscard]] constexpr std::size_t bytes_of(Scalar type) noexcept {
  switch (type) {
    case Scalar::i8:
    case Scalar::u8:
      return 1;
    case Scalar::i16:
    case Scalar::u16:
    case Scalar::f16:
      return 2;
    case Scalar::i32:
    case Scalar::u32:
    case Scalar::f32:
      return 4;
    default:
      return 8;
  }
}

[[nodiscard]] inline double load_scalar(const std::byte* from, Scalar type,
                                        ByteOrder order = ByteOrder::little) noexcept {
  switch (type) {
    case Scalar::i8:
      return load<std::int8_t>(from, order);
    case Scalar::u8:
      return load<std::uint8_t>(from, order);
    case Scalar::i16:
      return load<std::int16_t>(from, order);
    case Scalar::u16:
      return load<std::uint16_t>(from, order);
    case Scalar::i32:
      return load<std::int32_t>(from, order);
    case Scalar::u32:
      return load<std::uint32_t>(from, order);
    case Scalar::i64:
      return static_cast<double>(load<std::int64_t>(from, order));
    case Scalar::u64:
      return static_cast<double>(load<std::uint64_t>(from, order));
    case Scalar::f16:
      return static_cast<double>(fp16_to_float(load<std::uint16_t>(from, order)));
    case Scalar::f32:
      return static_cast<double>(load<float>(from, order));
    case Scalar::f64:
      return load<double>(from, order);
  }
  return 0.0;
}

[[nodiscard]] inline std::string_view text_of(std::span<const std::byte> bytes) noexcept {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace spira
