// Builds a kernel map on the CPU: first the search with the requested algorithm, then the requested layouts
// (section 5.2).
#pragma once

#include "engine/base/thread_pool.hpp"
#include "engine/job/job.hpp"
#include "engine/map/kernel_map.hpp"
#include "engine/voxel/coord_set.hpp"

namespace spira::cpu {

[[nodiscard]] KernelMap build_map(ThreadPool& threads, const std::shared_ptr<MemoryPool>& pool,
                                  const CoordSet& in, const CoordSet& out, const MapRequest& request,
                                  Job& job);

}  // namespace spira::cpu
