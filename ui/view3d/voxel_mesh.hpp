// Geometry of a level as plain arrays, made off the GUI thread: faces that can be seen, or points.
#pragma once

#include "engine/run/session.hpp"

#include <cstdint>
#include <stop_token>
#include <vector>

namespace spira::ui {

/// Positions in metres relative to `origin`. Colours are looked up by `row_of_*`, so that a new colouring
/// keeps the mesh.
struct VoxelMesh {
  int stride = 1;
  std::int64_t voxels = 0;
  Point origin{};
  std::vector<float> centres;             ///< [voxels][3]
  std::vector<float> corners;             ///< [quads * 4][3]; empty when points serve better
  std::vector<std::int32_t> row_of_quad;  ///< [quads] row of the voxel
  [[nodiscard]] bool has_faces() const noexcept { return !row_of_quad.empty(); }
};

/// Faces without a neighbour voxel. Scenes whose voxels hardly touch are drawn as points when they are large:
/// a surface of loose cubes costs six quads a voxel. Empty when stopped.
[[nodiscard]] VoxelMesh build_voxel_mesh(const VoxelScene& scene, int stride, const std::stop_token& stop);

}  // namespace spira::ui
