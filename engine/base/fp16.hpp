// Converts numbers between fp16 (IEEE binary16) and fp32 on the host. Rounds to nearest, ties to even.
#pragma once

#include <bit>
#include <cstdint>

namespace spira {

using Fp16 = std::uint16_t;  ///< The bits of an IEEE binary16 number.

[[nodiscard]] constexpr float fp16_to_float(Fp16 half) noexcept {
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000U) << 16U;
  const std::uint32_t exponent = (half >> 10U) & 0x1FU;
  std::uint32_t mantissa = half & 0x3FFU;
  if (exponent == 0x1FU) return std::bit_cast<float>(sign | 0x7F800000U | (mantissa << 13U));
  if (exponent != 0) return std::bit_cast<float>(sign | ((exponent + 112U) << 23U) | (mantissa << 13U));
  if (mantissa == 0) return std::bit_cast<float>(sign);
  std::uint32_t shifted = 113U;  // A subnormal number: shift the leading one to bit 10.
  while ((mantissa & 0x400U) == 0) {
    mantissa <<= 1U;
    --shifted;
  }
  return std::bit_cast<float>(sign | (shifted << 23U) | ((mantissa & 0x3FFU) << 13U));
}

[[nodiscard]] constexpr Fp16 float_to_fp16(float value) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16U) & 0x8000U;
  const std::uint32_t magnitude = bits & 0x7FFFFFFFU;
  if (magnitude > 0x7F800000U) return static_cast<Fp16>(sign | 0x7E00U);   // NaN.
  if (magnitude >= 0x477FF000U) return static_cast<Fp16>(sign | 0x7C00U);  // Rounds to infinity.
  if (magnitude < 0x33000001U) return static_cast<Fp16>(sign);             // Rounds to zero.
  const int exponent = static_cast<int>(magnitude >> 23U) - 127;
  const std::uint32_t drop = exponent >= -14 ? 13U : static_cast<std::uint32_t>(13 - 14 - exponent);
  const std::uint32_t mantissa = (magnitude & 0x7FFFFFU) | 0x800000U;
  std::uint32_t kept = mantissa >> drop;
  const std::uint32_t rest = mantissa & ((1U << drop) - 1U);
  const std::uint32_t tie = 1U << (drop - 1U);
  if (rest > tie || (rest == tie && (kept & 1U) != 0)) ++kept;
  // If rounding up carries out of the mantissa, the addition increments the exponent, which is correct.
  const std::uint32_t base = exponent >= -14 ? static_cast<std::uint32_t>(exponent + 14) << 10U : 0U;
  return static_cast<Fp16>(sign | (base + kept));
}

}  // namespace spira
