// The 3D view of the open scene. Each part of the view has its own class, and SceneView connects the parts.
#pragma once

#include "ui/model/crop_box.hpp"
#include "ui/model/selection.hpp"
#include "ui/model/view_parts.hpp"
#include "ui/model/workspace.hpp"
#include "ui/view3d/tools/lasso_tool.hpp"

#include <QImage>
#include <QWidget>

#include <memory>

class QStackedWidget;

namespace spira::ui {

struct ColourLegend;
class FrameBar;
class HiddenNotice;
class HighlightChips;
class SceneAnimation;
class SceneCamera;
class SceneCanvas;
class SceneColouring;
class SceneLevels;
class SceneMarks;
class ScenePoints;
class ScenePointer;
class SceneTools;
class Tasks;
class Theme;
class ViewTopBar;
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
  [[nodiscard]] VtkWidget* canvas() const noexcept;
  [[nodiscard]] SceneCamera& camera() const noexcept { return *camera_; }
  [[nodiscard]] SceneColouring& colouring() const noexcept { return *colouring_; }
  [[nodiscard]] ScenePointer& pointer() const noexcept { return *pointer_; }
  [[nodiscard]] SceneTools& tools() const noexcept { return *tools_; }
  [[nodiscard]] SceneAnimation& animation() const noexcept { return *animation_; }
  [[nodiscard]] SceneMarks& marks() const noexcept { return *marks_; }
  [[nodiscard]] ScenePoints& points() const noexcept { return *points_; }

  /// While held, the view does not draw and shows a badge with the reason. Changes become visible when
  /// drawing resumes.
  void setHeld(bool held);
  [[nodiscard]] bool held() const noexcept;
  void setEmptyPage(QWidget* page);  ///< Sets the page that is shown while nothing is open.
  /// Adapts the camera and the marks to the current size of the view. A resize also does this, but in a later
  /// event-loop iteration.
  void followSize();
  /// If true, the view shows no colour bar, and it shows no note while all voxels are drawn. This mode is for
  /// views that are too narrow for them. The caller must show the colour bar elsewhere.
  void setCompact(bool compact);
  void setDepthShading(bool on);  ///< Darkens pixels behind an edge.
  [[nodiscard]] QImage grab3d();
  /// Renders the canvas with legend, axes and scale bar. The image has `scale` pixels per device-independent
  /// pixel.
  [[nodiscard]] QImage picture(int scale, bool transparent);
  /// Returns text such as "stride 1; camera at 10.00, 2.00, 5.00, towards ..., up ...".
  [[nodiscard]] QString pictureText() const;
  /// Returns true if the view shows the current selection and no work is pending.
  [[nodiscard]] bool settled() const;
  [[nodiscard]] bool building() const;  ///< Returns true while a mesh or its colours are being computed.
  /// Returns the notice that the view shows in its middle while all voxels are hidden. Returns an empty
  /// string if some voxels are visible, or if there are no voxels.
  [[nodiscard]] QString hiddenText() const;

 signals:
  void hovered(const QString& text);
  void frameRequested(int frame);
  void cropResetRequested();
  void allPointsRequested();
  void legendChanged(const spira::ui::ColourLegend& legend);
  /// Emitted after the user drew an outline around voxels.
  void outlined(const spira::ui::DrawnOutline& drawn);
  void pictureReady();                     ///< Emitted after the first frame of a new mesh was drawn.
  void poseChanged();                      ///< Emitted after the camera was moved or turned.
  void sizeFollowed();                     ///< Emitted after the camera was adjusted to the size of the view.
  void failed(const spira::Error& error);  ///< Emitted if a mesh or its colours could not be computed.

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void makePages();
  void connectSignals();
  void connectParts();
  void connectModel();
  void followParts();
  void followVoxels();
  void retheme();
  void prepareFrame();
  [[nodiscard]] QString shapesText(const VoxelMesh& mesh) const;
  [[nodiscard]] bool showsNote(const VoxelMesh& mesh) const;
  [[nodiscard]] QString drawnText(const VoxelMesh& mesh) const;
  [[nodiscard]] QString countText(const VoxelMesh& mesh) const;
  [[nodiscard]] QString partText() const;

  // Many members: each part of the view is one member.
  Workspace* workspace_;
  Selection* selection_;
  ViewParts* parts_;
  QStackedWidget* pages_;
  ViewTopBar* top_ = nullptr;
  FrameBar* frames_ = nullptr;
  std::unique_ptr<SceneCanvas> canvas_;
  HighlightChips* chips_;
  HiddenNotice* notice_;
  std::unique_ptr<SceneTools> tools_;
  std::unique_ptr<SceneCamera> camera_;
  std::unique_ptr<SceneLevels> levels_;
  std::unique_ptr<SceneColouring> colouring_;
  std::unique_ptr<SceneAnimation> animation_;
  std::unique_ptr<SceneMarks> marks_;
  std::unique_ptr<ScenePoints> points_;
  std::unique_ptr<ScenePointer> pointer_;
  bool highlights_shown_ = true, compact_ = false;
};

}  // namespace spira::ui
