// Defines PackSpec, which describes how the three coordinates of a voxel are packed into one word (section
// 5.3 of the Spira paper).
#pragma once

#include "engine/voxel/level_rule.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace spira {

using Voxel = std::array<std::int32_t, 3>;  ///< (x, y, z). Not negative after VoxelRange::shift().

/// The widths of the bit fields of a packed coordinate. The x field contains the most significant bits. In a
/// batch, the index of the frame is in a field above x.
struct PackSpec {
  int x_bits = 12, y_bits = 12, z_bits = 8;
  int batch_bits = 0;  ///< The width of the batch index. 0 for one frame.

  [[nodiscard]] static constexpr PackSpec bits32() { return {12, 12, 8}; }
  [[nodiscard]] static constexpr PackSpec bits64() { return {24, 24, 16}; }
  /// Returns the width of a batch index for this number of frames: ceil(log2(frames)).
  [[nodiscard]] static constexpr int bits_for_batch(int frames) {
    return frames <= 1 ? 0 : static_cast<int>(std::bit_width(static_cast<unsigned>(frames) - 1U));
  }
  /// Returns the same fields with a batch index for this number of frames.
  [[nodiscard]] constexpr PackSpec with_batch(int frames) const {
    return {x_bits, y_bits, z_bits, bits_for_batch(frames)};
  }
  [[nodiscard]] constexpr int used_bits() const { return batch_bits + x_bits + y_bits + z_bits; }
  [[nodiscard]] constexpr int word_bits() const { return used_bits() <= 32 ? 32 : 64; }
  [[nodiscard]] constexpr std::uint64_t word_mask() const {
    return word_bits() == 32 ? 0xFFFFFFFFULL : ~0ULL;
  }
  /// Returns the packed word of `v`. The fields are added and not combined with OR, so that negative
  /// components wrap. Then pack(q) + pack(delta) == pack(q + delta) modulo 2^word_bits, as long as no axis
  /// leaves its bit field. A component outside its bit field ALIASES another voxel: call fit() before any
  /// kernel.
  [[nodiscard]] constexpr std::uint64_t pack(Voxel v, int frame = 0) const {
    const auto wide = [](std::int32_t c) { return static_cast<std::uint64_t>(static_cast<std::int64_t>(c)); };
    return (first_key(frame) + (wide(v[0]) << (y_bits + z_bits)) + (wide(v[1]) << z_bits) + wide(v[2])) &
           word_mask();
  }
  /// Returns the key of voxel (0, 0, 0) of a frame.
  [[nodiscard]] constexpr std::uint64_t first_key(int frame) const {
    return frame == 0 ? 0 : static_cast<std::uint64_t>(frame) << (x_bits + y_bits + z_bits);
  }
  /// Returns the batch index of a key.
  [[nodiscard]] constexpr int frame(std::uint64_t key) const {
    return batch_bits == 0 ? 0 : static_cast<int>(key >> (x_bits + y_bits + z_bits));
  }
  /// Returns the number of cells on each axis if the frames of a batch are placed one after another along x,
  /// at a distance of 2^x_bits. The batch index and the x field are then one coordinate of a longer scene.
  [[nodiscard]] constexpr std::array<std::int64_t, 3> batch_extent(
      const std::array<std::int64_t, 3>& extent_of_frame, int frames) const {
    return {extent_of_frame[0] + (std::int64_t{frames - 1} << x_bits), extent_of_frame[1],
            extent_of_frame[2]};
  }
  [[nodiscard]] constexpr Voxel unpack(std::uint64_t key) const {
    const auto field = [&](int shift, int bits) {
      return static_cast<std::int32_t>((key >> shift) & ((1ULL << bits) - 1ULL));
    };
    return {field(y_bits + z_bits, x_bits), field(z_bits, y_bits), field(0, z_bits)};
  }
  /// Returns the mask that rounds every component of a key down to a multiple of `stride`, and keeps the
  /// batch index. Use `key & mask`; the Spira paper says "adding" in its text, which is wrong (trap 2 in
  /// docs/architecture.md). `stride` must contain powers of two.
  [[nodiscard]] constexpr std::uint64_t round_down_mask(PerAxis stride) const {
    const auto keep = [&](int shift, int bits, int step) {
      const std::uint64_t low = static_cast<std::uint64_t>(step) - 1ULL;
      return (((1ULL << bits) - 1ULL) & ~low) << shift;
    };
    const std::uint64_t batch = batch_bits == 0 ? 0 : keep(x_bits + y_bits + z_bits, batch_bits, 1);
    return batch | keep(y_bits + z_bits, x_bits, stride[0]) | keep(z_bits, y_bits, stride[1]) |
           keep(0, z_bits, stride[2]);
  }
  /// Returns the widths of x, y and z as text, such as "12/12/8". parse_pack_spec() reads it.
  [[nodiscard]] std::string text() const;
  /// Returns text(), and the width of the batch index if there is one: "11/11/8 and 2 bits for the batch".
  [[nodiscard]] std::string batch_text() const;
  bool operator==(const PackSpec&) const = default;
};

/// Parses "32", "64" or three widths in bits, "X,Y,Z". Each width must be 1 to 31. Their sum must be at most
/// 63, because searches compare signed words; the only exception is "24,24,16" with 64 bits. Throws
/// `Error(usage)` for other texts.
[[nodiscard]] PackSpec parse_pack_spec(std::string_view text);

}  // namespace spira
