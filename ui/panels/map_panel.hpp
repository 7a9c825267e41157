// The Map panel shows a kernel map as a table with one row per output and one column per offset. It has
// filters, and it follows and changes the selected voxel and offsets.
#pragma once

#include "ui/jobs/tasks.hpp"
#include "ui/model/measured/measured_here.hpp"
#include "ui/model/tables/map_table_model.hpp"
#include "ui/panels/panel.hpp"

class QComboBox;
class QLabel;
class QTableView;

namespace spira::ui {

class FollowedSelection;

class MapPanel : public Panel {
  Q_OBJECT
 public:
  MapPanel(Tasks& tasks, Workspace* workspace, Selection* selection, Theme* theme, QWidget* parent = nullptr);
  [[nodiscard]] QTableView* table() const noexcept { return table_; }
  [[nodiscard]] QComboBox* rows() const noexcept { return rows_; }
  /// Returns the subject (layer or scene) that all numbers of this panel describe.
  [[nodiscard]] MeasuredSubject subject() const;
  /// Sets whether the map is missing and no job is building it.
  void setMapStopped(bool stopped);
  [[nodiscard]] bool busy() const { return task_.busy(); }

 private:
  void makeTable();
  void follow() override;
  void filter();
  void followRows();
  void tint();
  [[nodiscard]] MapRows wantedRows() const;
  void showTitle();
  void followVoxel();
  void chooseRow();

  FollowedSelection* shown_;
  MapTableModel* model_;
  QLabel* title_;
  QComboBox* rows_;
  QTableView* table_;
  bool map_stopped_ = false;
  int stride_out_ = 1;
  TaskSlot task_;
};

}  // namespace spira::ui
