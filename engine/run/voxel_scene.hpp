// Defines VoxelScene, a voxelised scene. Networks, views and exports read it.
#pragma once

#include "engine/job/stage_tree.hpp"
#include "engine/map/kernel_map.hpp"
#include "engine/network/network.hpp"
#include "engine/scene/point_cloud.hpp"
#include "engine/voxel/coord_set.hpp"
#include "engine/voxel/fit.hpp"
#include "engine/voxel/grid.hpp"
#include "engine/voxel/positions.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace spira {

struct LayerResult;

/// A voxelised scene with the coordinates of all strides. It is immutable and in host memory.
struct VoxelScene {
  std::shared_ptr<const PointCloud> cloud;
  Grid grid;
  PackSpec pack;
  Fit fit;
  /// Number of cells that the scene spans on each axis. `fit` also counts empty cells that the shift adds.
  std::array<std::int64_t, 3> span{};
  std::array<std::int64_t, 3> shift{};
  /// Number of points inside the crop, or of all points if there is no crop.
  std::int64_t kept = 0;
  Point origin{};                  ///< Result of display_origin() for the points inside the crop.
  std::vector<std::string> notes;  ///< Result of grid_notes().
  /// Level 0, then the other levels in the order of Levels::sets.
  std::vector<std::shared_ptr<const CoordSet>> levels;
  /// The positions of levels with the floor rule, by their stride. Empty unless the scene was voxelised for
  /// native layers. In a frame of a batch, the indices of points are those of the frame, and each stride has
  /// a level.
  std::map<int, std::shared_ptr<const Positions>> positions{};
  std::vector<std::int32_t> points_per_voxel, voxel_of_point;
  /// The points that the layers of the network read. `nullptr` if it reads none. Then a level with the rule
  /// LevelRule::of_points() has one row for each point, and its keys are numbers, not coordinates.
  std::shared_ptr<const PointRows> point_rows{};
  StageTree stages;  ///< The stages voxelize and downsample[s] of a single run.
  /// The batch from which frame_scene() took this scene, and the index of the frame. `nullptr` for other
  /// scenes.
  std::shared_ptr<const VoxelScene> batch;
  int frame = 0;
  /// Returns the level with this number (see SceneLevel). If there is none, throws `Error(usage)` with the
  /// available levels.
  [[nodiscard]] const CoordSet& level(int stride) const;
  /// Returns the centre of a voxel of the level with this stride, in metres, in the coordinates of the scene.
  [[nodiscard]] Point centre_m(Voxel voxel, int stride) const;
};

/// Returns one frame of a batch as a scene. Its voxels have the same coordinates, shift and grid as in the
/// batch, and the rows of its levels are adjacent rows of the batch. Its packing has no batch index. If the
/// scene is not a batch, returns it unchanged.
[[nodiscard]] std::shared_ptr<const VoxelScene> frame_scene(const std::shared_ptr<const VoxelScene>& batch,
                                                            int frame);
/// Returns the batch that contains the scene as a frame, or the scene itself.
[[nodiscard]] const std::shared_ptr<const VoxelScene>& whole_scene(
    const std::shared_ptr<const VoxelScene>& scene) noexcept;
/// Returns the part of a result that belongs to the frame `frame` of the batch that ran: the rows of its
/// features and of its kernel map, with positions in the levels of the frame. Densities, stages and times are
/// still those of the batch. The result must be in host memory. Returns `nullptr` if the layer reads or
/// writes points, or has no map, because views cannot show these rows as voxels.
[[nodiscard]] std::shared_ptr<const LayerResult> frame_result(const LayerResult& result,
                                                              const std::shared_ptr<const VoxelScene>& frame);
/// Returns the number of voxels of stride 1 of each frame.
[[nodiscard]] std::vector<std::int64_t> voxels_of_frames(const VoxelScene& batch);

/// Returns true if the scene has a level of voxels with this number. Returns false for the number of its
/// points, because views cannot show their rows as voxels. Which levels exist depends on the network for
/// which the scene was voxelised.
[[nodiscard]] bool has_level(const VoxelScene& scene, int stride) noexcept;
/// Returns the text of a level of the scene, such as "8", "8x8x16 (reached)" or "8 (reached #2)".
[[nodiscard]] std::string level_text(const VoxelScene& scene, int number);
/// Returns true if both scenes have a level with this number and rule.
[[nodiscard]] bool has_same_level(const VoxelScene& one, const VoxelScene& other, int number) noexcept;
/// Returns the coarsest level whose number is its stride. The scene must have level 0.
[[nodiscard]] const CoordSet& coarsest_floor_level(const VoxelScene& scene);
/// Returns the coordinates of the cell that contains a voxel, on a level with this stride. The coordinates
/// must not be negative. The cell may be empty on a level that does not use the floor rule.
[[nodiscard]] Voxel cell_around(Voxel voxel, const PerAxis& stride) noexcept;
/// Returns the positions of a level. Throws `Error(usage)` if the scene was voxelised without them.
[[nodiscard]] const Positions& positions_of(const VoxelScene& scene, int stride);
/// Adds the positions that the map reads to its request, if the kernel is native. The scene must outlive the
/// use of the result.
[[nodiscard]] MapRequest with_positions(MapRequest request, const VoxelScene& scene, const MapKey& key);
/// Throws `Error(does_not_fit)` if, on any level, a voxel plus an offset of this kernel could overflow its
/// bit field (trap 1 in docs/architecture.md).
void require_kernel(const VoxelScene& scene, const KernelShape& kernel);

// The functions below compute attributes of the voxels of a level from the points of the scene: counts, means
// and labels. The functions have no side effects.

// In the functions below, `stride` is the number of the level (see SceneLevel).

/// Returns one value per voxel of stride 1: the row of the voxel that contains it in the level of `stride`,
/// or -1 if this level has no such voxel. This occurs only on levels that do not use the floor rule.
[[nodiscard]] std::vector<std::int32_t> parent_rows(const VoxelScene& scene, int stride);

// Each of the functions below returns one value per voxel in the level of `stride`. The value is 0 if the
// voxel contains no points.

[[nodiscard]] std::vector<std::int32_t> points_in_voxels(const VoxelScene& scene, int stride);
/// Returns the mean intensity of the points in each voxel. The scene must have intensities.
[[nodiscard]] std::vector<float> mean_intensities(const VoxelScene& scene, int stride);
/// Returns the mean colour of the points in each voxel. The scene must have colours.
[[nodiscard]] std::vector<Colour> mean_colours(const VoxelScene& scene, int stride);
/// Returns the most frequent label of the points in each voxel. In a tie, returns the lowest label. The scene
/// must have labels.
[[nodiscard]] std::vector<std::uint32_t> voxel_labels(const VoxelScene& scene, int stride);

}  // namespace spira
