// Builds kernel maps directly from the definition: unpacked coordinates in a std::map, one look-up per
// (output, offset).
#pragma once

#include "engine/job/job.hpp"
#include "engine/map/kernel_map.hpp"
#include "engine/voxel/coord_set.hpp"

#include <memory>

namespace spira::reference {

/// Computes M[i, k] = j where q_i + delta_k = p_j, in the requested layouts. The requested algorithm is
/// ignored.
[[nodiscard]] KernelMap build_map(const std::shared_ptr<MemoryPool>& pool, const CoordSet& in,
                                  const CoordSet& out, const MapRequest& request, Job& job);

}  // namespace spira::reference
