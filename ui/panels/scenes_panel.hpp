// What can be opened and what is open: scene, frames, built-in scenes, recent files; voxel size and packing.
#pragma once

#include "ui/model/view_parts.hpp"
#include "ui/panels/panel.hpp"
#include "ui/settings/recent_files.hpp"

#include <map>
#include <vector>

class QComboBox;
class QLabel;
class QLineEdit;
class QMenu;
class QTreeWidget;
class QTreeWidgetItem;

namespace spira::ui {

class FitMeter;
class ViewPartItems;

class ScenesPanel : public Panel {
  Q_OBJECT
 public:
  ScenesPanel(Workspace* workspace, Selection* selection, ViewParts* parts, Theme* theme,
              QWidget* parent = nullptr);
  void setRecent(const std::vector<RecentFile>& files);  ///< missing ones are greyed
  [[nodiscard]] QLineEdit* gridEdit() const noexcept { return grid_; }
  [[nodiscard]] QComboBox* packBox() const noexcept { return pack_; }
  [[nodiscard]] FitMeter* fitMeter() const noexcept { return fit_; }
  [[nodiscard]] QTreeWidget* tree() const noexcept { return tree_; }
  /// The current row of the tree has an eye; empty: it has. Then it can be hidden, shown and shown alone.
  [[nodiscard]] QString whyNoPart() const;
  void togglePart();
  void togglePartAlone();

 signals:
  void openRequested(const QString& scene);
  void frameRequested(int frame);
  void voxelizeRequested();                             ///< grid or packing were changed
  void pinRequested(const QString& file, bool pinned);  ///< of a recent file
  void forgetRequested(const QString& file);
  void partChosen();  ///< the current row is another one

 private:
  void follow() override;
  void forget();
  [[nodiscard]] int placeBeforeFrames() const;
  void addScene();
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

  QTreeWidget* tree_;
  ViewPartItems* parts_;
  QLineEdit* grid_;
  QComboBox* pack_;
  FitMeter* fit_;
  QLabel* notes_;
  QLabel* fault_;
  std::vector<RecentFile> recent_;
  /// As it was before the tree was made anew: what was folded, and whose list it was of frames.
  std::map<QString, bool> open_;
  FileList frames_;
  QTreeWidgetItem* sequence_ =
      nullptr;  ///< Holds the rows of `frames_`; stays in the tree while the list is the same.
  int scrolled_ = 0;
  bool in_frames_ = false;  ///< the current row
};

}  // namespace spira::ui
