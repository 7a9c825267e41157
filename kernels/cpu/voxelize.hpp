// Converts points to level 0: pack, sort once, merge duplicates, average features (section 5.3, trap 3).
#pragma once

#include "engine/backend/backend.hpp"
#include "engine/base/thread_pool.hpp"

namespace spira::cpu {

[[nodiscard]] Voxelized voxelize(ThreadPool& threads, const std::shared_ptr<MemoryPool>& pool,
                                 const UploadedPoints& points, const Grid& grid,
                                 const VoxelizeRequest& request, Job& job);

/// Computes unique(level0 AND mask), the closed form of section 5.5. The keys are sorted again because
/// rounding does not keep their order.
[[nodiscard]] CoordSet downsample(const std::shared_ptr<MemoryPool>& pool, const CoordSet& level0, int stride,
                                  Job& job);

}  // namespace spira::cpu
