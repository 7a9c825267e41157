// How the samples of one number, or of the same number in two runs, are distributed.
#pragma once

#include <QString>
#include <QWidget>

#include <optional>
#include <utility>
#include <vector>

class QCustomPlot;

namespace spira::ui {

class Theme;

struct SampleSeries {
  QString name;
  std::vector<double> ms;
};

/// Edges of bins that all series share, ascending, by the rule of Freedman and Diaconis, 5 to 40 bins; empty:
/// no samples. `middle`: of the 5 % at either end what lies outside is left out.
[[nodiscard]] std::vector<double> histogram_edges(const std::vector<SampleSeries>& series, bool middle);
/// How many samples lie in each bin; those of the last edge in the last one.
[[nodiscard]] std::vector<double> histogram_counts(const std::vector<double>& ms,
                                                   const std::vector<double>& edges);

class HistogramChart : public QWidget {
  Q_OBJECT
 public:
  explicit HistogramChart(Theme* theme, QWidget* parent = nullptr);

  /// Of two the first is the baseline: hatched, the other one filled.
  void setSeries(std::vector<SampleSeries> series);
  void setShares(bool shares);  ///< percent of each series instead of samples
  void setMiddle(bool middle);
  [[nodiscard]] const std::vector<SampleSeries>& series() const noexcept { return series_; }

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void rebuild();
  double addBars(std::size_t at, const std::vector<double>& edges);
  void addMedian(std::size_t at, double highest);

  Theme* theme_;
  QCustomPlot* plot_;
  std::vector<SampleSeries> series_;
  bool shares_ = false, middle_ = false;
};

}  // namespace spira::ui
