// The first rows of the Summary panel: the total time of the run, its slowest layers, and the time of each
// kind of stage.
#pragma once

#include "ui/model/measured/measured_subject.hpp"
#include "ui/panels/profile/run_times.hpp"
#include "ui/theme/theme.hpp"

#include <QWidget>

#include <optional>

class QLabel;
class QTableWidget;

namespace spira::ui {

/// A row of the Summary panel.
struct SummaryLine {
  QString name, value;  ///< For example "wall time" and "2.702 ms, median of 30, IQR 0.049 ms".
  QString number;       ///< For example "2.702 ms". Empty if the row has no number.
  MeasuredSubject subject;
};

class RunOverview : public QWidget {
  Q_OBJECT
 public:
  RunOverview(Workspace* workspace, Theme* theme, QWidget* parent = nullptr);
  /// Shows the times of the Workspace. Before the first run, tells the user how to get them.
  void follow();
  [[nodiscard]] QLabel* total() const noexcept { return total_; }
  [[nodiscard]] QTableWidget* slowest() const noexcept { return slowest_; }
  [[nodiscard]] QTableWidget* stages() const noexcept { return stages_; }
  [[nodiscard]] int layerAt(int row) const;  ///< Returns the layer of a row of slowest(), or -1.
  /// Returns a row of slowest(), or an empty value if there is no such row.
  [[nodiscard]] std::optional<SummaryLine> lineAt(int row) const;

 signals:
  void layerWanted(int layer);                ///< Emitted when the user clicks on the name of a layer.
  void samplesWanted(int layer);              ///< Emitted when the user clicks on the time of a layer.
  void wallSamplesWanted(bool graph);         ///< Emitted when the user clicks on the total time.
  void stageWanted(spira::StageGroup stage);  ///< Emitted when the user clicks on a kind of stage.

 private:
  [[nodiscard]] QString totalHtml(const RunTimes& times) const;
  void fillSlowest(const RunTimes& times);
  void fillStages(const RunTimes& times);

  Workspace* workspace_;
  Theme* theme_;
  QLabel* total_;
  QLabel *slowest_title_, *stages_title_;
  QTableWidget *slowest_, *stages_;
};

}  // namespace spira::ui
