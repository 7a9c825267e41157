// What VTK draws: the voxels of a level as faces or points, what stands for them where they are too many, and
// highlights.
#pragma once

#include "ui/model/voxel_style.hpp"
#include "ui/theme/colour_maps.hpp"
#include "ui/view3d/highlight_boxes.hpp"
#include "ui/view3d/view_detail.hpp"

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

  void setPixelRatio(double ratio);  ///< device pixels in one: points keep their size on a finer screen
  void setMesh(std::shared_ptr<const VoxelMesh> mesh);  ///< null: nothing
  /// One colour a voxel of the mesh, and one a point of each set that stands for it.
  void setColours(std::vector<Rgb> shown, std::vector<Rgb> moving, std::vector<Rgb> still);
  /// Of what is drawn while the camera moves; the others follow by setColours().
  void setMovingColours(std::vector<Rgb> moving);
  void setStyle(VoxelStyle style);
  [[nodiscard]] VoxelStyle style() const;
  void setHighlights(const std::vector<HighlightBox>& boxes);
  /// Of the mesh that is shown; a detail of another one is ignored. Null: points again.
  void setDetail(std::shared_ptr<const ViewDetail> detail);
  [[nodiscard]] const ViewDetail* detail() const;
  /// While moving, a mesh that is too large for it shows what stands for it; it comes back when still, as far
  /// as that many voxels can be drawn at all.
  void setMoving(bool moving);
  void setShown(bool shown);                    ///< off: nothing is drawn, whatever mesh there is
  void setAbove(std::optional<double> height);  ///< draws what lies above a height only; empty: all
  /// While moving, a quarter of the points, or of the voxels as points: on a slow machine the picture follows
  /// the hand all the same. Not where there are few voxels anyway.
  void setFew(bool few);
  [[nodiscard]] bool few() const;
  [[nodiscard]] const std::shared_ptr<const VoxelMesh>& mesh() const;
  /// What is drawn in place of the mesh; null: it is drawn itself, or nothing is.
  [[nodiscard]] const LevelOfDetail* drawnInstead() const;
  [[nodiscard]] std::int64_t pointsDrawnInstead() const;  ///< of all that drawnInstead() has
  [[nodiscard]] bool moving() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace spira::ui
