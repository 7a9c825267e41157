// Defines CoordSet: the packed coordinates of the voxels of one level, sorted and unique.
#pragma once

#include "engine/memory/buffer.hpp"
#include "engine/voxel/level_rule.hpp"
#include "engine/voxel/pack_spec.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace spira {

/// The coordinates of one level as packed keys. `keys` has space for `capacity` words with `pack.word_bits()`
/// bits each. Its first `count` words are valid, sorted and unique.
struct CoordSet {
  PackSpec pack;
  int stride = 1;  ///< The number of the level; see SceneLevel.
  LevelRule rule;  ///< Each coordinate is a multiple of rule.stride().
  /// An upper bound of the number of voxels. The host knows it without reading from the device.
  std::int64_t capacity = 0;
  /// `count` contains the number of voxels as one int64, in the same memory space as `keys`. This number is
  /// exact; `capacity` is only an upper bound.
  Buffer keys, count;
  /// The number of voxels, if the host knows it. Always set by CPU back ends.
  std::optional<std::int64_t> size;
  /// On each axis, a number that is larger than every coordinate. Empty if not known. In a batch, this is
  /// PackSpec::batch_extent().
  std::optional<std::array<std::int64_t, 3>> extent{};
};

// The declarations below define Features, the feature vectors of one level.

/// The precision in which values are stored. Sums are always computed in fp32.
enum class Precision : std::uint8_t { fp16, fp32 };
[[nodiscard]] constexpr std::size_t bytes_of(Precision precision) noexcept {
  return precision == Precision::fp16 ? 2 : 4;
}
[[nodiscard]] constexpr std::string_view text_of(Precision precision) noexcept {
  return precision == Precision::fp16 ? "fp16" : "fp32";
}

/// Feature vectors in row-major order. Shape: `[rows][channels]`. The rows are in the order of the CoordSet.
struct Features {
  std::int64_t rows = 0;
  int channels = 0;
  Precision precision = Precision::fp32;
  Buffer data;
};

}  // namespace spira
