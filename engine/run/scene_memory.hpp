// Estimates the memory of a voxelised scene, and checks whether enough memory is available.
#pragma once

#include "engine/job/job.hpp"
#include "engine/scene/read_limits.hpp"
#include "engine/voxel/grid.hpp"

#include <cstdint>
#include <optional>

namespace spira {

struct SceneUse {
  int kernel_size = 3;  ///< Kernel size of the first kernel map.
  bool drawn = false;
};

/// Returns the memory in bytes for `voxels` voxels of a scene with `points` points. The result includes all
/// levels, the kernel map, temporary memory of the voxelisation, and meshes if the scene is drawn. It does
/// not include the points.
[[nodiscard]] std::uint64_t scene_bytes(std::int64_t points, std::int64_t voxels, const SceneUse& use);

/// Throws `NotEnoughMemory` if the scene needs more memory than is available. The message contains both
/// sizes. The available memory is what the system reports now, limited to `max_bytes`.
void require_memory(const PointCloud& cloud, const Grid& grid, const SceneUse& use,
                    std::optional<std::uint64_t> max_bytes, Job& job);

}  // namespace spira
