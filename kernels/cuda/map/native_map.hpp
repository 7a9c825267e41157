// Builds the maps of native layers: the inputs of an output are found from exact positions (sections 3.2 and
// 3.3 of the PointCNN++ paper).
#pragma once

#include "engine/job/job.hpp"
#include "engine/map/kernel_map.hpp"
#include "kernels/cuda/device/device.hpp"

namespace spira::cuda {

/// Returns the only part of the map of a native layer. Waits until the number of triplets is known. Records
/// the stages "preprocess" (for hash), "search" (counts the triplets) and "filter" (writes them, and the
/// column starts).
[[nodiscard]] KernelMap::Part native_part(const Device& device, const CoordSet& in, const CoordSet& out,
                                          const MapRequest& request, Job& job);

}  // namespace spira::cuda
