// May a kernel be asked for on a scene whose packing was chosen for others (trap 1)?
#pragma once

#include "engine/run/session.hpp"

namespace spira {

/// Throws Error(does_not_fit) where offsets of this kernel could leave a field unseen, on any level.
void require_kernel(const VoxelScene& scene, int kernel_size);

}  // namespace spira
