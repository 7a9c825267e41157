// A voxelised scene: the input of networks, views and exports.
#pragma once

#include "engine/job/stage_tree.hpp"
#include "engine/scene/point_cloud.hpp"
#include "engine/voxel/coord_set.hpp"
#include "engine/voxel/fit.hpp"
#include "engine/voxel/grid.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace spira {

/// A voxelised scene with the coordinates of all strides of the network. It is in host memory and immutable.
struct VoxelScene {
  std::shared_ptr<const PointCloud> cloud;
  Grid grid;
  PackSpec pack;
  Fit fit;
  /// Cells of the scene per axis. `fit` counts the cells that start at the shift.
  std::array<std::int64_t, 3> span{};
  std::array<std::int64_t, 3> shift{};
  std::int64_t kept = 0;           ///< Points inside the crop. All points if the scene is not cropped.
  Point origin{};                  ///< Result of display_origin() for the points inside the crop.
  std::vector<std::string> notes;  ///< Result of grid_notes().
  /// Ascending strides. `levels[0]` has stride 1.
  std::vector<std::shared_ptr<const CoordSet>> levels;
  std::vector<std::int32_t> points_per_voxel, voxel_of_point;
  StageTree stages;  ///< Stages voxelize and downsample[s] of one repetition.
  /// Returns the level of a stride. Throws `Error(usage)` with the existing strides if there is none.
  [[nodiscard]] const CoordSet& level(int stride) const;
  /// Returns the centre of a voxel of a level, in metres in the coordinates of the scene.
  [[nodiscard]] Point centre_m(Voxel voxel, int stride) const;
};

/// Returns true if the scene has a level of this stride. The levels depend on the network for which the
/// scene was voxelised.
[[nodiscard]] bool has_level(const VoxelScene& scene, int stride) noexcept;
/// Throws `Error(does_not_fit)` if offsets of this kernel could leave their bit field on any level (trap 1).
void require_kernel(const VoxelScene& scene, int kernel_size);

}  // namespace spira
