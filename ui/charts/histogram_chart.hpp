// Histogram of the samples of one measurement, or of the same measurement in two runs.
#pragma once

#include "ui/charts/chart.hpp"

#include <QString>

#include <cstddef>
#include <optional>
#include <vector>

namespace spira::ui {

struct SampleSeries {
  QString name;
  std::vector<double> ms;
  std::optional<std::size_t> peak_bytes = {};
};

/// Returns the ascending bin edges that all series share: 5 to 40 bins by the Freedman-Diaconis rule. Returns
/// an empty list if there are no samples. If `middle` is true, the bins exclude the lowest and the highest 5
/// % of the samples.
[[nodiscard]] std::vector<double> histogram_edges(const std::vector<SampleSeries>& series, bool middle);
/// Counts the samples in each bin. The last bin includes its upper edge.
[[nodiscard]] std::vector<double> histogram_counts(const std::vector<double>& ms,
                                                   const std::vector<double>& edges);

class HistogramChart : public PlotChart {
  Q_OBJECT
 public:
  explicit HistogramChart(Theme* theme, QWidget* parent = nullptr);

  /// If there are two series, the first is the baseline and is hatched; the other is filled.
  void setSeries(std::vector<SampleSeries> series);
  void setBaselineColour(int colour);  ///< `colour` is the index that baselineColour() expects.
  void setShares(bool shares);         ///< Shows the percentage of each series instead of counts.
  void setMiddle(bool middle);
  [[nodiscard]] const std::vector<SampleSeries>& series() const noexcept { return series_; }

  [[nodiscard]] QString name() const override { return "samples"; }
  [[nodiscard]] ChartText text() const override;
  [[nodiscard]] bool hasContent() const override;
  [[nodiscard]] std::vector<LegendEntry> legendEntries() const override;
  /// The table has one row per bin.
  [[nodiscard]] ChartTable table() const override;
  [[nodiscard]] int rowAt(const QPointF& at) const override;
  [[nodiscard]] MeasuredSubject subjectOf(int /*row*/) const override { return {}; }
  [[nodiscard]] std::unique_ptr<Chart> twin(Theme* theme) const override;

 private:
  void rebuild() override;
  [[nodiscard]] QColor colourOf(std::size_t at) const;
  [[nodiscard]] double scaleOf(const SampleSeries& one) const;
  double addBars(std::size_t at, const std::vector<double>& edges);
  void addMedian(std::size_t at, double highest);
  void labelTimes(const std::vector<double>& edges);

  std::vector<SampleSeries> series_;
  bool shares_ = false, middle_ = false;
  int baseline_colour_ = 0;
};

}  // namespace spira::ui
