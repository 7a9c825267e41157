// Tests which levels a voxelised scene has. A small network has fewer levels than a large one.
#pragma once

#include "engine/run/session.hpp"

namespace spira {

[[nodiscard]] bool has_level(const VoxelScene& scene, int stride) noexcept;

}  // namespace spira
