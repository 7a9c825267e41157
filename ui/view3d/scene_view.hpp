// The 3D view of the open scene: voxels of the chosen stride, colourings, highlights, picking.
#pragma once

#include "ui/model/crop_box.hpp"
#include "ui/model/selection.hpp"
#include "ui/model/session.hpp"
#include "ui/model/workspace.hpp"
#include "ui/view3d/screen_pick.hpp"
#include "ui/view3d/voxel_marker.hpp"

#include <QImage>
#include <QPoint>
#include <QTimer>
#include <QWidget>

#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <vector>

class QStackedWidget;

namespace spira::ui {

class CropTool;
struct ColourLegend;
struct ValueRange;
struct VoxelValues;
class FrameBar;
class HighlightChips;
class MeshWorker;
class Theme;
class ViewCamera;
class ViewOverlay;
class VoxelActors;
class VtkWidget;

class SceneView : public QWidget {
  Q_OBJECT
 public:
  SceneView(Workspace* workspace, Selection* selection, CropBox* crop, Theme* theme,
            QWidget* parent = nullptr);
  ~SceneView() override;
  SceneView(const SceneView&) = delete;
  SceneView& operator=(const SceneView&) = delete;

  [[nodiscard]] FrameBar* frameBar() const noexcept { return frames_; }
  void setEmptyPage(QWidget* page);  ///< shown while nothing is open
  void frameAll();
  void resetCamera();
  void look(double x, double y, double z);               ///< view along a direction
  [[nodiscard]] std::optional<CameraPose> pose() const;  ///< empty: nothing is shown
  /// Of the mesh that is shown, or of the first one of the next scene.
  void setPose(const CameraPose& pose, bool of_next_scene);
  [[nodiscard]] QImage grab3d();
  [[nodiscard]] VtkWidget* canvas() const noexcept { return canvas_; }
  [[nodiscard]] const CropTool& cropTool() const noexcept { return *crop_; }
  [[nodiscard]] bool settled() const;   ///< the picture shows what is chosen: no mesh is being built
  [[nodiscard]] bool building() const;  ///< a mesh is being built
  /// Device-independent position of a voxel of the shown stride in the canvas; for tests that click on it.
  [[nodiscard]] QPoint positionOf(const Voxel& voxel) const;

 signals:
  void hovered(const QString& text);
  void frameRequested(int frame);
  void cropResetRequested();
  void legendChanged(const spira::ui::ColourLegend& legend);
  void pictureReady();  ///< the first frame of a new mesh was drawn

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void rebuild();
  void takeMesh(std::shared_ptr<const VoxelMesh> mesh, std::shared_ptr<const ViewDetail> detail);
  void recolourSoon();
  void recolour();
  [[nodiscard]] QString drawnText(const VoxelMesh& mesh) const;
  [[nodiscard]] const VoxelValues& valuesNow();
  [[nodiscard]] ValueRange rangeOf(const VoxelValues& values, RangeMode& mode);
  void rehighlight();
  void retheme();
  void startMoving();
  void wantDetail();
  void redraw();
  bool mouse(QEvent* event);
  void pickAt(const QPointF& position);
  void hoverAt(const QPointF& position);
  [[nodiscard]] QPointF pixelAt(const QPointF& position) const;
  struct Aimed {
    std::optional<Voxel> voxel;
    double distance_px = std::numeric_limits<double>::infinity();  // to the closest voxel in the picture
  };
  [[nodiscard]] Aimed aimedAt(const QPointF& position) const;
  [[nodiscard]] Picture picture() const;
  /// Centre of a voxel relative to the origin of the mesh.
  [[nodiscard]] std::array<double, 3> placeOf(const Voxel& voxel, int stride) const;
  [[nodiscard]] std::optional<VoxelMarker> marker() const;

  Workspace* workspace_;
  Selection* selection_;
  Theme* theme_;
  QStackedWidget* pages_;
  VtkWidget* canvas_;
  ViewOverlay* overlay_;
  HighlightChips* chips_;
  FrameBar* frames_ = nullptr;
  MeshWorker* worker_;
  CropTool* crop_;
  std::unique_ptr<VoxelActors> actors_;
  std::unique_ptr<ViewCamera> camera_;
  std::shared_ptr<const PointCloud> framed_cloud_;    // the camera is reset for a new scene only
  std::vector<std::filesystem::path> framed_frames_;  // and kept for the next frame of the same sequence
  std::optional<CameraPose> next_pose_;               // of the scene that is being opened
  std::optional<ViewPoint> wanted_detail_;            // empty while a mesh is being built
  QTimer still_;
  QPointF pressed_, last_;
  bool dragging_ = false, announce_ = false, keep_camera_ = false, recolour_pending_ = false;
  std::map<int, std::shared_ptr<const VoxelMesh>> meshes_;  // by stride, of meshes_of_
  std::shared_ptr<const VoxelScene> meshes_of_;
  std::int64_t visible_ = 0;  // voxels of the mesh that are not hidden
  struct Values;
  std::unique_ptr<Values> values_;          // of what is shown; another look at them takes no new pass
  std::optional<ViewPoint> coloured_from_;  // where the range of the colours was taken in view
  struct Marked {
    std::array<double, 3> at;
    std::vector<std::array<double, 3>> hits;
  };
  std::optional<Marked> marked_;  // the chosen voxel and the neighbours that it has
};

}  // namespace spira::ui
