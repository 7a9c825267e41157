// The VTK actors of the voxels: a level as faces or points, the points that represent a level with too many
// voxels, and highlights.
#pragma once

#include "ui/model/selection.hpp"
#include "ui/theme/colour_maps.hpp"
#include "ui/view3d/view_detail.hpp"
#include "ui/view3d/voxels/highlight_boxes.hpp"

#include <memory>
#include <optional>
#include <vector>

class vtkRenderer;

namespace spira::ui {

class VoxelActors {
 public:
  explicit VoxelActors(vtkRenderer* renderer);
  ~VoxelActors();
  VoxelActors(const VoxelActors&) = delete;
  VoxelActors& operator=(const VoxelActors&) = delete;

  /// Device pixels per device-independent pixel; points keep their apparent size on a high-DPI screen.
  void setPixelRatio(double ratio);
  void setMesh(std::shared_ptr<const VoxelMesh> mesh);  ///< `nullptr` draws nothing
  /// Sets one colour for each voxel of the mesh, and one for each point of the sets that represent it.
  void setColours(std::vector<Rgb> shown, std::vector<Rgb> moving, std::vector<Rgb> still);
  /// Sets the colours that are drawn while the camera moves. A later setColours() sets the others.
  void setMovingColours(std::vector<Rgb> moving);
  void setStyle(VoxelStyle style);
  [[nodiscard]] VoxelStyle style() const;
  void setHighlights(const std::vector<HighlightBox>& boxes);
  /// Sets the detail of the current mesh. Ignores a detail of another mesh. `nullptr` returns to points.
  void setDetail(std::shared_ptr<const ViewDetail> detail);
  [[nodiscard]] const ViewDetail* detail() const;
  /// While moving, draws the points that represent a mesh that is too large. At rest, draws the mesh again if
  /// its number of voxels allows it.
  void setMoving(bool moving);
  void setShown(bool shown);  ///< false hides all voxels
  /// Draws only voxels above the height; `nullopt` draws all voxels.
  void setAbove(std::optional<double> height);
  /// While moving, draws a quarter of the points, or of the voxels as points, so that a slow machine follows
  /// the mouse. Has no effect if there are few voxels.
  void setFew(bool few);
  [[nodiscard]] bool few() const;
  [[nodiscard]] const std::shared_ptr<const VoxelMesh>& mesh() const;
  /// Returns the level of detail that is drawn instead of the mesh, else `nullptr`.
  [[nodiscard]] const LevelOfDetail* drawnInstead() const;
  /// Number of points of drawnInstead() that are drawn.
  [[nodiscard]] std::int64_t pointsDrawnInstead() const;
  [[nodiscard]] bool moving() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace spira::ui
