// The 3D view of the open scene: voxels of the selected stride, colourings, highlights and picking.
#pragma once

#include "ui/model/crop_box.hpp"
#include "ui/model/selection.hpp"
#include "ui/model/session.hpp"
#include "ui/model/view_parts.hpp"
#include "ui/model/workspace.hpp"
#include "ui/view3d/voxels/held_ranges.hpp"
#include "ui/view3d/voxels/rows_inside.hpp"
#include "ui/view3d/voxels/voxel_marker.hpp"

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
class Tasks;
class Theme;
class ViewCamera;
class ViewOverlay;
class ViewTopBar;
class VoxelActors;
class VtkWidget;

class SceneView : public QWidget {
  Q_OBJECT
 public:
  SceneView(Tasks& tasks, Workspace* workspace, Selection* selection, ViewParts* parts, CropBox* crop,
            Theme* theme, QWidget* parent = nullptr);
  ~SceneView() override;
  SceneView(const SceneView&) = delete;
  SceneView& operator=(const SceneView&) = delete;

  [[nodiscard]] FrameBar* frameBar() const noexcept { return frames_; }
  [[nodiscard]] ViewTopBar* topBar() const noexcept { return top_; }
  [[nodiscard]] LassoTool& lassoTool() const noexcept { return *lasso_; }
  [[nodiscard]] MeasureTool& measureTool() const noexcept { return *measure_; }
  /// Stops drawing while held and shows a badge with the reason. Changes become visible when drawing resumes.
  void setHeld(bool held);
  [[nodiscard]] bool held() const noexcept { return held_; }
  void setEmptyPage(QWidget* page);  ///< shown while nothing is open
  void frameAll();
  /// Frames the same bounds again and moves the marks to their new positions. Resizing the view also triggers
  /// this, in a later event-loop iteration.
  void followSize();
  /// Computes the colour range from the current frame. Otherwise the range stays fixed while the frames of a
  /// sequence change.
  void takeRangeAnew();
  /// Selects the visible voxel nearest to the middle of the view. Does nothing if no voxel is visible.
  void chooseInMiddle();
  /// Frames the selected voxel with its neighbours, else the selected set of voxels. Frames the whole scene
  /// if nothing is selected.
  void frameChosen();
  void setOrthographic(bool orthographic);
  [[nodiscard]] bool orthographic() const;
  void setDepthShading(bool on);  ///< darkens edges in front of a more distant background
  void setUp(UpAxis up);          ///< also resets the camera
  void resetCamera();
  void look(double x, double y, double z);               ///< looks along a direction
  [[nodiscard]] std::optional<CameraPose> pose() const;  ///< `nullopt` if nothing is shown
  /// Sets the camera for the current mesh. If `of_next_scene` is true or nothing is shown, the pose is kept
  /// for the first mesh of the next scene.
  void setPose(const CameraPose& pose, bool of_next_scene);
  [[nodiscard]] QImage grab3d();
  /// Renders the canvas with legend, axes and scale bar. The image has `scale` pixels per device-independent
  /// pixel.
  [[nodiscard]] QImage picture(int scale, bool transparent);
  /// Returns text such as "stride 1; camera at 10.00, 2.00, 5.00, towards ..., up ...".
  [[nodiscard]] QString pictureText() const;
  /// Shows the start of a lesson's animation next to the voxels. `nullptr` removes the animation.
  void setMotion(std::shared_ptr<const MotionPicture> picture, const QString& caption);
  void setMotionAt(double part);  ///< fraction of the animation: 0 is its start, 1 is its end
  [[nodiscard]] VtkWidget* canvas() const noexcept { return canvas_; }
  [[nodiscard]] const CropTool& cropTool() const noexcept { return *crop_; }
  [[nodiscard]] const MotionActors& motion() const noexcept { return *motion_; }
  [[nodiscard]] bool settled() const;   ///< the picture shows the current selection and no work is pending
  [[nodiscard]] bool building() const;  ///< a mesh or its colours are being computed
  /// Returns the notice in the middle of the view while all voxels are hidden. Returns an empty text if some
  /// voxels are visible or there are none.
  [[nodiscard]] QString hiddenText() const;
  /// Returns the position of a voxel of the current stride on the canvas, in device-independent pixels. For
  /// tests that click on it.
  [[nodiscard]] QPoint positionOf(const Voxel& voxel) const;

 signals:
  void hovered(const QString& text);
  void frameRequested(int frame);
  void cropResetRequested();
  void allPointsRequested();
  void legendChanged(const spira::ui::ColourLegend& legend);
  void outlined(const spira::ui::DrawnOutline& drawn);  ///< the user drew an outline around voxels
  void pictureReady();                                  ///< the first frame of a new mesh was drawn
  void poseChanged();                                   ///< the camera was moved or turned
  void failed(const spira::Error& error);               ///< a mesh or its colours could not be computed

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void connectTools(CropBox* crop);
  void connectDrawing();
  void connectModel();
  void connectParts();
  void followParts();
  void allowVoxels(bool allowed);  // a lesson may hide the voxels
  void rebuild();
  void takeMesh(std::shared_ptr<const VoxelMesh> mesh, std::shared_ptr<const ViewDetail> detail);
  void showArrived();
  void recolourSoon();
  void recolour();
  void finishColours();  ///< computes pending colours immediately
  void answerAtOnce(const ColourRequest& request);
  void takeColours(SceneColours colours);
  /// Returns null while the next mesh is being built, or if nothing is open.
  [[nodiscard]] std::shared_ptr<const VoxelMesh> meshToColour() const;
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
  /// Returns the value by which the voxel is coloured, such as "height, m: 1.20". Returns an empty text if
  /// the colouring has no values.
  [[nodiscard]] QString valueText(const Voxel& voxel) const;
  /// Returns the title of a legend. "height, m" becomes "z, m" if the up axis is not z.
  [[nodiscard]] QString titleHere(const QString& title) const;
  [[nodiscard]] QPointF pixelAt(const QPointF& position) const;
  static constexpr double smooth_ms = 33;  // time budget of a frame while the camera moves
  struct Aimed {
    std::optional<Voxel> voxel;
    // Distance to the closest voxel in the picture.
    double distance_px = std::numeric_limits<double>::infinity();
  };
  [[nodiscard]] Aimed aimedAt(const QPointF& position) const;
  [[nodiscard]] Picture picture() const;
  /// Returns the centre of a voxel relative to the origin of the mesh.
  [[nodiscard]] std::array<double, 3> placeOf(const Voxel& voxel, int stride) const;
  [[nodiscard]] std::optional<VoxelMarker> marker() const;
  void placeMotion(double part);
  [[nodiscard]] bool motionMarks() const;  ///< an animation marks cells instead of the selected voxel
  [[nodiscard]] std::optional<MotionShown> motionShown() const;
  [[nodiscard]] std::optional<MeasuredLine> measured() const;
  void placeGrid();
  void showMeasured();
  /// Edges of the voxel under the pointer, on the picture.
  [[nodiscard]] QVector<QLineF> hoveredEdges() const;
  [[nodiscard]] QVector<QLineF> edgesOf(const ChosenVoxel& voxel) const;
  /// Returns the mesh in the picture if it belongs to the open scene. Returns `nullptr` while the next mesh
  /// is being built.
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
  std::shared_ptr<const PointCloud> framed_cloud_;      // a new cloud resets the camera
  FileList framed_frames_;                              // another frame of this sequence keeps the camera
  std::optional<CameraPose> next_pose_;                 // camera of the scene that is being opened
  std::optional<CameraPose> told_pose_;                 // last pose reported by poseChanged()
  std::optional<ViewPoint> wanted_detail_;              // requested detail; empty while a mesh is being built
  std::optional<ViewPoint> too_many_from_;              // view with more voxels in it than can be drawn
  QTimer still_;
  QTimer later_;              // delays a frame of a large scene after the overlay was updated
  double still_ms_ = 0;       // time of the last frame at rest
  double all_moving_ms_ = 0;  // time of a moving frame with all points; 0 if unknown
  QPointF pressed_, last_;
  bool held_ = false;
  bool dragging_ = false, announce_ = false, keep_camera_ = false;
  bool recolour_pending_ = false, recolour_again_ = false;
  bool voxels_allowed_ = true, highlights_shown_ = true;
  std::map<int, std::shared_ptr<const VoxelMesh>> meshes_;  // the meshes of meshes_of_, by stride
  std::shared_ptr<const VoxelScene> meshes_of_;
  std::shared_ptr<const VoxelScene>
      shown_;  // scene of the mesh in the picture; the next mesh may be in progress
  struct Arriving {
    std::shared_ptr<const VoxelMesh> mesh;
    std::shared_ptr<const ViewDetail> detail;
  };
  std::optional<Arriving> arriving_;            // a mesh that waits for its colours
  HeldRanges held_ranges_;                      // ranges of the open sequence
  std::shared_ptr<const Colouring> colouring_;  // current colouring; another look reuses its values
  std::shared_ptr<const MovingColouring> moving_colouring_;
  Hover hovered_;
  struct Marked {
    std::array<double, 3> at;
    std::vector<std::array<double, 3>> hits{}, misses{};
    // The neighbour at the selected offset, if exactly one is selected.
    std::optional<std::array<double, 3>> arrow_to{};
  };
  std::optional<Marked> marked_;  // the selected voxel and its neighbours
};

}  // namespace spira::ui
