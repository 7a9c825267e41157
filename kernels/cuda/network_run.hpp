// A whole network as one CUDA graph: voxel indexing by an occupancy grid, kernel maps on parallel branches,
// features in between. Counts stay on the device, and nothing is allocated or awaited between the first
// kernel and the last (section 5.5; docs/cuda.md).
#pragma once

#include "engine/backend/backend.hpp"
#include "kernels/cuda/device.hpp"

namespace spira::cuda {

[[nodiscard]] CompiledNetwork compile(const Device& device, const NetworkRunRequest& request, Job& job);

}  // namespace spira::cuda
