// Checks whether a kernel fits a scene whose packing was chosen for other kernels (trap 1).
#pragma once

#include "engine/run/session.hpp"

namespace spira {

/// Throws `Error(does_not_fit)` if offsets of this kernel could leave their bit field on any level.
void require_kernel(const VoxelScene& scene, int kernel_size);

}  // namespace spira
