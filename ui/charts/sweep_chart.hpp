// Median and spread of each setting of a sweep, drawn over bars with the parts of isolated passes.
#pragma once

#include "engine/job/stage_names.hpp"
#include "engine/job/stage_tree.hpp"
#include "engine/tune/sweep.hpp"
#include "ui/charts/plot_chart.hpp"

#include <QString>

#include <array>
#include <memory>
#include <set>
#include <vector>

namespace spira::ui {

/// Parts from the bottom of a bar to its top. Each group also selects the colour of its part.
inline constexpr std::array sweep_part_groups{StageGroup::downsample, StageGroup::search,
                                              StageGroup::output_stationary, StageGroup::weight_stationary,
                                              StageGroup::other};
/// Times in ms, in the order of sweep_part_groups.
using SweepParts = std::array<double, sweep_part_groups.size()>;

/// Returns the time of each part. All times are 0 if `stages` is empty.
[[nodiscard]] SweepParts sweep_parts(const StageTree& stages);
/// Returns "levels", "maps", "output-stationary", ...; abbreviates to "OS" and "WS" if `shortly` is true.
[[nodiscard]] QString sweepPartText(StageGroup group, bool shortly);
/// Returns the sample counts of the medians and of the parts, for example "n = 30 each; parts: one isolated
/// pass".
[[nodiscard]] QString sweepSamplesText(const Sweep& sweep);

class SweepChart : public PlotChart {
  Q_OBJECT
 public:
  explicit SweepChart(Theme* theme, QWidget* parent = nullptr);
  /// `now` is the row of the setting in use, which the chart marks; -1 if there is none.
  void setSweep(std::shared_ptr<const Sweep> sweep, int now);
  /// Sets the t of the tuning profile for the swept layer; -1 if none.
  void setTuned(int threshold);
  /// Returns the parts of a row, in ms. Their sum is the median of the row.
  [[nodiscard]] const SweepParts& parts(std::size_t row) const { return parts_.at(row); }
  [[nodiscard]] int tuned() const noexcept { return tuned_; }
  /// Draws the sweep of the baseline run as a curve over the bars. Null removes it.
  void setBaseline(std::shared_ptr<const Sweep> sweep);
  /// Draws a frame around the rows of these thresholds. The dataflow of a chosen offset changes between two
  /// of them.
  void setMarked(const std::set<int>& thresholds);
  [[nodiscard]] const std::set<int>& marked() const noexcept { return marked_; }
  /// Draws a labelled line at the t that the user tries; -1 removes it.
  void setTried(int threshold);
  /// Returns the row of the line that setTried() drew, or -1 if there is none.
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
  [[nodiscard]] bool narrow() const;  ///< Returns true if the legend must be short.
  [[nodiscard]] static SweepParts partsOfMedian(const SweepRow& row);
  double addParts();  ///< Returns the height of the highest bar.
  double addMedians();
  void addMarks(double highest);
  void markStanding(int row, double highest);
  [[nodiscard]] int rowOf(int threshold) const;  ///< Returns -1 if no row has this threshold.
  [[nodiscard]] QString marksOf(int row) const;
  [[nodiscard]] QString labelOf(int row) const;
  [[nodiscard]] bool occurs(std::size_t part) const;
  double addBaseline();  ///< Returns the highest time of the baseline.
  void addCursor();
  /// Returns the baseline row with the same setting, or `nullptr` if it was not measured there.
  [[nodiscard]] const SweepRow* before(const SweepRow& row) const;

  std::shared_ptr<const Sweep> sweep_, baseline_;
  int now_ = -1, tried_ = -1, tuned_ = -1;
  std::vector<SweepParts> parts_;  // One per row of the sweep.
  std::set<int> marked_;
};

}  // namespace spira::ui
