// Runs a whole network as one CUDA graph. The graph indexes the voxels with an occupancy grid, builds the
// kernel maps on parallel branches, and computes the features of the layers. All counts stay on the device.
// Between the first and the last kernel, no memory is allocated and the host does not wait (section 5.5 of
// the Spira paper; docs/cuda.md).
#pragma once

#include "engine/backend/backend.hpp"
#include "kernels/cuda/device/device.hpp"

namespace spira::cuda {

[[nodiscard]] CompiledNetwork compile(const Device& device, const NetworkRunRequest& request, Job& job);

}  // namespace spira::cuda
