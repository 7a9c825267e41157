// The Roofline panel compares the arithmetic rate of each layer with the measured rates of the device.
#pragma once

#include "ui/panels/panel.hpp"

class QLabel;
class QPushButton;

namespace spira::ui {

class FollowedSelection;
class RooflineChart;

class RooflinePanel : public Panel {
  Q_OBJECT
 public:
  RooflinePanel(Workspace* workspace, Selection* selection, Theme* theme, QWidget* parent = nullptr);
  [[nodiscard]] RooflineChart* chart() const noexcept { return chart_; }
  /// Returns the sentence above the chart. It describes how the roofs (the rates of the device) were
  /// measured, or why the chart has no roofs.
  [[nodiscard]] QString headline() const;
  /// Returns the button that measures the rates of the device. The button is visible if the rates are missing
  /// and this machine can measure them.
  [[nodiscard]] QPushButton* measureRates() const noexcept { return measure_rates_; }

 private:
  void follow() override;
  [[nodiscard]] QString roofsText() const;

  FollowedSelection* shown_;
  QLabel* headline_;
  QPushButton* measure_rates_;
  RooflineChart* chart_;
};

}  // namespace spira::ui
