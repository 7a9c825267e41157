// Drawing style of voxels.
#pragma once

namespace spira::ui {

enum class VoxelStyle {
  automatic,  ///< Cubes if a voxel covers three pixels or more, else points.
  points,
  cubes,     ///< Cubes, as long as all voxels in view can be drawn.
  outlined,  ///< Cubes with their edges.
};

[[nodiscard]] constexpr bool always_cubes(VoxelStyle style) noexcept {
  return style == VoxelStyle::cubes || style == VoxelStyle::outlined;
}

}  // namespace spira::ui
