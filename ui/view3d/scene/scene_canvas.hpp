// The canvas of the 3D view with its camera, its voxels, and the panels that are painted over them. Converts
// positions in the scene to positions on the canvas.
#pragma once

#include "ui/view3d/tools/picking.hpp"

#include <QObject>
#include <QPointF>
#include <QTimer>

#include <array>
#include <memory>
#include <optional>

namespace spira::ui {

class Theme;
class ViewCamera;
class ViewOverlay;
class VoxelActors;
class VtkWidget;
class Workspace;

class SceneCanvas : public QObject {
  Q_OBJECT
 public:
  static constexpr double smooth_ms = 33;  ///< Time budget of a frame while the camera moves, in ms.

  SceneCanvas(Workspace* workspace, Theme* theme);
  ~SceneCanvas() override;
  SceneCanvas(const SceneCanvas&) = delete;
  SceneCanvas& operator=(const SceneCanvas&) = delete;

  /// The caller must add the widget to a layout, which then owns it. The widget must outlive this object.
  [[nodiscard]] VtkWidget* widget() const noexcept { return widget_; }
  [[nodiscard]] ViewOverlay& overlay() const noexcept { return *overlay_; }
  [[nodiscard]] VoxelActors& actors() const noexcept { return *actors_; }
  [[nodiscard]] ViewCamera& camera() const noexcept { return *camera_; }

  /// Sets the scene of the shown mesh. It differs from the open scene while the mesh of the open scene is
  /// being built.
  void setShownScene(std::shared_ptr<const VoxelScene> scene) { shown_ = std::move(scene); }
  [[nodiscard]] const std::shared_ptr<const VoxelScene>& shownScene() const noexcept { return shown_; }
  /// Returns the shown mesh if it belongs to the open scene. Returns `nullptr` while the next mesh is being
  /// built.
  [[nodiscard]] const VoxelMesh* meshOfScene() const;

  [[nodiscard]] Picture size() const;
  [[nodiscard]] ViewPoint viewPoint() const;
  /// Returns the centre of a voxel relative to the origin of the mesh.
  [[nodiscard]] std::array<double, 3> placeOf(const Voxel& voxel, int stride) const;
  /// Converts a position on the widget to device pixels from the lower left corner.
  [[nodiscard]] QPointF pixelAt(const QPointF& position) const;

  /// Must be called when the camera or the scene starts to move. If the last moving frame with all points
  /// took longer than `budget_ms`, fewer points are drawn. All points are drawn again when they are expected
  /// to be fast enough.
  void startMoving(double budget_ms);
  [[nodiscard]] double stillMs() const;  ///< Returns the time of the last frame at rest, in milliseconds.
  void redraw();
  /// Redraws after a short delay; suitable for large scenes whose overlay is already up to date.
  void redrawLater();
  void announcePicture() { announce_ = true; }  ///< Emits pictureReady() after the next frame.
  [[nodiscard]] bool announcing() const noexcept { return announce_; }
  void setHeld(bool held);
  [[nodiscard]] bool held() const noexcept { return held_; }
  void followSize();
  void retheme();
  [[nodiscard]] bool settled() const;  ///< Returns true if no frame is pending and the camera is at rest.

 signals:
  void drawing();  ///< Emitted before a frame is drawn.
  void drawn();
  void pictureReady();

 private:
  Workspace* workspace_;
  Theme* theme_;
  VtkWidget* widget_;
  ViewOverlay* overlay_;
  std::unique_ptr<VoxelActors> actors_;
  std::unique_ptr<ViewCamera> camera_;
  std::shared_ptr<const VoxelScene> shown_;
  QTimer still_, later_;
  double still_ms_ = 0;       // Time of the last frame at rest, in milliseconds.
  double all_moving_ms_ = 0;  // Time of a moving frame with all points, in milliseconds. 0 if unknown.
  bool held_ = false, announce_ = false;
};

}  // namespace spira::ui
