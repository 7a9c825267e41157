// Shows the samples of a measured number. It has a selector for the stage, the statistics and a histogram.
#pragma once

#include "engine/job/stage_tree.hpp"
#include "ui/charts/histogram_chart.hpp"

#include <QWidget>

#include <vector>

class QComboBox;
class QLabel;

namespace spira::ui {

class SamplesPane : public QWidget {
  Q_OBJECT
 public:
  explicit SamplesPane(Theme* theme, QWidget* parent = nullptr);
  /// Shows the first series and offers the others in the selector. `title` names the subject of all series.
  void setSeries(const QString& title, std::vector<SampleSeries> series);
  [[nodiscard]] QString text() const;
  [[nodiscard]] QComboBox* stages() const noexcept { return stages_; }

 signals:
  void closeRequested();

 private:
  void showSeries(int index);

  QLabel *title_, *text_;
  QComboBox* stages_;
  HistogramChart* histogram_;
  std::vector<SampleSeries> series_;
};

/// Returns one series of samples for each stage, named by the path of the stage. If there are several
/// top-level stages, the first series contains the sum of these stages for each repetition.
[[nodiscard]] std::vector<SampleSeries> samples_of(const StageTree& stages);

}  // namespace spira::ui
