// Median with spread for each setting of a sweep, before the parts of isolated passes.
#pragma once

#include "engine/tune/sweep.hpp"
#include "ui/charts/plot_chart.hpp"
#include "ui/charts/sweep_parts.hpp"

#include <memory>
#include <set>
#include <vector>

namespace spira::ui {

class SweepChart : public PlotChart {
  Q_OBJECT
 public:
  explicit SweepChart(Theme* theme, QWidget* parent = nullptr);
  /// `now`: the setting in use, marked; -1: none.
  void setSweep(std::shared_ptr<const Sweep> sweep, int now);
  /// The t that the tuning profile has for what was swept; -1: none.
  void setTuned(int threshold);
  /// Returns the parts of a row, in ms; together they are the median of the row.
  [[nodiscard]] const SweepParts& parts(std::size_t row) const { return parts_.at(row); }
  [[nodiscard]] int tuned() const noexcept { return tuned_; }
  /// The sweep of the run that is compared with, as a curve over the bars; null: none.
  void setBaseline(std::shared_ptr<const Sweep> sweep);
  /// Thresholds between which the offsets lie that are chosen: a band behind them.
  void setMarked(const std::set<int>& thresholds);
  [[nodiscard]] const std::set<int>& marked() const noexcept { return marked_; }
  /// A line at the t that is tried, with its name; -1: none is.
  void setTried(int threshold);
  /// The row that the line stands at; -1: there is none.
  [[nodiscard]] int triedRow() const;

  [[nodiscard]] const std::shared_ptr<const Sweep>& sweep() const noexcept { return sweep_; }

  [[nodiscard]] QString name() const override;
  [[nodiscard]] ChartText text() const override;
  [[nodiscard]] bool hasContent() const override;
  [[nodiscard]] std::vector<ChartKey> keys() const override;
  [[nodiscard]] ChartTable table() const override;
  [[nodiscard]] int rowAt(const QPointF& at) const override;
  [[nodiscard]] MeasuredSubject subjectOf(int row) const override;
  [[nodiscard]] std::unique_ptr<Chart> twin(Theme* theme) const override;

 signals:
  void rowClicked(int row);

 protected:
  void mousePressEvent(QMouseEvent* event) override;
  void chooseRow(int row) override;

 private:
  void rebuild() override;
  [[nodiscard]] bool narrow() const;  ///< the legend has to save room
  [[nodiscard]] static SweepParts partsOfMedian(const SweepRow& row);
  double addParts();  ///< the highest pile
  double addMedians();
  void addMarks(double highest);
  void markStanding(int row, double highest);
  [[nodiscard]] int rowOf(int threshold) const;  ///< -1: there is none
  [[nodiscard]] QString marksOf(int row) const;
  [[nodiscard]] QString labelOf(int row) const;
  [[nodiscard]] bool occurs(std::size_t part) const;
  double addBaseline();  ///< its highest value
  void addCursor();
  /// Of the setting of a row of the open sweep; null: it was not measured then.
  [[nodiscard]] const SweepRow* before(const SweepRow& row) const;

  std::shared_ptr<const Sweep> sweep_, baseline_;
  int now_ = -1, tried_ = -1, tuned_ = -1;
  std::vector<SweepParts> parts_;  // one a row of the sweep
  std::set<int> marked_;
};

}  // namespace spira::ui
