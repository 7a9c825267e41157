// Which levels a voxelised scene has: a small network has fewer than a large one.
#pragma once

#include "engine/run/session.hpp"

namespace spira {

[[nodiscard]] bool has_level(const VoxelScene& scene, int stride) noexcept;

}  // namespace spira
