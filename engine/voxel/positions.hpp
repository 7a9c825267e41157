// Defines Positions, the exact position of one point of each row of a level (section 4.1 of the PointCNN++
// paper: points are not snapped to a grid).
#pragma once

#include "engine/memory/buffer.hpp"
#include "engine/voxel/pack_spec.hpp"

#include <array>
#include <cstdint>
#include <string_view>

namespace spira {

enum class PositionKind : std::uint8_t {
  /// At stride 1, the point that is nearest to the centre of the voxel; of several, the first one in the
  /// cloud. At a
  /// coarser stride, the position of a row of the level with half the stride, in the same way; of several,
  /// the lowest
  /// row. So the positions of a level are some of the positions of every finer level with the floor rule.
  nearest,
  /// The low corner of the voxel. Native layers then have the same inputs as layers with the neighbourhood
  /// voxels
  /// (the degraded variant of section 3.2 of the PointCNN++ paper).
  grid
};
[[nodiscard]] constexpr std::string_view text_of(PositionKind kind) noexcept {
  return kind == PositionKind::nearest ? "nearest" : "grid";
}

constexpr int position_bits = 16;  ///< Fractional bits of a position.
/// The length of a voxel in position units. A position is floor(p / g * position_one) on each axis, computed
/// in double precision, so position >> position_bits is the voxel of Grid.
constexpr std::int64_t position_one = std::int64_t{1} << position_bits;
constexpr int position_field_bits = 20;

/// A position word contains the position of a row minus the low corner of the voxel of the row, as three
/// fields: x in the highest bits, z in the lowest. Each number is below stride * position_one, so the stride
/// is at most 16.
[[nodiscard]] constexpr std::uint64_t position_word(const std::array<std::int64_t, 3>& in_voxel) noexcept {
  return (static_cast<std::uint64_t>(in_voxel[0]) << (2 * position_field_bits)) |
         (static_cast<std::uint64_t>(in_voxel[1]) << position_field_bits) |
         static_cast<std::uint64_t>(in_voxel[2]);
}
[[nodiscard]] constexpr std::array<std::int32_t, 3> position_fields(std::uint64_t word) noexcept {
  constexpr std::uint64_t field = (std::uint64_t{1} << position_field_bits) - 1;
  return {static_cast<std::int32_t>(word >> (2 * position_field_bits)),
          static_cast<std::int32_t>((word >> position_field_bits) & field),
          static_cast<std::int32_t>(word & field)};
}

/// The positions of the rows of a level with the floor rule and one stride of at most 16 on all axes.
struct Positions {
  PositionKind kind = PositionKind::nearest;
  Buffer words;   ///< position_word() of each row. Shape: [rows], uint64.
  Buffer points;  ///< The index in the cloud of the point of each row. Shape: [rows], int32.
  [[nodiscard]] std::size_t bytes() const noexcept { return words.bytes() + points.bytes(); }
};

}  // namespace spira
