// How voxels are drawn.
#pragma once

namespace spira::ui {

enum class VoxelStyle {
  automatic,  ///< cubes where one takes three pixels or more, else points
  points,     ///< always points
  outlined,   ///< as automatic, with the edges of the cubes
};

}  // namespace spira::ui
