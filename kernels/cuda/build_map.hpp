// Kernel maps on the device: four mapping algorithms fill z-run words, the other layouts are made of them.
#pragma once

#include "engine/backend/backend.hpp"
#include "kernels/cuda/device.hpp"

namespace spira::cuda {

[[nodiscard]] KernelMap build_map(const Device& device, const CoordSet& in, const CoordSet& out,
                                  const MapRequest& request, Job& job);

}  // namespace spira::cuda
