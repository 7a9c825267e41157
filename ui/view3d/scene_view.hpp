// The 3D view of the open scene: voxels of the chosen stride, colourings, highlights, picking.
#pragma once

#include "ui/model/crop_box.hpp"
#include "ui/model/selection.hpp"
#include "ui/model/session.hpp"
#include "ui/model/view_parts.hpp"
#include "ui/model/workspace.hpp"
#include "ui/view3d/held_ranges.hpp"
#include "ui/view3d/rows_inside.hpp"
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
struct ColourRequest;
struct Colouring;
struct MeasuredLine;
struct MovingColouring;
struct SceneColours;
enum class UpAxis;
class FrameBar;
class GroundGrid;
class HiddenNotice;
class HighlightChips;
class LassoTool;
class MeasureTool;
class MeshWorker;
class MotionActors;
struct MotionPicture;
struct MotionShown;
class Theme;
class ViewCamera;
class ViewOverlay;
class ViewTopBar;
class VoxelActors;
class VtkWidget;

class SceneView : public QWidget {
  Q_OBJECT
 public:
  SceneView(Workspace* workspace, Selection* selection, ViewParts* parts, CropBox* crop, Theme* theme,
            QWidget* parent = nullptr);
  ~SceneView() override;
  SceneView(const SceneView&) = delete;
  SceneView& operator=(const SceneView&) = delete;

  [[nodiscard]] FrameBar* frameBar() const noexcept { return frames_; }
  [[nodiscard]] ViewTopBar* topBar() const noexcept { return top_; }
  [[nodiscard]] LassoTool& lassoTool() const noexcept { return *lasso_; }
  [[nodiscard]] MeasureTool& measureTool() const noexcept { return *measure_; }
  /// While held no frame is drawn and a badge says why; what was turned meanwhile is seen after.
  void setHeld(bool held);
  [[nodiscard]] bool held() const noexcept { return held_; }
  void setEmptyPage(QWidget* page);  ///< shown while nothing is open
  void frameAll();
  /// What was framed is framed again, and marks stand where they belong; a resized view does it by itself,
  /// soon.
  void followSize();
  /// The range of the colours is that of this frame again; it stays while frames of a sequence change.
  void takeRangeAnew();
  /// Of the voxels that are seen, the one nearest to the middle; none is seen: nothing changes.
  void chooseInMiddle();
  /// The chosen voxel with its neighbours, else the voxels drawn around; all where there is neither.
  void frameChosen();
  void setOrthographic(bool orthographic);
  [[nodiscard]] bool orthographic() const;
  void setDepthShading(bool on);  ///< edges darken where what is behind is further away
  void setUp(UpAxis up);          ///< and looks from where the camera starts
  void resetCamera();
  void look(double x, double y, double z);               ///< view along a direction
  [[nodiscard]] std::optional<CameraPose> pose() const;  ///< empty: nothing is shown
  /// Of the mesh that is shown, or of the first one of the next scene.
  void setPose(const CameraPose& pose, bool of_next_scene);
  [[nodiscard]] QImage grab3d();
  /// The canvas with legend, axes and scale, `scale` times as many pixels as the screen has points.
  [[nodiscard]] QImage picture(int scale, bool transparent);
  /// "stride 1, height; camera at 10.00, 2.00, 5.00 m, towards ...": where and what a picture looks at.
  [[nodiscard]] QString pictureText() const;
  /// What a lesson shows beside the voxels, at its beginning; null: nothing.
  void setMotion(std::shared_ptr<const MotionPicture> picture, const QString& caption);
  void setMotionAt(double part);  ///< 0: before it, 1: its end
  [[nodiscard]] VtkWidget* canvas() const noexcept { return canvas_; }
  [[nodiscard]] const CropTool& cropTool() const noexcept { return *crop_; }
  [[nodiscard]] const MotionActors& motion() const noexcept { return *motion_; }
  [[nodiscard]] bool settled() const;   ///< the picture shows what is chosen: no mesh is being built
  [[nodiscard]] bool building() const;  ///< a mesh or its colours are being made
  /// What stands in the middle while none of the voxels are drawn; empty: some are, or there are none.
  [[nodiscard]] QString hiddenText() const;
  /// Device-independent position of a voxel of the shown stride in the canvas; for tests that click on it.
  [[nodiscard]] QPoint positionOf(const Voxel& voxel) const;

 signals:
  void hovered(const QString& text);
  void frameRequested(int frame);
  void cropResetRequested();
  void allPointsRequested();
  void legendChanged(const spira::ui::ColourLegend& legend);
  void outlined(const spira::ui::DrawnOutline& drawn);  ///< voxels were drawn around
  void pictureReady();                                  ///< the first frame of a new mesh was drawn
  void poseChanged();                                   ///< the camera stands elsewhere, or looks elsewhere
  void failed(const spira::Error& error);               ///< a mesh or its colours could not be made

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void connectTools(CropBox* crop);
  void connectDrawing();
  void connectModel();
  void connectParts();
  void followParts();
  void allowVoxels(bool allowed);  // by what a lesson shows
  void rebuild();
  void takeMesh(std::shared_ptr<const VoxelMesh> mesh, std::shared_ptr<const ViewDetail> detail);
  void showArrived();
  void recolourSoon();
  void recolour();
  void finishColours();  ///< at once, whatever is on its way
  void answerAtOnce(const ColourRequest& request);
  void takeColours(SceneColours colours);
  [[nodiscard]] std::shared_ptr<const VoxelMesh> meshToColour() const;  ///< null: none, or not yet
  [[nodiscard]] ColourRequest colourRequest(const std::shared_ptr<const VoxelMesh>& mesh) const;
  [[nodiscard]] ViewPoint detailPoint() const;
  [[nodiscard]] QString shapesText(const VoxelMesh& mesh) const;
  [[nodiscard]] QString drawnText(const VoxelMesh& mesh) const;
  [[nodiscard]] QString countText(const VoxelMesh& mesh) const;
  [[nodiscard]] QString partText() const;
  void rehighlight();
  void boxChosen();
  void boxMotion();
  void redrawHighlights();
  void retheme();
  void startMoving(double budget_ms);
  void wantDetail();
  void redraw();
  bool mouse(QEvent* event);
  void pickAt(const QPointF& position);
  void hoverAt(const QPointF& position);
  /// "height, m: 1.20", what the voxel is coloured by; empty: colours of its own.
  [[nodiscard]] QString valueText(const Voxel& voxel) const;
  /// Of a legend: what is the height where z is up is z elsewhere.
  [[nodiscard]] QString titleHere(const QString& title) const;
  [[nodiscard]] QPointF pixelAt(const QPointF& position) const;
  static constexpr double smooth_ms = 33;  // a frame while the camera moves
  struct Aimed {
    std::optional<Voxel> voxel;
    double distance_px = std::numeric_limits<double>::infinity();  // to the closest voxel in the picture
  };
  [[nodiscard]] Aimed aimedAt(const QPointF& position) const;
  [[nodiscard]] Picture picture() const;
  /// Centre of a voxel relative to the origin of the mesh.
  [[nodiscard]] std::array<double, 3> placeOf(const Voxel& voxel, int stride) const;
  [[nodiscard]] std::optional<VoxelMarker> marker() const;
  void placeMotion(double part);
  [[nodiscard]] bool motionMarks() const;  ///< a motion marks cells in place of the chosen voxel
  [[nodiscard]] std::optional<MotionShown> motionShown() const;
  [[nodiscard]] std::optional<MeasuredLine> measured() const;
  void placeGrid();
  void showMeasured();
  [[nodiscard]] QVector<QLineF> hoveredEdges() const;  ///< of the voxel under the pointer, in the picture
  [[nodiscard]] QVector<QLineF> edgesOf(const ChosenVoxel& voxel) const;
  /// The mesh in the picture, where it is of the scene that is open; null: the next one is on its way.
  [[nodiscard]] const VoxelMesh* meshOfScene() const;

  Workspace* workspace_;
  Selection* selection_;
  ViewParts* parts_;
  Theme* theme_;
  QStackedWidget* pages_;
  VtkWidget* canvas_;
  ViewOverlay* overlay_;
  HighlightChips* chips_;
  HiddenNotice* notice_;
  ViewTopBar* top_ = nullptr;
  FrameBar* frames_ = nullptr;
  MeshWorker *worker_, *colourist_;
  LassoTool* lasso_;
  MeasureTool* measure_;
  CropTool* crop_;
  std::unique_ptr<VoxelActors> actors_;
  std::unique_ptr<ViewCamera> camera_;
  std::unique_ptr<GroundGrid> grid_;
  std::unique_ptr<MotionActors> motion_;
  std::shared_ptr<const MotionPicture> wanted_motion_;  // drawn as soon as there is a mesh
  std::shared_ptr<const PointCloud> framed_cloud_;      // the camera is reset for a new scene only
  FileList framed_frames_;                              // and kept for the next frame of the same sequence
  std::optional<CameraPose> next_pose_;                 // of the scene that is being opened
  std::optional<CameraPose> told_pose_;                 // that poseChanged() spoke of
  std::optional<ViewPoint> wanted_detail_;              // empty while a mesh is being built
  std::optional<ViewPoint> too_many_from_;              // a picture with more voxels in it than can be drawn
  QTimer still_;
  QTimer later_;              // a frame that has time: the overlay has answered
  double still_ms_ = 0;       // that the last frame of a still picture took
  double all_moving_ms_ = 0;  // and of a moving one with all its points; 0: not known
  QPointF pressed_, last_;
  bool held_ = false;
  bool dragging_ = false, announce_ = false, keep_camera_ = false;
  bool recolour_pending_ = false, recolour_again_ = false;
  bool voxels_allowed_ = true, highlights_shown_ = true;
  std::map<int, std::shared_ptr<const VoxelMesh>> meshes_;  // by stride, of meshes_of_
  std::shared_ptr<const VoxelScene> meshes_of_;
  std::shared_ptr<const VoxelScene>
      shown_;  // that the mesh in the picture is of; the next one may be on its way
  struct Arriving {
    std::shared_ptr<const VoxelMesh> mesh;
    std::shared_ptr<const ViewDetail> detail;
  };
  std::optional<Arriving> arriving_;            // a mesh that waits for its colours
  HeldRanges held_ranges_;                      // of the sequence that is open
  std::shared_ptr<const Colouring> colouring_;  // of what is shown; another look at it takes no new pass
  std::shared_ptr<const MovingColouring> moving_colouring_;
  Hover hovered_;
  struct Marked {
    std::array<double, 3> at;
    std::vector<std::array<double, 3>> hits{}, misses{};
    std::optional<std::array<double, 3>> arrow_to{};  // the neighbour at the one offset that is chosen
  };
  std::optional<Marked> marked_;  // the chosen voxel and the neighbours that it has
};

}  // namespace spira::ui
