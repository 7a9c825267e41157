// Builds a kernel map: search by the algorithm asked for, then the layouts asked for (section 5.2).
#pragma once

#include "engine/backend/backend.hpp"
#include "engine/base/thread_pool.hpp"

namespace spira::cpu {

[[nodiscard]] KernelMap build_map(ThreadPool& threads, const std::shared_ptr<MemoryPool>& pool,
                                  const CoordSet& in, const CoordSet& out, const MapRequest& request,
                                  Job& job);

}  // namespace spira::cpu
