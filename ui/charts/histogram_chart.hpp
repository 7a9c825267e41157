// How the samples of one number, or of the same number in two runs, are distributed.
#pragma once

#include "ui/charts/plot_chart.hpp"

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

/// Edges of bins that all series share, ascending, by the rule of Freedman and Diaconis, 5 to 40 bins; empty:
/// no samples. `middle`: of the 5 % at either end what lies outside is left out.
[[nodiscard]] std::vector<double> histogram_edges(const std::vector<SampleSeries>& series, bool middle);
/// How many samples lie in each bin; those of the last edge in the last one.
[[nodiscard]] std::vector<double> histogram_counts(const std::vector<double>& ms,
                                                   const std::vector<double>& edges);

class HistogramChart : public PlotChart {
  Q_OBJECT
 public:
  explicit HistogramChart(Theme* theme, QWidget* parent = nullptr);

  /// Of two the first is the baseline: hatched, the other one filled.
  void setSeries(std::vector<SampleSeries> series);
  void setBaselineColour(int colour);  ///< of baselineColour()
  void setShares(bool shares);         ///< percent of each series instead of samples
  void setMiddle(bool middle);
  [[nodiscard]] const std::vector<SampleSeries>& series() const noexcept { return series_; }

  [[nodiscard]] QString name() const override { return "samples"; }
  [[nodiscard]] ChartText text() const override;
  [[nodiscard]] bool hasContent() const override;
  [[nodiscard]] std::vector<ChartKey> keys() const override;
  /// A row a bin.
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
