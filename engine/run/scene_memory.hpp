// Estimates the memory of a voxelised scene, and checks whether enough memory is free.
#pragma once

#include "engine/job/job.hpp"
#include "engine/scene/read_limits.hpp"
#include "engine/voxel/grid.hpp"

#include <cstdint>
#include <optional>

namespace spira {

struct SceneUse {
  int kernel_size = 3;  ///< Kernel size of the first map.
  bool drawn = false;   ///< True if the scene is drawn.
};

/// Returns the memory for `voxels` voxels made from `points` points, in bytes. It includes all levels, the
/// map, temporary memory of voxelisation, and meshes if the scene is drawn. It excludes the points
/// themselves.
[[nodiscard]] std::uint64_t scene_bytes(std::int64_t points, std::int64_t voxels, const SceneUse& use);

/// Throws `NotEnoughMemory` if the scene needs more memory than is free. The message contains both sizes.
/// The free memory is what the system reports now, limited to `max_bytes`.
void require_memory(const PointCloud& cloud, const Grid& grid, const SceneUse& use,
                    std::optional<std::uint64_t> max_bytes, Job& job);

}  // namespace spira
