// The Colour panel: colour map and range of the 3D view, and the classes with their visibility.
#pragma once

#include "ui/model/class_labels.hpp"
#include "ui/panels/panel.hpp"
#include "ui/view3d/voxels/voxel_colours.hpp"

class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QTreeWidget;
class QTreeWidgetItem;

namespace spira::ui {

class ColourPanel : public Panel {
  Q_OBJECT
 public:
  ColourPanel(Workspace* workspace, Selection* selection, Theme* theme, QWidget* parent = nullptr);
  void setLegend(const ColourLegend& legend);  ///< Sets the legend of the current picture.

 private:
  void makeRange();
  void makeClasses();
  void follow() override;
  void followClasses();
  void takeRange();
  void takeClass(QTreeWidgetItem* item);
  void solo(QTreeWidgetItem* item);

  ColourLegend legend_;
  ClassSolo solo_;
  QLabel* title_;
  QWidget *amounts_, *labels_, *hiding_ = nullptr;  // `hiding_` holds the buttons that hide classes.
  QComboBox *maps_, *ranges_;
  QDoubleSpinBox *low_, *high_;
  QTreeWidget* classes_;
};

}  // namespace spira::ui
