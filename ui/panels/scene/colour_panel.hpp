// The Colour panel contains the colour map and range of the 3D view, and the classes with their visibility.
#pragma once

#include "ui/model/class_labels.hpp"
#include "ui/panels/panel.hpp"
#include "ui/view3d/voxels/voxel_colours.hpp"

class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QSlider;
class QTreeWidget;
class QTreeWidgetItem;

namespace spira::ui {

class RangeHistogram;

class ColourPanel : public Panel {
  Q_OBJECT
 public:
  ColourPanel(Workspace* workspace, Selection* selection, Theme* theme, QWidget* parent = nullptr);
  /// Sets the legend that describes the current picture of the 3D view.
  void setLegend(const ColourLegend& legend);

 private:
  void makeRange();
  void makeClasses();
  void follow() override;
  void followClasses();
  void makePoints();
  void takeRange();
  void takeRange(double low, double high);
  void takeClass(QTreeWidgetItem* item);
  void solo(QTreeWidgetItem* item);

  ColourLegend legend_;
  ClassSolo solo_;
  QLabel* title_;
  // `hiding_` contains the buttons that hide or show all classes at once.
  QWidget *amounts_, *labels_, *hiding_ = nullptr;
  QComboBox *maps_, *ranges_;
  QDoubleSpinBox *low_, *high_;
  RangeHistogram* histogram_;
  QLabel* facts_;
  QWidget* points_;
  QTreeWidget* classes_;
};

}  // namespace spira::ui
