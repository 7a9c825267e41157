// Runs a whole network as one CUDA graph: voxel indexing by an occupancy grid, kernel maps on parallel
// branches, and the features of the layers. Counts stay on the device. Between the first kernel and the last
// nothing is allocated, and the host waits for nothing (section 5.5; docs/cuda.md).
#pragma once

#include "engine/backend/backend.hpp"
#include "kernels/cuda/device/device.hpp"

namespace spira::cuda {

[[nodiscard]] CompiledNetwork compile(const Device& device, const NetworkRunRequest& request, Job& job);

}  // namespace spira::cuda
