// Median with spread for each setting of a sweep.
#pragma once

#include "engine/tune/sweep.hpp"
#include "ui/charts/chart.hpp"

#include <QSize>

#include <memory>
#include <set>

class QCustomPlot;

namespace spira::ui {

class Theme;

class SweepChart : public Chart {
  Q_OBJECT
 public:
  explicit SweepChart(Theme* theme, QWidget* parent = nullptr);
  /// `now`: the setting in use, marked; -1: none.
  void setSweep(std::shared_ptr<const Sweep> sweep, int now);
  /// Thresholds between which the offsets lie that are chosen: a band behind them.
  void setMarked(const std::set<int>& thresholds);
  [[nodiscard]] const std::set<int>& marked() const noexcept { return marked_; }
  [[nodiscard]] MeasuredSubject subjectOf(int row) const;

  [[nodiscard]] QString name() const override;
  [[nodiscard]] ChartText text() const override;
  [[nodiscard]] bool hasContent() const override;
  [[nodiscard]] MeasuredSubject subjectAt(const QPointF& at) const override;
  [[nodiscard]] std::unique_ptr<Chart> twin(Theme* theme) const override;
  void paintChart(QCPPainter& painter) override;
  void restyle() override;

 private:
  void rebuild();
  void mark(int row, int now, double highest);
  bool eventFilter(QObject* watched, QEvent* event) override;

  Theme* theme_;
  QCustomPlot* plot_;
  std::shared_ptr<const Sweep> sweep_;
  int now_ = -1;
  std::set<int> marked_;
  QSize room_;  ///< of the plot
};

}  // namespace spira::ui
