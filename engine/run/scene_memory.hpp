// What a scene costs once it is voxelised, and whether that can be had.
#pragma once

#include "engine/job/job.hpp"
#include "engine/scene/read_limits.hpp"
#include "engine/voxel/grid.hpp"

#include <cstdint>
#include <optional>

namespace spira {

struct SceneUse {
  int kernel_size = 3;  ///< of the map that is built first
  bool drawn = false;   ///< a picture is made of it
};

/// Bytes for `voxels` of `points`: all levels, the map, and meshes where it is drawn; what voxelising takes
/// for a while is in it. The points themselves are not.
[[nodiscard]] std::uint64_t scene_bytes(std::int64_t points, std::int64_t voxels, const SceneUse& use);

/// Throws NotEnoughMemory saying what is needed and what there is: what the system has left now, `most_bytes`
/// at the most.
void require_memory(const PointCloud& cloud, const Grid& grid, const SceneUse& use,
                    std::optional<std::uint64_t> most_bytes, Job& job);

}  // namespace spira
