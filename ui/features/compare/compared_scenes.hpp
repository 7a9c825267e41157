// The central widget of the window. It shows the open scene. While runs are compared, it also shows the scene
// of the baseline next to the open scene, with the same camera. The scenes of recorded runs are found by
// their fingerprints.
#pragma once

#include "engine/run/voxel_scene.hpp"
#include "ui/jobs/comparing.hpp"
#include "ui/jobs/scene_finder.hpp"
#include "ui/model/crop_box.hpp"
#include "ui/model/selection.hpp"
#include "ui/model/view_parts.hpp"

#include <QWidget>

#include <functional>

class QLabel;
class QPushButton;
class QSplitter;
class QStackedWidget;

namespace spira::ui {

class ElidedLabel;
class SceneView;
class Tasks;
class Theme;

class ComparedScenes : public QWidget {
  Q_OBJECT
 public:
  /// `files` returns the files to search for the scenes of recorded runs.
  ComparedScenes(Tasks& tasks, Workspace* workspace, Selection* selection, ViewParts* parts,
                 Comparing* comparing, SceneFinder* finder, std::function<QStringList()> files,
                 SceneView* current, Theme* theme, QWidget* parent = nullptr);

  void setSideBySide(bool side_by_side);  ///< If true, shows both scenes; otherwise only the open scene.
  [[nodiscard]] bool sideBySide() const noexcept { return side_by_side_; }
  /// Returns the view of the baseline, or `nullptr` if it has never shown a scene.
  [[nodiscard]] SceneView* baselineView() const noexcept { return baseline_.view; }
  /// Returns the view of the scene that belongs to the open report, or `nullptr` if no such scene has ever
  /// been found.
  [[nodiscard]] SceneView* recordedView() const noexcept { return recorded_.view; }
  /// Returns true if no search for a scene is running and all compared scenes are drawn.
  [[nodiscard]] bool settled() const;
  /// Returns the text that is shown instead of the baseline scene. Returns an empty string if the scene is
  /// shown.
  [[nodiscard]] QString sceneUnavailableReason() const;
  /// Checks whether a file that the user selected contains the missing scene. The missing scene is the scene
  /// of the baseline or, if that scene has been found, the scene of the open report.
  void findIn(const QString& file);

 signals:
  void commandRequested(const QString& id);
  /// Requests a file dialog. The selected file must be passed to findIn().
  void findRequested(const QString& scene);
  /// Emitted after a view was created. The window can then enable shortcuts in the view.
  void viewMade(QWidget* view);

 private:
  /// A 3D view together with the model that it shows.
  struct Side {
    Workspace* open = nullptr;
    // Copy of the stride, colours and style of the open scene. The user cannot select voxels in it.
    Selection* selection = nullptr;
    ViewParts* parts = nullptr;       // The parts that are visible. They are the same as in the open scene.
    QStackedWidget* pages = nullptr;  // Page 0 explains why no scene is shown. Page 1 is `view`.
    SceneView* view = nullptr;
    // True after the first picture. Then camera changes in this view are copied to the other view.
    bool joined = false;
  };
  [[nodiscard]] QWidget* makeBaselineSide();
  [[nodiscard]] QWidget* makeCurrentSide();
  void follow();
  void followBaseline();
  void followCurrent();
  void followOthers();
  void showPage(const QString& text, const QString& button, const QString& command);
  void showScene(Side& side, const std::shared_ptr<const VoxelScene>& voxels);
  void makeView(Side& side);
  void followLook();
  void takeLook(const Side& side, const VoxelScene& voxels);
  void followParts();
  void joined(SceneView* moved);
  void findDialog();
  [[nodiscard]] SceneView* currentView() const;
  [[nodiscard]] const Baseline* chosen() const;
  [[nodiscard]] std::shared_ptr<const Report> reportToFind() const;
  [[nodiscard]] std::shared_ptr<const VoxelScene> found(const std::shared_ptr<const Report>& report) const;
  [[nodiscard]] QString wordFor(const Report& report) const;

  // Many members: each widget around the two views is one member.
  Tasks& tasks_;
  Workspace* workspace_;
  Selection* selection_;
  ViewParts* parts_;
  Comparing* comparing_;
  SceneFinder* finder_;
  std::function<QStringList()> files_;
  SceneView* current_;
  Theme* theme_;
  Side baseline_, recorded_;
  QSplitter* halves_;
  ElidedLabel *baseline_title_, *current_title_;
  QWidget *baseline_head_, *current_head_, *baseline_side_ = nullptr;
  QLabel* word_;
  QPushButton *button_, *find_current_;
  QString command_;
  bool side_by_side_ = false, linking_ = false;
};

}  // namespace spira::ui
