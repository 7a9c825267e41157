// The geometry of a level as plain arrays. It is built outside the GUI thread.
#pragma once

#include "engine/run/voxel_scene.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <vector>

namespace spira::ui {

struct VoxelMesh;

/// The points that are drawn instead of a level with too many voxels.
struct LevelOfDetail {
  /// The points as a mesh. `nullptr` if the level itself can be drawn.
  std::shared_ptr<const VoxelMesh> mesh;
  /// Number of voxels of the stride that `mesh` shows. If `mesh` has fewer points, its points are an evenly
  /// spread selection of these voxels.
  std::int64_t of_stride = 0;
  /// For each voxel of the level, the row of `mesh` that represents it, or -1 if no row does. Shape: [voxels
  /// of the level].
  std::vector<std::int32_t> of_row;
};

/// The rows of a level, grouped by cells of a coarser stride. A search near a pixel can then skip most cells.
/// All lists are empty if the level has only a few rows, because a search can then examine all of them.
struct RowsByCell {
  std::array<float, 3> size{};
  std::vector<float> centres;       ///< Shape: [cells][3].
  std::vector<std::int32_t> first;  ///< Start of each cell in `rows`. Shape: [cells + 1].
  std::vector<std::int32_t> rows;   ///< Shape: [voxels].
};

/// Geometry of the voxels of one level. Positions are in metres relative to `origin`. A new colouring does
/// not change the mesh: the colour of a quad is the colour of its voxel, which `row_of_quad` contains.
struct VoxelMesh {
  int stride = 1;
  std::int64_t voxels = 0;
  Point origin{};
  std::array<float, 3> cell{};  ///< Size of a voxel.
  std::vector<float> centres;   ///< Shape: [voxels][3].
  std::array<double, 6> box{};  ///< Bounds of all voxels: minimum and maximum of x, y, z.
  /// True if the voxel is neither drawn nor picked. Shape: [voxels], or empty if no voxel is hidden.
  std::vector<bool> hidden;
  /// Open faces of each voxel: bit f is set if face f (-x +x -y +y -z +z) has no neighbour. Shape: [voxels].
  std::vector<std::uint8_t> open;
  /// Corners of all open faces. Empty if there are too many to draw. Shape: [quads * 4][3].
  std::vector<float> corners;
  std::vector<std::int32_t> row_of_quad;  ///< Row of the voxel to which the quad belongs. Shape: [quads].
  std::int64_t visible = 0;               ///< Number of voxels that are not hidden.
  /// Points for frames while the camera moves, and for frames while it is at rest.
  LevelOfDetail moving, still;
  RowsByCell cells;
  [[nodiscard]] bool has_faces() const noexcept { return !row_of_quad.empty(); }
  [[nodiscard]] bool hides(std::size_t row) const noexcept { return !hidden.empty() && hidden[row]; }
};

/// Builds the mesh of a level. The mesh of a small level contains all faces without a neighbour voxel. Larger
/// levels are drawn as points, and the detail of the view adds cubes. `hidden` is the result of
/// hidden_rows(). Returns an empty mesh after a stop request.
[[nodiscard]] VoxelMesh build_voxel_mesh(const VoxelScene& scene, int stride, std::vector<bool> hidden,
                                         const std::stop_token& stop);

/// Returns the bounds of the voxels with these centres, including hidden voxels. Returns zeros if there are
/// no centres.
[[nodiscard]] std::array<double, 6> box_around(const std::vector<float>& centres,
                                               const std::array<float, 3>& cell);

/// Appends the quad of one face (0..5) of a row to `corners`.
void append_face(const VoxelMesh& mesh, std::size_t row, std::size_t face, std::vector<float>& corners);

}  // namespace spira::ui
