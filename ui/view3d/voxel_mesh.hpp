// Geometry of a level as plain arrays, made off the GUI thread.
#pragma once

#include "engine/run/session.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <vector>

namespace spira::ui {

/// Positions in metres relative to `origin`. Colours are looked up by `row_of_quad`, so that a new colouring
/// keeps the mesh.
struct VoxelMesh {
  int stride = 1;
  std::int64_t voxels = 0;
  Point origin{};
  std::array<float, 3> cell{};     ///< size of a voxel
  std::vector<float> centres;      ///< [voxels][3]
  std::vector<bool> hidden;        ///< [voxels] not drawn and not picked; empty: none
  std::vector<std::uint8_t> open;  ///< [voxels] bit f: no neighbour at face f (-x +x -y +y -z +z)
  std::vector<float> corners;      ///< [quads * 4][3] of all open faces; empty: too many to draw always
  std::vector<std::int32_t> row_of_quad;  ///< [quads] row of the voxel
  /// A coarser stride of the same scene that can be drawn in every frame; null: this mesh can.
  std::shared_ptr<const VoxelMesh> coarse;
  std::vector<std::int32_t> coarse_of_row;  ///< [voxels] row in `coarse` of the voxel that holds this one
  [[nodiscard]] bool has_faces() const noexcept { return !row_of_quad.empty(); }
  [[nodiscard]] bool hides(std::size_t row) const noexcept { return !hidden.empty() && hidden[row]; }
  [[nodiscard]] std::int64_t visible() const;  ///< voxels; O(voxels)
};

/// Small levels get all faces without a neighbour voxel, others are drawn as points with the detail of the
/// view. `hidden` as in hidden_rows(). `coarse` is the finest stride above it that is small enough to move,
/// else the coarsest. Empty when stopped.
[[nodiscard]] VoxelMesh build_voxel_mesh(const VoxelScene& scene, int stride, std::vector<bool> hidden,
                                         const std::stop_token& stop);

/// Appends the quad of one face (0..5) of a row to `corners`.
void append_face(const VoxelMesh& mesh, std::size_t row, std::size_t face, std::vector<float>& corners);

}  // namespace spira::ui
