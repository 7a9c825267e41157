// Kernel maps by the definition: unpacked triplets in a std::map, one look-up per (output, offset).
#pragma once

#include "engine/job/job.hpp"
#include "engine/map/kernel_map.hpp"
#include "engine/voxel/coord_set.hpp"

#include <memory>

namespace spira::reference {

/// M[i, k] = j where q_i + delta_k = p_j, in the layouts of the request. The algorithm of the request is
/// ignored.
[[nodiscard]] KernelMap build_map(const std::shared_ptr<MemoryPool>& pool, const CoordSet& in,
                                  const CoordSet& out, const MapRequest& request, Job& job);

}  // namespace spira::reference
