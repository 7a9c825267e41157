// The network as a list of layers with their times and thresholds.
#pragma once

#include "ui/panels/panel.hpp"

class QLabel;
class QTableView;

namespace spira::ui {

class LayerTableModel;

class NetworkPanel : public Panel {
  Q_OBJECT
 public:
  NetworkPanel(Workspace* workspace, Selection* selection, Theme* theme, QWidget* parent = nullptr);
  [[nodiscard]] QTableView* table() const noexcept { return table_; }

 protected:
  void resizeEvent(QResizeEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void follow() override;
  void makeRoomForNames();

  LayerTableModel* model_;
  QTableView* table_;
  QLabel* title_;
  int delegate_layer_ = -1;  // under the pointer in some view
  int bar_width_ = 40;       // beside the time
};

}  // namespace spira::ui
