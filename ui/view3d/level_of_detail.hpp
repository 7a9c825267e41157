// How a level with too many voxels is drawn: a coarser stride of the network, or an even selection of one, so
// that there are steps between the strides.
#pragma once

#include "ui/view3d/voxel_mesh.hpp"

#include <stop_token>

namespace spira::ui {

/// What software GL draws in some 25 ms, and in 200 ms (docs/performance.md).
constexpr std::int64_t most_moving = 160'000, most_still = 2'000'000;

/// Fills `moving`, `still` and `cells` of the mesh where it is too large to do without; not when stopped.
void add_levels_of_detail(VoxelMesh& mesh, const VoxelScene& scene, const std::stop_token& stop);

/// The finest stride of at most twice as many voxels as may be drawn, and at most that many of them: half of
/// a finer stride shows more than all of the next one. `most`: voxels.
[[nodiscard]] LevelOfDetail level_of_detail(const VoxelMesh& mesh, const VoxelScene& scene, std::int64_t most,
                                            const std::stop_token& stop);

}  // namespace spira::ui
