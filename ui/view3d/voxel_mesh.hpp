// Geometry of a level as plain arrays, made off the GUI thread.
#pragma once

#include "engine/run/session.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <vector>

namespace spira::ui {

struct VoxelMesh;

/// What is drawn in place of a level that has too many voxels.
struct LevelOfDetail {
  std::shared_ptr<const VoxelMesh> mesh;  ///< points; null: the level itself can be drawn
  std::int64_t of_stride = 0;        ///< voxels that its stride has; more than the mesh: an even selection
  std::vector<std::int32_t> of_row;  ///< [voxels of the level] row of `mesh` that stands for it; -1: none
};

/// Rows of a level by the cell of a coarser stride that holds them, so that what is near a pixel is found
/// without looking at all of them. Empty: there are so few rows that all can be looked at.
struct RowsByCell {
  std::array<float, 3> size{};      ///< of a cell
  std::vector<float> centres;       ///< [cells][3]
  std::vector<std::int32_t> first;  ///< [cells + 1] into `rows`
  std::vector<std::int32_t> rows;   ///< [voxels]
};

/// Positions in metres relative to `origin`. Colours are looked up by `row_of_quad`, so that a new colouring
/// keeps the mesh.
struct VoxelMesh {
  int stride = 1;
  std::int64_t voxels = 0;
  Point origin{};
  std::array<float, 3> cell{};     ///< size of a voxel
  std::vector<float> centres;      ///< [voxels][3]
  std::array<double, 6> box{};     ///< of all voxels: low and high of x, y, z
  std::vector<bool> hidden;        ///< [voxels] not drawn and not picked; empty: none
  std::vector<std::uint8_t> open;  ///< [voxels] bit f: no neighbour at face f (-x +x -y +y -z +z)
  std::vector<float> corners;      ///< [quads * 4][3] of all open faces; empty: too many to draw always
  std::vector<std::int32_t> row_of_quad;  ///< [quads] row of the voxel
  std::int64_t visible = 0;               ///< voxels that are not hidden
  LevelOfDetail moving, still;            ///< for frames while the camera moves, and for a still picture
  RowsByCell cells;
  [[nodiscard]] bool has_faces() const noexcept { return !row_of_quad.empty(); }
  [[nodiscard]] bool hides(std::size_t row) const noexcept { return !hidden.empty() && hidden[row]; }
};

/// Small levels get all faces without a neighbour voxel, others are drawn as points with the detail of the
/// view. `hidden` as in hidden_rows(). Empty when stopped.
[[nodiscard]] VoxelMesh build_voxel_mesh(const VoxelScene& scene, int stride, std::vector<bool> hidden,
                                         const std::stop_token& stop);

/// Of the voxels around `centres`, hidden ones too; all 0 without any.
[[nodiscard]] std::array<double, 6> box_around(const std::vector<float>& centres,
                                               const std::array<float, 3>& cell);

/// Appends the quad of one face (0..5) of a row to `corners`.
void append_face(const VoxelMesh& mesh, std::size_t row, std::size_t face, std::vector<float>& corners);

}  // namespace spira::ui
