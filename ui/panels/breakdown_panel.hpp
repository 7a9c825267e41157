// Where the time goes: stacked stages a layer, with their sum and the wall time.
#pragma once

#include "ui/panels/panel.hpp"

class QLabel;

namespace spira::ui {

class StageChart;

class BreakdownPanel : public Panel {
  Q_OBJECT
 public:
  BreakdownPanel(Workspace* workspace, Selection* selection, Theme* theme, QWidget* parent = nullptr);
  [[nodiscard]] QString headline() const;
  [[nodiscard]] StageChart* chart() const noexcept { return chart_; }

 private:
  void follow();
  void tint();

  QLabel* headline_;
  StageChart* chart_;
};

}  // namespace spira::ui
