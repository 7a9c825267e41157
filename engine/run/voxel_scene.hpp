// Defines VoxelScene, a voxelised scene. Networks, views and exports use it as input.
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

/// A voxelised scene with the coordinates of all strides of the network. It is immutable and in host memory.
struct VoxelScene {
  std::shared_ptr<const PointCloud> cloud;
  Grid grid;
  PackSpec pack;
  Fit fit;
  /// Number of cells of the scene on each axis. In contrast, `fit` also counts the empty cells that the shift
  /// leaves.
  std::array<std::int64_t, 3> span{};
  std::array<std::int64_t, 3> shift{};
  std::int64_t kept = 0;  ///< Number of points inside the crop, or of all points if there is no crop.
  Point origin{};         ///< Result of display_origin() inside the crop.
  std::vector<std::string> notes;  ///< Result of grid_notes().
  /// Levels in ascending order of strides. `levels[0]` has stride 1.
  std::vector<std::shared_ptr<const CoordSet>> levels;
  std::vector<std::int32_t> points_per_voxel, voxel_of_point;
  StageTree stages;  ///< Stages voxelize and downsample[s] of a single run.
  /// Returns the level of a stride. If there is none, throws `Error(usage)` with a list of the existing
  /// strides.
  [[nodiscard]] const CoordSet& level(int stride) const;
  /// Returns the centre of a voxel, in metres in the coordinates of the scene. `stride` is the stride of its
  /// level.
  [[nodiscard]] Point centre_m(Voxel voxel, int stride) const;
};

/// Returns true if the scene has a level of this stride. The levels depend on the network for which the
/// scene was voxelised.
[[nodiscard]] bool has_level(const VoxelScene& scene, int stride) noexcept;
/// Throws `Error(does_not_fit)` if an offset of this kernel could leave its bit field on any level (trap 1 in
/// docs/architecture.md).
void require_kernel(const VoxelScene& scene, int kernel_size);

// Computes attributes of the voxels of a level from the points of the scene: counts, means and labels. All
// functions are pure.

/// Returns, for each voxel of stride 1, the row of the coarser voxel that contains it, in the level of
/// `stride`.
[[nodiscard]] std::vector<std::int32_t> parent_rows(const VoxelScene& scene, int stride);

// Each function below returns one value per voxel of the level of `stride`.

[[nodiscard]] std::vector<std::int32_t> points_in_voxels(const VoxelScene& scene, int stride);
/// The scene must have intensities.
[[nodiscard]] std::vector<float> mean_intensities(const VoxelScene& scene, int stride);
/// The scene must have colours.
[[nodiscard]] std::vector<Colour> mean_colours(const VoxelScene& scene, int stride);
/// Returns the most frequent label among the points of each voxel, or the lowest of these labels in a tie.
/// The scene must have labels.
[[nodiscard]] std::vector<std::uint32_t> voxel_labels(const VoxelScene& scene, int stride);

}  // namespace spira
