// The Graph panel shows the network as a graph of layers, colours them by time or voxels, and finds layers by
// name.
#pragma once

#include "ui/panels/panel.hpp"

#include <memory>

class QComboBox;
class QLabel;
class QLineEdit;

namespace spira::ui {

class GraphChart;
class LayerTableModel;

class GraphPanel : public Panel {
  Q_OBJECT
 public:
  /// `layers` must outlive the panel.
  GraphPanel(Workspace* workspace, Selection* selection, Theme* theme, const LayerTableModel* layers,
             QWidget* parent = nullptr);
  [[nodiscard]] GraphChart* chart() const noexcept { return chart_; }

 signals:
  void skippedLayerClicked(const QString& name);  ///< Emitted for a layer that does not run.

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void makeTools();
  void follow() override;
  void followSearch();
  /// Selects the first match after the selected layer, or before it if `step` is -1.
  void nextMatch(int step);
  [[nodiscard]] QString tipOf(int layer) const;

  const LayerTableModel* layers_;
  QLineEdit* search_;
  QLabel* found_;
  QComboBox* colour_;
  GraphChart* chart_;
  std::shared_ptr<const Network> network_;  // The network that the chart shows.
};

}  // namespace spira::ui
