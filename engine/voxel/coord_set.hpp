// Defines CoordSet: the packed coordinates of the voxels of one level, sorted and unique.
#pragma once

#include "engine/memory/buffer.hpp"
#include "engine/voxel/pack_spec.hpp"

#include <array>
#include <cstdint>
#include <optional>

namespace spira {

/// The coordinates of one level as packed keys. `keys` has space for `capacity` words of `pack.word_bits()`
/// bits. The first `count` words are valid, sorted and unique.
struct CoordSet {
  PackSpec pack;
  int stride = 1;  ///< Each component of a coordinate is a multiple of the stride.
  /// Upper bound of the count. The host knows it without reading from the device.
  std::int64_t capacity = 0;
  /// `count` contains the number of voxels as one int64, in the same memory space as `keys`. This number is
  /// authoritative.
  Buffer keys, count;
  /// Number of voxels. Empty until the host knows it. CPU back ends always set it.
  std::optional<std::int64_t> size;
  /// Upper bound of the coordinates on each axis: each coordinate is smaller than this bound. Empty if not
  /// known.
  std::optional<std::array<std::int64_t, 3>> extent{};
};

}  // namespace spira
