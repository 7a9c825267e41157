// Grid lines on the ground below the voxels, at multiples of the spacing in scene coordinates.
#pragma once

#include "ui/view3d/view_camera.hpp"
#include "ui/view3d/voxels/voxel_mesh.hpp"

#include <QColor>

#include <array>
#include <memory>

class vtkRenderer;

namespace spira::ui {

/// Returns the distance between grid lines in metres: 1, 2 or 5 times a power of ten. A side of length
/// `side_m` gets up to about twenty lines.
[[nodiscard]] double grid_spacing(double side_m);

class GroundGrid {
 public:
  explicit GroundGrid(vtkRenderer* renderer);
  ~GroundGrid();
  GroundGrid(const GroundGrid&) = delete;
  GroundGrid& operator=(const GroundGrid&) = delete;

  /// Places the grid under the mesh. A few voxels far outside do not enlarge the grid. `nullptr` removes the
  /// grid.
  void set(const VoxelMesh* mesh, UpAxis up);
  void show(bool visible);
  void setColour(const QColor& colour);
  [[nodiscard]] bool shown() const;
  [[nodiscard]] double spacing() const;  ///< Returns the spacing in metres; 0 without a grid.

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace spira::ui
