// The densities of the shown kernel map by L1 norm, with the threshold as a divider.
#pragma once

#include "ui/panels/panel.hpp"

class QCheckBox;
class QComboBox;
class QLabel;
class QTableWidget;

namespace spira::ui {

class DensityChart;

class DensityPanel : public Panel {
  Q_OBJECT
 public:
  DensityPanel(Workspace* workspace, Selection* selection, Theme* theme, QWidget* parent = nullptr);
  [[nodiscard]] DensityChart* chart() const noexcept { return chart_; }

 private:
  void follow();
  void fillTable();

  DensityChart* chart_;
  QLabel* title_;
  QComboBox* kernel_;
  QCheckBox *logarithmic_, *as_table_;
  QTableWidget* table_;
};

}  // namespace spira::ui
