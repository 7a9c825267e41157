// The Scenes panel lists the open scene, its frames, built-in scenes and recent files. It also sets voxel
// size and packing.
#pragma once

#include "ui/model/view_parts.hpp"
#include "ui/panels/panel.hpp"
#include "ui/settings/recent_files.hpp"

#include <map>
#include <vector>

class QComboBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QMenu;
class QTreeWidget;
class QTreeWidgetItem;

namespace spira {
struct RelationChoice;
}

namespace spira::ui {

class FitMeter;
class RelationForm;
class ViewPartItems;

class ScenesPanel : public Panel {
  Q_OBJECT
 public:
  ScenesPanel(Workspace* workspace, Selection* selection, ViewParts* parts, Theme* theme,
              QWidget* parent = nullptr);
  /// Lists recent files. The rows of missing files are grey.
  void setRecent(const std::vector<RecentFile>& files);
  [[nodiscard]] FitMeter* fitMeter() const noexcept { return fit_; }
  [[nodiscard]] QTreeWidget* tree() const noexcept { return tree_; }
  /// Returns why the current row of the tree cannot be hidden or shown. Returns an empty string if the row
  /// has an eye icon.
  [[nodiscard]] QString whyNoPart() const;
  void togglePart();
  void togglePartAlone();

 signals:
  void openRequested(const QString& scene);
  void frameRequested(int frame);
  void voxelizeRequested();  ///< Emitted after the user changed the grid or the packing.
  void automaticPackRequested();
  void relationsRequested(const spira::RelationChoice& choice);  ///< See RelationForm.
  /// Emitted after the user pinned or unpinned a recent file.
  void pinRequested(const QString& file, bool pinned);
  void forgetRequested(const QString& file);
  void partChosen();  ///< Emitted after the current row changed.

 private:
  void follow() override;
  void forget();
  [[nodiscard]] int placeBeforeFrames() const;
  void addScene();
  void addBatch();
  void addReport();
  void addBuiltIn();
  void addFrames();
  void makeFrames();
  void selectFrame();
  void spanRows();
  void unfold(QTreeWidgetItem* item, const QString& group);
  void addRecent();
  void connectTree();
  void showMenu(const QPoint& at);
  void fillRecentMenu(QMenu* menu, const QTreeWidgetItem* item);
  void followNotes();
  void followRequest();
  void takeGrid();
  void takePack();
  void takeRefused();
  void makeForm(QFormLayout* form);

  QTreeWidget* tree_;
  ViewPartItems* parts_;
  QLineEdit* grid_;
  QComboBox* pack_;
  QFormLayout* form_;
  RelationForm* relations_;
  FitMeter* fit_;
  QLabel* notes_;
  QLabel* fault_;
  std::vector<RecentFile> recent_;
  /// Stores which groups are expanded while the panel fills the tree again.
  std::map<QString, bool> open_;
  FileList frames_;
  /// Parent of the rows of `frames_`. This row stays in the tree as long as the list of frames does not
  /// change.
  QTreeWidgetItem* sequence_ = nullptr;
  int scrolled_ = 0;
  bool in_frames_ = false;  ///< True if the current row is a frame.
};

}  // namespace spira::ui
