// One of the scenes that are shown side by side: its 3D view, its facts and its densities.
#pragma once

#include "ui/features/beside/side_scene.hpp"
#include "ui/features/feature_context.hpp"
#include "ui/model/selection.hpp"
#include "ui/model/session.hpp"

#include <QFrame>
#include <QString>

#include <memory>
#include <optional>

class QFormLayout;
class QLabel;
class QStackedWidget;

namespace spira::ui {

class ColourStrip;
class DensityChart;
class ElidedLabel;
class SceneView;
class ViewParts;
struct ColourLegend;

/// The stride, colours and style that all scenes share.
struct SideLook {
  int stride = 1;
  ColourBy colour_by = ColourBy::height;
  std::map<ColourBy, ValueRange> ranges;  ///< Ranges of all scenes at this stride.
};

class ScenePane : public QFrame {
  Q_OBJECT
 public:
  /// `scene` is a file or a built-in scene. `open` is set if it is the open scene, which is not read again.
  ScenePane(const FeatureContext& context, QString scene, std::shared_ptr<const VoxelScene> open,
            QWidget* parent);

  [[nodiscard]] const QString& scene() const noexcept { return scene_; }
  [[nodiscard]] const std::shared_ptr<const VoxelScene>& open() const noexcept { return open_; }
  /// Returns the result of reading the scene, or `nullptr` while the scene has not been read.
  [[nodiscard]] const std::shared_ptr<const SideScene>& result() const noexcept { return result_; }
  /// Returns the voxels of the scene, or `nullptr` while the scene has not been read.
  [[nodiscard]] std::shared_ptr<const VoxelScene> voxels() const;
  /// Returns the 3D view, or `nullptr` until the scene has been read.
  [[nodiscard]] SceneView* view() const noexcept { return view_; }
  [[nodiscard]] DensityChart* chart() const noexcept { return chart_; }
  /// Returns the text that is shown instead of the scene. Returns an empty string if the scene is shown.
  [[nodiscard]] QString message() const;
  /// Returns the value of a row of the facts, such as "points" or "packing".
  [[nodiscard]] QString fact(const QString& name) const;
  /// Returns true after the first picture of the scene.
  [[nodiscard]] bool drawn() const noexcept { return drawn_; }
  /// Returns true if the pane shows the current look of its scene, or if it has no scene.
  [[nodiscard]] bool settled() const;

  void setTitle(const QString& title);
  void setMessage(const QString& title, const QString& text);
  /// Shows the facts of the scene, or the error. Only the next setLook() draws the scene, so that creating
  /// the view and drawing it are separate steps. `pack` is the packing that was checked.
  void setResult(std::shared_ptr<const SideScene> result, const PackSpec& pack);
  /// Copies stride, colouring and style. If the scene does not have the colouring, it is coloured by height.
  void setLook(const SideLook& look);

  /// Moves the camera in the same way as `other` moved its camera. If the scenes overlap, both cameras have
  /// the same position in metres. Otherwise, both have the same position relative to the centres of their
  /// scenes. If one scene is more than twice as large as the other, each view keeps the scale that suits its
  /// own scene.
  void followCamera(const ScenePane& other);
  /// Returns true if the camera was moved since the last followCamera() or resetCamera().
  [[nodiscard]] bool cameraMoved();
  void resetCamera();

 signals:
  void removeRequested();
  void firstDrawn();    ///< Emitted after the first picture.
  void poseChanged();   ///< Emitted after the camera was moved or turned.
  void sizeFollowed();  ///< Emitted after the camera was adjusted to the size of the view.

 private:
  void makeFacts();
  void makeView();
  void fillFacts(const PackSpec& pack);
  void showDensities();
  void showTitle();
  /// Returns the size of the scene divided by the size of the scene of `other`.
  [[nodiscard]] double scaleTo(const ScenePane& other) const;
  void showLegend(const ColourLegend& legend);

  // Many members: each widget of the pane is one member.
  FeatureContext context_;
  QString scene_;
  std::shared_ptr<const VoxelScene> open_;
  std::shared_ptr<const SideScene> result_;
  Workspace* workspace_;
  Selection* selection_;
  ViewParts* parts_;
  QString name_, extent_;  // Parts of the title. `extent_` is empty until the scene has been read.
  ElidedLabel* title_;
  QStackedWidget* pages_;  // Page 0 shows the message, page 1 the view.
  QLabel* message_;
  QWidget* facts_;
  QFormLayout* form_;
  QLabel* colour_name_;
  ColourStrip* colours_;
  DensityChart* chart_;
  SceneView* view_ = nullptr;
  bool drawn_ = false;
  std::optional<CameraPose> home_;   // Camera pose of the first picture, which shows the whole scene.
  double diagonal_m_ = 0;            // Size of the part of the scene that the first picture shows.
  std::optional<CameraPose> given_;  // Camera pose that followCamera() or resetCamera() set.
};

}  // namespace spira::ui
