// The Rows panel shows a kernel map as a picture: in natural order and with its outputs sorted by mask, as in
// TorchSparse++. It also shows how many slots each order multiplies.
#pragma once

#include "ui/charts/rows_chart.hpp"
#include "ui/jobs/tasks.hpp"
#include "ui/panels/panel.hpp"

#include <cstdint>
#include <memory>
#include <vector>

class QButtonGroup;
class QComboBox;
class QLabel;

namespace spira::ui {

class FollowedSelection;

class RowsPanel : public Panel {
  Q_OBJECT
 public:
  RowsPanel(Tasks& tasks, Workspace* workspace, Selection* selection, Theme* theme,
            QWidget* parent = nullptr);
  [[nodiscard]] RowsChart* chart() const noexcept { return chart_; }
  [[nodiscard]] QString headline() const;
  [[nodiscard]] QButtonGroup* splits() const noexcept { return splits_; }
  [[nodiscard]] QComboBox* tile() const noexcept { return tile_; }
  [[nodiscard]] bool busy() const { return counting_.busy() || marking_.busy(); }

 signals:
  /// Emitted after a click on a line of a picture. `rows` are the outputs of the line in the level of
  /// `stride`, in ascending order.
  void voxelsWanted(int stride, const std::vector<std::int32_t>& rows);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void makeHead();
  void connectModel();
  void follow() override;
  void count();
  void showHeadline();
  [[nodiscard]] QString costText() const;
  void followVoxel();
  void chooseLine(bool sorted, int line, int column);

  FollowedSelection* shown_;
  QLabel *headline_, *cost_;
  QButtonGroup* splits_;
  QComboBox* tile_;
  RowsChart* chart_;
  /// The map and the settings of the facts in the chart, or of the running task.
  struct Wanted {
    std::shared_ptr<const KernelMap> map;
    RowSorting sorting;
    bool operator==(const Wanted&) const = default;
  } wanted_;
  int stride_out_ = 1;
  TaskSlot marking_, counting_;
};

}  // namespace spira::ui
