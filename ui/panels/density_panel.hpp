// The Density panel shows the densities of a kernel map by L1 norm, with the threshold t as a divider.
#pragma once

#include "ui/panels/panel.hpp"

class QCheckBox;
class QComboBox;
class QLabel;

namespace spira::ui {

class DensityChart;
class FollowedSelection;
class ThresholdBars;

class DensityPanel : public Panel {
  Q_OBJECT
 public:
  DensityPanel(Workspace* workspace, Selection* selection, Theme* theme, QWidget* parent = nullptr);
  [[nodiscard]] DensityChart* chart() const noexcept { return chart_; }
  /// Sets the densities of the selected voxels. The chart draws them over the densities of all voxels.
  /// `nullptr` removes them.
  void setSubset(std::shared_ptr<const Densities> subset);
  /// Sets the densities of the voxel map, which frame the bars of a native map. `nullptr` removes them.
  void setVoxels(std::shared_ptr<const Densities> voxels);
  [[nodiscard]] ThresholdBars* times() const noexcept { return times_; }
  /// Sets whether the map is missing and no job is building it.
  void setMapStopped(bool stopped);

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void follow() override;
  void fitHeight();
  void fillTitle();
  void followVoxel();
  void fillStrides();
  void connectModel();
  void followMap(const ShownMap& shown);
  void followSubset();
  void followTimes();
  void showTimes();

  FollowedSelection* shown_;
  QWidget *controls_, *switches_;  // See fitHeight().
  DensityChart* chart_;
  ThresholdBars* times_;
  QLabel* title_;
  QComboBox *stride_, *kernel_;
  QCheckBox* logarithmic_;
  std::shared_ptr<const Densities> subset_;
  bool map_stopped_ = false;
  bool brief_ = false;  // True if the title has only one line.
};

}  // namespace spira::ui
