// What can be opened and what is open: scene, frames, built-in scenes, recent files; voxel size and packing.
#pragma once

#include "ui/panels/panel.hpp"
#include "ui/settings/recent_files.hpp"

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QTreeWidget;
class QTreeWidgetItem;

namespace spira::ui {

class ScenesPanel : public Panel {
  Q_OBJECT
 public:
  ScenesPanel(Workspace* workspace, Selection* selection, Theme* theme, QWidget* parent = nullptr);
  void setRecent(const std::vector<RecentFile>& files);  ///< missing ones are greyed
  [[nodiscard]] QLineEdit* gridEdit() const noexcept { return grid_; }
  [[nodiscard]] QComboBox* packBox() const noexcept { return pack_; }

 signals:
  void openRequested(const QString& scene);
  void frameRequested(int frame);
  void voxelizeRequested();                             ///< grid or packing were changed
  void pastRequested(const spira::PackSpec& pack);      ///< show the voxels that keep it from fitting
  void pinRequested(const QString& file, bool pinned);  ///< of a recent file
  void forgetRequested(const QString& file);

 private:
  void follow() override;
  void addRecent();
  void showRecentMenu(const QPoint& at);
  void followRequest();
  void followFit();
  void takeGrid();
  void takePack();

  QTreeWidget* tree_;
  QLineEdit* grid_;
  QComboBox* pack_;
  QLabel *fit_, *fault_;
  QPushButton* past_;
  PackSpec refused_;  // that did not fit
  std::vector<RecentFile> recent_;
};

}  // namespace spira::ui
