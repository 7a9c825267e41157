// Device functions for position words (see position_word() in engine/voxel/positions.hpp).
#pragma once

#include "engine/voxel/positions.hpp"

#include <cstdint>

namespace spira::cuda {

/// The three fields of a position word.
struct Fields {
  std::int32_t x, y, z;

  __device__ explicit Fields(std::uint64_t word)
      : x(static_cast<std::int32_t>(word >> (2 * position_field_bits))),
        y(static_cast<std::int32_t>(word >> position_field_bits) & mask),
        z(static_cast<std::int32_t>(word) & mask) {}

 private:
  static constexpr std::int32_t mask = (1 << position_field_bits) - 1;
};

/// The same as position_word(), which device code cannot call.
[[nodiscard]] __device__ inline std::uint64_t position_word_of(std::int64_t x, std::int64_t y,
                                                               std::int64_t z) {
  return static_cast<std::uint64_t>((x << (2 * position_field_bits)) | (y << position_field_bits) | z);
}

}  // namespace spira::cuda
