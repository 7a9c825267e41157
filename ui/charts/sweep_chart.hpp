// Median with spread for each setting of a sweep.
#pragma once

#include "engine/tune/sweep.hpp"
#include "ui/charts/plot_chart.hpp"

#include <memory>
#include <set>

namespace spira::ui {

class SweepChart : public PlotChart {
  Q_OBJECT
 public:
  explicit SweepChart(Theme* theme, QWidget* parent = nullptr);
  /// `now`: the setting in use, marked; -1: none.
  void setSweep(std::shared_ptr<const Sweep> sweep, int now);
  /// Thresholds between which the offsets lie that are chosen: a band behind them.
  void setMarked(const std::set<int>& thresholds);
  [[nodiscard]] const std::set<int>& marked() const noexcept { return marked_; }

  [[nodiscard]] QString name() const override;
  [[nodiscard]] ChartText text() const override;
  [[nodiscard]] bool hasContent() const override;
  [[nodiscard]] ChartTable table() const override;
  [[nodiscard]] int rowAt(const QPointF& at) const override;
  [[nodiscard]] MeasuredSubject subjectOf(int row) const override;
  [[nodiscard]] std::unique_ptr<Chart> twin(Theme* theme) const override;

 private:
  void rebuild() override;
  void mark(int row, int now, double highest);

  std::shared_ptr<const Sweep> sweep_;
  int now_ = -1;
  std::set<int> marked_;
};

}  // namespace spira::ui
