// The Network panel lists the layers with their times and thresholds.
#pragma once

#include "ui/panels/panel.hpp"

#include <QFont>

class QLabel;
class QTableView;

namespace spira::ui {

class LayerOrder;
class LayerTableModel;
class SamplesPane;

class NetworkPanel : public Panel {
  Q_OBJECT
 public:
  NetworkPanel(Workspace* workspace, Selection* selection, Theme* theme, QWidget* parent = nullptr);
  [[nodiscard]] QTableView* table() const noexcept { return table_; }
  [[nodiscard]] SamplesPane* samples() const noexcept { return samples_; }

 protected:
  void resizeEvent(QResizeEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void follow() override;
  void measureNames();
  void makeRoomForNames();
  void makeTable();
  void showSamples(int layer);

  LayerTableModel* model_;
  LayerOrder* order_;
  QTableView* table_;
  QLabel* title_;
  SamplesPane* samples_;
  int delegate_layer_ = -1;                  // Layer under the pointer in any view.
  int bar_width_ = 40;                       // Width of the bar next to the time, in pixels.
  int longest_name_ = 0;                     // Width of the longest full name, in pixels.
  std::shared_ptr<const Network> names_of_;  ///< The network whose names were measured with names_font_.
  QFont names_font_;
  int longest_short_ = 0;
};

}  // namespace spira::ui
