// Lines on the ground below the voxels, on whole metres of the scene.
#pragma once

#include "ui/view3d/view_camera.hpp"
#include "ui/view3d/voxel_mesh.hpp"

#include <QColor>

#include <array>
#include <memory>

class vtkRenderer;

namespace spira::ui {

/// Metres between lines, 1, 2 or 5 times a power of ten: some twenty of them along a side of that length.
[[nodiscard]] double grid_spacing(double side_m);

class GroundGrid {
 public:
  explicit GroundGrid(vtkRenderer* renderer);
  ~GroundGrid();
  GroundGrid(const GroundGrid&) = delete;
  GroundGrid& operator=(const GroundGrid&) = delete;

  /// Under that mesh, without its strays; null: nothing.
  void set(const VoxelMesh* mesh, UpAxis up);
  void show(bool visible);
  void setColour(const QColor& colour);
  [[nodiscard]] bool shown() const;
  [[nodiscard]] double spacing() const;  ///< metres; 0: there is nothing

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace spira::ui
