// Places the camera of the 3D view: framing, preset directions, projection, up axis, and poses in metres in
// scene coordinates. Also places the ground grid.
#pragma once

#include "ui/model/file_list.hpp"
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
  /// Frames the selected voxel with its neighbours, else the selected set of voxels. Frames the whole scene
  /// if nothing is selected.
  void frameChosen();
  void reset();
  void look(double x, double y, double z);  ///< looks along a direction
  void setOrthographic(bool orthographic);
  [[nodiscard]] bool orthographic() const;
  void setUp(UpAxis up);                                 ///< also resets the camera
  [[nodiscard]] std::optional<CameraPose> pose() const;  ///< `nullopt` if nothing is shown
  /// Sets the camera for the current mesh. If `of_next_scene` is true or nothing is shown, the pose is kept
  /// for the first mesh of the next scene.
  void setPose(const CameraPose& pose, bool of_next_scene);

  [[nodiscard]] bool gridShown() const { return grid_.shown(); }
  void showGrid(bool shown);
  void placeGrid();  ///< must be called after the mesh, the up axis or the theme changed
  /// Returns true if the camera keeps its position when the voxels of `cloud` are shown.
  [[nodiscard]] bool staysFor(const std::shared_ptr<const PointCloud>& cloud) const;
  /// Returns the pose that keeps the camera in place in a mesh with this origin. Returns `nullopt` if the
  /// camera is there already.
  [[nodiscard]] std::optional<CameraPose> poseToKeep(const Point& origin) const;
  void frameNewScene();  ///< resets the camera once for each cloud, or applies the pose set for the cloud
  void reportPose();     ///< emits poseChanged() if the pose differs from the last reported pose

 signals:
  void poseChanged();
  void upChanged();
  void sequenceChanged();  ///< the frames of another sequence are open

 private:
  void followFrames();

  Workspace* workspace_;
  Selection* selection_;
  Theme* theme_;
  SceneCanvas* canvas_;
  GroundGrid grid_;
  std::shared_ptr<const PointCloud> framed_cloud_;  // a new cloud resets the camera
  FileList framed_frames_;                          // another frame of this sequence keeps the camera
  std::optional<CameraPose> next_pose_;             // camera of the scene that is being opened
  std::optional<CameraPose> reported_pose_;
  bool keep_camera_ = false;
};

}  // namespace spira::ui
