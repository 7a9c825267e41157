// The VTK actors of the voxels: a level as faces or points, the points that represent a level with too many
// voxels, and the highlights.
#pragma once

#include "ui/model/scene_look.hpp"
#include "ui/theme/colour_maps.hpp"
#include "ui/view3d/view_detail.hpp"
#include "ui/view3d/voxels/voxel_marker.hpp"

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

  /// Sets the number of device pixels per device-independent pixel, so that points keep their apparent size
  /// on a high-DPI screen.
  void setPixelRatio(double ratio);
  /// Sets the size of points relative to the usual size.
  void setPointScale(double scale);
  void setMesh(std::shared_ptr<const VoxelMesh> mesh);  ///< `nullptr` draws nothing.
  /// Sets one colour for each voxel of the mesh (`shown`). Also sets one colour for each of the points that
  /// represent the mesh while the camera moves (`moving`) and while it is at rest (`still`).
  void setColours(std::vector<Rgb> shown, std::vector<Rgb> moving, std::vector<Rgb> still);
  /// Sets only the colours that are drawn while the camera moves. A later setColours() sets the other
  /// colours.
  void setMovingColours(std::vector<Rgb> moving);
  void setStyle(VoxelStyle style);
  [[nodiscard]] VoxelStyle style() const;
  void setHighlights(const std::vector<HighlightBox>& boxes);
  /// Sets the detail of the current mesh. Ignores the detail of any other mesh. `nullptr` draws points again.
  void setDetail(std::shared_ptr<const ViewDetail> detail);
  [[nodiscard]] const ViewDetail* detail() const;
  /// While the camera moves, a mesh with too many voxels is replaced by the points that represent it. When
  /// the camera is at rest, the mesh is drawn again unless it has too many voxels even for a still picture.
  void setMoving(bool moving);
  void setShown(bool shown);
  /// Draws only voxels above the height; `nullopt` draws all voxels.
  void setAbove(std::optional<double> height);
  /// If `few` is true, draws only a quarter of the points, or a quarter of the voxels as points, while the
  /// camera moves. A slow machine can then follow the mouse. Has no effect if there are few voxels.
  void setFew(bool few);
  [[nodiscard]] bool few() const;
  [[nodiscard]] const std::shared_ptr<const VoxelMesh>& mesh() const;
  /// Returns the level of detail that is drawn instead of the mesh, or `nullptr` if the mesh itself is drawn.
  [[nodiscard]] const LevelOfDetail* drawnInstead() const;
  /// Returns the number of points of drawnInstead() that are drawn.
  [[nodiscard]] std::int64_t pointsDrawnInstead() const;
  [[nodiscard]] bool moving() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace spira::ui
