// The points in the voxels near the camera: the kept point, whose position is that of the row, and the points
// that were merged with it.
#pragma once

#include "ui/view3d/view_detail.hpp"

#include <cstdint>
#include <memory>
#include <stop_token>
#include <vector>

namespace spira::ui {

/// Points in voxels of one level. Positions are relative to the origin of the mesh.
struct PointsInVoxels {
  std::vector<float> places;      ///< Shape: [points][3].
  std::vector<std::int32_t> row;  ///< The row of the voxel of each point.
  [[nodiscard]] std::size_t count() const noexcept { return row.size(); }
};

struct NearPoints {
  std::shared_ptr<const VoxelMesh> mesh;
  ViewPoint from;
  PointsInVoxels kept, merged;
};

/// Finds the points in the voxels that are drawn large enough from a viewpoint: the kept point of each voxel
/// and up to 8 merged points. If there are too many points, only those of the nearest voxels are returned.
/// The scene must have positions of the level of the mesh. Returns `nullptr` after a stop request.
[[nodiscard]] std::shared_ptr<const NearPoints> build_near_points(const VoxelScene& scene,
                                                                  std::shared_ptr<const VoxelMesh> mesh,
                                                                  const ViewPoint& from,
                                                                  const std::stop_token& stop);

/// Moves each point towards the eye until it is just outside its voxel. Its place in the picture stays the
/// same, but its own voxel does not hide it. Shape of `places`: [points][3].
void move_out_of_voxels(const PointsInVoxels& points, const VoxelMesh& mesh, const ViewPoint& from,
                        float* places);

}  // namespace spira::ui
