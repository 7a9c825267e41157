// Defines PackSpec, which describes how the three coordinates of a voxel are packed into one word (section
// 5.3 of the Spira paper).
#pragma once

#include "engine/voxel/level_rule.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace spira {

using Voxel = std::array<std::int32_t, 3>;  ///< (x, y, z). Not negative after VoxelRange::shift().

/// The widths of the three bit fields of a packed coordinate. The x field contains the most significant bits.
struct PackSpec {
  int x_bits = 12, y_bits = 12, z_bits = 8;

  [[nodiscard]] static constexpr PackSpec bits32() { return {12, 12, 8}; }
  [[nodiscard]] static constexpr PackSpec bits64() { return {24, 24, 16}; }
  [[nodiscard]] constexpr int word_bits() const { return x_bits + y_bits + z_bits <= 32 ? 32 : 64; }
  [[nodiscard]] constexpr std::uint64_t word_mask() const {
    return word_bits() == 32 ? 0xFFFFFFFFULL : ~0ULL;
  }
  /// Returns the packed word of `v`. The fields are added and not combined with OR, so that negative
  /// components wrap. Then pack(q) + pack(delta) == pack(q + delta) modulo 2^word_bits, as long as no axis
  /// leaves its bit field. A component outside its bit field ALIASES another voxel: call fit() before any
  /// kernel.
  [[nodiscard]] constexpr std::uint64_t pack(Voxel v) const {
    const auto wide = [](std::int32_t c) { return static_cast<std::uint64_t>(static_cast<std::int64_t>(c)); };
    return ((wide(v[0]) << (y_bits + z_bits)) + (wide(v[1]) << z_bits) + wide(v[2])) & word_mask();
  }
  [[nodiscard]] constexpr Voxel unpack(std::uint64_t key) const {
    const auto field = [&](int shift, int bits) {
      return static_cast<std::int32_t>((key >> shift) & ((1ULL << bits) - 1ULL));
    };
    return {field(y_bits + z_bits, x_bits), field(z_bits, y_bits), field(0, z_bits)};
  }
  /// Returns the mask that rounds every component of a key down to a multiple of `stride`. Use `key & mask`;
  /// the Spira paper says "adding" in its text, which is wrong (trap 2 in docs/architecture.md). `stride`
  /// must contain powers of two.
  [[nodiscard]] constexpr std::uint64_t round_down_mask(PerAxis stride) const {
    const auto keep = [&](int shift, int bits, int step) {
      const std::uint64_t low = static_cast<std::uint64_t>(step) - 1ULL;
      return (((1ULL << bits) - 1ULL) & ~low) << shift;
    };
    return keep(y_bits + z_bits, x_bits, stride[0]) | keep(z_bits, y_bits, stride[1]) |
           keep(0, z_bits, stride[2]);
  }
  [[nodiscard]] std::string text() const;  ///< Returns the widths as text, such as "12/12/8".
  bool operator==(const PackSpec&) const = default;
};

/// Parses "32", "64" or three widths in bits, "X,Y,Z". Each width must be 1 to 31. Their sum must be at most
/// 63, because searches compare signed words; the only exception is "24,24,16" with 64 bits. Throws
/// `Error(usage)` for other texts.
[[nodiscard]] PackSpec parse_pack_spec(std::string_view text);

}  // namespace spira
