// The centre of the window: the open scene, and beside it, while runs are compared, that of the baseline from
// the same place.
#pragma once

#include "ui/jobs/comparing.hpp"
#include "ui/model/crop_box.hpp"
#include "ui/model/selection.hpp"

#include <QWidget>

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
  ComparedScenes(Workspace* workspace, Selection* selection, Comparing* comparing, SceneView* current,
                 Theme* theme, QWidget* parent = nullptr);

  void setBeside(bool beside);  ///< both scenes, or the open one alone
  [[nodiscard]] bool beside() const noexcept { return beside_; }
  /// Null until there was a scene to show.
  [[nodiscard]] SceneView* baselineView() const noexcept { return view_; }
  /// What stands in place of the baseline's scene; empty: it is shown.
  [[nodiscard]] QString whyNoScene() const;

 signals:
  void commandRequested(const QString& id);
  void viewMade(QWidget* view);  ///< so that keys work in it

 private:
  [[nodiscard]] QWidget* makeBaselineSide();
  [[nodiscard]] QWidget* makeCurrentSide();
  void follow();
  void showScene(const std::shared_ptr<const VoxelScene>& voxels);
  void makeView();
  void followLook();
  void link(SceneView* from, SceneView* to);
  [[nodiscard]] QString wordFor(const Baseline& baseline) const;

  Workspace* workspace_;
  Selection* selection_;
  Comparing* comparing_;
  SceneView* current_;
  Theme* theme_;
  Workspace* baseline_;            // what the view of the baseline shows
  Selection* baseline_selection_;  // follows the look of the open scene, chooses nothing there
  SceneView* view_ = nullptr;
  QSplitter* halves_;
  QStackedWidget* pages_;
  ElidedLabel *baseline_title_, *current_title_;
  QWidget *baseline_head_, *current_head_, *baseline_side_ = nullptr;
  QLabel* word_;
  QPushButton* button_;
  QString command_;
  bool beside_ = false, linking_ = false, joined_ = false;
};

}  // namespace spira::ui
