// Creates levels for lessons, in host memory.
#pragma once

#include "engine/voxel/coord_set.hpp"

#include <cstdint>
#include <span>

namespace spira {

/// `keys` must be ascending and unique.
[[nodiscard]] CoordSet made_level(const PackSpec& pack, int stride, std::span<const std::uint64_t> keys);

}  // namespace spira
