// What VTK draws: the voxels of a level as faces or points, a lighter set while the camera moves, and
// highlights.
#pragma once

#include "ui/theme/colour_maps.hpp"
#include "ui/view3d/voxel_mesh.hpp"

#include <array>
#include <memory>
#include <vector>

class vtkRenderer;

namespace spira::ui {

/// Boxes drawn as wires around single cells.
struct HighlightBox {
  std::array<float, 3> centre{}, size{};
  std::array<double, 3> colour{};
  double width = 2.0;
};

class VoxelActors {
 public:
  explicit VoxelActors(vtkRenderer* renderer);
  ~VoxelActors();
  VoxelActors(const VoxelActors&) = delete;
  VoxelActors& operator=(const VoxelActors&) = delete;

  void setMesh(std::shared_ptr<const VoxelMesh> mesh);  ///< null: nothing
  /// One colour a voxel of the mesh; where `keep` is not empty, voxels outside it are faded towards
  /// `background`.
  void setColours(const std::vector<Rgb>& colours, const std::vector<bool>& keep, const Rgb& background);
  void setHighlights(const std::vector<HighlightBox>& boxes);
  /// While moving at most about `most` points are drawn; faces come back when still.
  void setMoving(bool moving);
  [[nodiscard]] const VoxelMesh* mesh() const;
  [[nodiscard]] std::int64_t drawn() const;  ///< voxels drawn now
  [[nodiscard]] bool moving() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace spira::ui
