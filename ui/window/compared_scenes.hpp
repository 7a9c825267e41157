// The centre of the window: the open scene, and beside it, while runs are compared, that of the baseline from
// the same place. Of recorded runs, the scenes that their fingerprints are found in.
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
class Theme;

class ComparedScenes : public QWidget {
  Q_OBJECT
 public:
  /// `files`: where scenes of recorded runs are looked for.
  ComparedScenes(Workspace* workspace, Selection* selection, ViewParts* parts, Comparing* comparing,
                 SceneFinder* finder, std::function<QStringList()> files, SceneView* current, Theme* theme,
                 QWidget* parent = nullptr);

  void setBeside(bool beside);  ///< both scenes, or the open one alone
  [[nodiscard]] bool beside() const noexcept { return beside_; }
  /// Null until there was a scene to show.
  [[nodiscard]] SceneView* baselineView() const noexcept { return baseline_.view; }
  /// The found scene of the open report; null until there was one.
  [[nodiscard]] SceneView* recordedView() const noexcept { return recorded_.view; }
  /// What is shown beside the open scene is drawn.
  [[nodiscard]] bool settled() const;
  /// What stands in place of the baseline's scene; empty: it is shown.
  [[nodiscard]] QString whyNoScene() const;
  /// As chosen in a dialog, for the baseline; for the open report where that has its scene.
  void findIn(const QString& file);

 signals:
  void commandRequested(const QString& id);
  void findRequested(const QString& scene);  ///< in a file that is still to be chosen: findIn()
  void viewMade(QWidget* view);              ///< so that keys work in it

 private:
  /// A view of its own, with what it shows.
  struct Side {
    Workspace* open = nullptr;
    Selection* selection = nullptr;  // follows the look of the open scene, chooses nothing there
    ViewParts* parts = nullptr;      // as well
    SceneView* view = nullptr;
    bool joined = false;  // it looks where the other one does
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
