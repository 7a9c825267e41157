// The centre of the window: the open scene and, while runs are compared, the scene of the baseline next to it
// with the same camera. Scenes of recorded runs are found by their fingerprints.
#pragma once

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
  /// `files` returns the files among which scenes of recorded runs are searched.
  ComparedScenes(Tasks& tasks, Workspace* workspace, Selection* selection, ViewParts* parts,
                 Comparing* comparing, SceneFinder* finder, std::function<QStringList()> files,
                 SceneView* current, Theme* theme, QWidget* parent = nullptr);

  void setBeside(bool beside);  ///< Shows both scenes if true, else only the open one.
  [[nodiscard]] bool beside() const noexcept { return beside_; }
  /// Returns `nullptr` until there was a scene to show.
  [[nodiscard]] SceneView* baselineView() const noexcept { return baseline_.view; }
  /// Returns the view of the scene that was found for the open report; `nullptr` until there was one.
  [[nodiscard]] SceneView* recordedView() const noexcept { return recorded_.view; }
  /// Returns true if no search runs and all scenes next to the open scene are drawn.
  [[nodiscard]] bool settled() const;
  /// Returns the text that replaces the scene of the baseline; empty if the scene is shown.
  [[nodiscard]] QString whyNoScene() const;
  /// Searches a file that the user chose for the scene of the baseline, or of the open report if the baseline
  /// has its scene already.
  void findIn(const QString& file);

 signals:
  void commandRequested(const QString& id);
  /// Asks the window for a file dialog. The chosen file must be passed to findIn().
  void findRequested(const QString& scene);
  /// Emitted so that the window can make shortcuts work in the new view.
  void viewMade(QWidget* view);

 private:
  /// A view with the model that it shows.
  struct Side {
    Workspace* open = nullptr;
    Selection* selection = nullptr;  // Copies the look of the open scene. The user cannot select in it.
    ViewParts* parts = nullptr;      // Copies the visible parts of the open scene.
    SceneView* view = nullptr;
    bool joined = false;  // True if the camera follows the other view.
  };
  [[nodiscard]] QWidget* makeBaselineSide();
  [[nodiscard]] QWidget* makeCurrentSide();
  void follow();
  void followBaseline();
  void followCurrent();
  void followOthers();
  void showPage(const QString& text, const QString& button, const QString& command);
  void showScene(Side& side, QStackedWidget* pages, const std::shared_ptr<const VoxelScene>& voxels);
  void makeView(Side& side, QStackedWidget* pages);
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
  QStackedWidget *pages_, *current_pages_;
  ElidedLabel *baseline_title_, *current_title_;
  QWidget *baseline_head_, *current_head_, *baseline_side_ = nullptr;
  QLabel* word_;
  QPushButton *button_, *find_current_;
  QString command_;
  bool beside_ = false, linking_ = false;
};

}  // namespace spira::ui
