// Defines CoordSet: the packed coordinates of the voxels of one level, sorted and unique.
#pragma once

#include "engine/memory/buffer.hpp"
#include "engine/voxel/pack_spec.hpp"

#include <array>
#include <cstdint>
#include <optional>

namespace spira {

/// `keys` stores `capacity` words of `pack.word_bits()` bits. The first `count` words are valid, sorted and
/// unique.
struct CoordSet {
  PackSpec pack;
  int stride = 1;  ///< Each component of a coordinate is a multiple of the stride.
  std::int64_t capacity =
      0;  ///< Upper bound of the count. The host knows this bound without a read from the device.
  /// `count` stores one int64 in the same memory space as `keys`. It is the authoritative number of voxels.
  Buffer keys, count;
  /// Set as soon as the host knows the count. CPU back ends always set it.
  std::optional<std::int64_t> size;
  /// Upper bound of the components on each axis; each component is smaller than the bound. Empty if not
  /// known.
  std::optional<std::array<std::int64_t, 3>> extent{};
};

}  // namespace spira
