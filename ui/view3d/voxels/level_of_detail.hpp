// Draws a level with too many voxels as a coarser stride of the network, or as an evenly spread selection of
// the voxels of a stride. Such a selection shows more detail than the next coarser stride, but less than the
// stride itself.
#pragma once

#include "engine/scene/point_cloud.hpp"
#include "ui/view3d/voxels/voxel_mesh.hpp"

#include <stop_token>
#include <vector>

namespace spira::ui {

/// Software OpenGL draws `max_moving` voxels in about 25 ms and `max_still` voxels in about 200 ms
/// (docs/performance.md).
constexpr std::int64_t max_moving = 160'000, max_still = 2'000'000;

/// Fills `moving`, `still` and `cells` of the mesh if the mesh is so large that it needs them. After a stop
/// request, these members may stay empty.
void add_levels_of_detail(VoxelMesh& mesh, const VoxelScene& scene, const std::stop_token& stop);

/// Selects the finest stride with at most `2 * most` voxels and thins it evenly to about `most` voxels. Half
/// of the voxels of a stride show more detail than all voxels of the next coarser stride.
[[nodiscard]] LevelOfDetail level_of_detail(const VoxelMesh& mesh, const VoxelScene& scene, std::int64_t most,
                                            const std::stop_token& stop);

/// Returns the positions of points outside the crop, relative to `origin`. If there are more than `most`
/// points, returns an evenly spread selection of `most` points. Shape: [points][3]. Returns an empty list
/// after a stop request.
[[nodiscard]] std::vector<float> outside_points(const PointCloud& cloud, const Bounds& crop,
                                                const Point& origin, std::size_t most,
                                                const std::stop_token& stop);

}  // namespace spira::ui
