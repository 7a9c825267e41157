// How voxels are drawn.
#pragma once

namespace spira::ui {

enum class VoxelStyle {
  automatic,  ///< cubes where one takes three pixels or more, else points
  points,     ///< always points
  cubes,      ///< always cubes, as long as all that are in the picture can be drawn
  outlined,   ///< as those, with the edges of the cubes
};

[[nodiscard]] constexpr bool always_cubes(VoxelStyle style) noexcept {
  return style == VoxelStyle::cubes || style == VoxelStyle::outlined;
}

}  // namespace spira::ui
