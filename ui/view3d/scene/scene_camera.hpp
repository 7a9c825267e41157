// Places the camera of the 3D view: framing, preset directions, projection, up axis, and poses in metres in
// scene coordinates. This class also places the ground grid.
#pragma once

#include "ui/model/open_document.hpp"
#include "ui/model/session.hpp"
#include "ui/view3d/ground_grid.hpp"

#include <QObject>

#include <memory>
#include <optional>

namespace spira::ui {

class SceneCanvas;
class Selection;
class Theme;
class Workspace;

class SceneCamera : public QObject {
  Q_OBJECT
 public:
  SceneCamera(Workspace* workspace, Selection* selection, Theme* theme, SceneCanvas* canvas);

  void frameAll();
  /// Moves the camera to the selected voxel and its neighbours. If no voxel is selected, moves it to the
  /// voxels that were selected with a lasso or rectangle. If no voxels were selected either, shows the whole
  /// scene.
  void frameChosen();
  void reset();
  /// Returns the diagonal of the box that reset() shows, in metres. Does not depend on the size of the view.
  [[nodiscard]] double framedDiagonal() const;
  void look(double x, double y, double z);  ///< Turns the camera to this direction and frames the scene.
  void setOrthographic(bool orthographic);
  [[nodiscard]] bool orthographic() const;
  void setUp(UpAxis up);  ///< Sets the up axis and resets the camera.
  [[nodiscard]] std::optional<CameraPose> pose()
      const;  ///< Returns the pose of the camera, or `nullopt` if no mesh is shown.
  /// Sets the camera for the current mesh. If `of_next_scene` is true or no mesh is shown, stores the pose
  /// and applies it to the first mesh of the next scene.
  void setPose(const CameraPose& pose, bool of_next_scene);

  [[nodiscard]] bool gridShown() const { return grid_.shown(); }
  void showGrid(bool shown);
  void placeGrid();  ///< Must be called after the mesh, the up axis or the theme changed.
  /// Returns true if the camera will keep its position when the voxels of `cloud` are shown.
  [[nodiscard]] bool staysFor(const std::shared_ptr<const PointCloud>& cloud) const;
  /// Returns the current pose if the next mesh, whose origin is `origin`, has another origin than the current
  /// mesh. setPose() then keeps the camera in place. Returns `nullopt` if both origins are equal, or if no
  /// mesh is shown.
  [[nodiscard]] std::optional<CameraPose> poseToKeep(const Point& origin) const;
  /// If the cloud is new, applies the pose that was stored for it, or resets the camera if no pose was
  /// stored.
  void frameNewScene();
  void reportPose();  ///< Emits poseChanged() if the pose differs from the last reported pose.

 signals:
  void poseChanged();
  void upChanged();
  void sequenceChanged();  ///< Emitted after the frames of another sequence were opened.

 private:
  [[nodiscard]] double cellsOfRoom() const;
  void followFrames();

  Workspace* workspace_;
  Selection* selection_;
  Theme* theme_;
  SceneCanvas* canvas_;
  GroundGrid grid_;
  std::shared_ptr<const PointCloud> framed_cloud_;  // Cloud for which the camera was last reset.
  FileList framed_frames_;                          // Sequence whose frames all keep the camera position.
  std::optional<CameraPose> next_pose_;             // Pose for the scene that is being opened.
  std::optional<CameraPose> reported_pose_;
  bool keep_camera_ = false;
};

}  // namespace spira::ui
