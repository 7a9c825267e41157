// Chart of a sweep. For each setting, it shows the median time and the spread of the samples. Behind them, a
// stacked bar divides the median among groups of stages. The proportions come from isolated passes.
#pragma once

#include "engine/job/stage_tree.hpp"
#include "engine/tune/sweep.hpp"
#include "ui/charts/chart.hpp"

#include <QString>

#include <array>
#include <memory>
#include <set>
#include <vector>

namespace spira::ui {

/// The stage groups of the parts of a bar, from bottom to top. Each group also defines the colour of its
/// part.
inline constexpr std::array sweep_part_groups{
    StageGroup::downsample,        StageGroup::search, StageGroup::order, StageGroup::output_stationary,
    StageGroup::weight_stationary, StageGroup::other};
/// Times in ms, in the order of sweep_part_groups.
using SweepParts = std::array<double, sweep_part_groups.size()>;

/// Returns the time of each part. All times are 0 if `stages` is empty.
[[nodiscard]] SweepParts sweep_parts(const StageTree& stages);
/// Returns the name of a part, for example "levels", "maps" or "output-stationary". If `shortly` is true, the
/// names of the dataflows are "OS" and "WS".
[[nodiscard]] QString sweepPartText(StageGroup group, bool shortly);
/// Returns the sample counts of the medians and of the parts, for example "n = 30 each; bar parts: one
/// isolated pass".
[[nodiscard]] QString sweepSamplesText(const Sweep& sweep);

/// Returns the setting of a row, such as "t = 2", "t = max (4)", "mask-sorted, 2 splits" or "12/12/8".
[[nodiscard]] QString sweepRowText(const Sweep& sweep, const SweepRow& row);

/// Returns a text that names the subject of a sweep and what the times of a layer contain. `network` may be
/// `nullptr`.
[[nodiscard]] QString sweepSubjectText(const Sweep& sweep, const Network* network);

class SweepChart : public PlotChart {
  Q_OBJECT
 public:
  explicit SweepChart(Theme* theme, QWidget* parent = nullptr);
  /// Sets the sweep. `now` is the row of the current setting, which the chart highlights; -1 if no row has
  /// the current setting.
  void setSweep(std::shared_ptr<const Sweep> sweep, int now);
  /// Sets the t that the tuning profile contains for the swept layer; -1 if there is none.
  void setTuned(int threshold);
  /// Returns the parts of a row, in ms. Their sum is the median of the row.
  [[nodiscard]] const SweepParts& parts(std::size_t row) const { return parts_.at(row); }
  [[nodiscard]] int tuned() const noexcept { return tuned_; }
  /// Draws the sweep of the baseline run as a curve over the bars. `nullptr` removes the curve.
  void setBaseline(std::shared_ptr<const Sweep> sweep);
  /// Draws a frame around the rows of these thresholds. The dataflow of a selected offset changes between two
  /// of these thresholds.
  void setMarked(const std::set<int>& thresholds);
  [[nodiscard]] const std::set<int>& marked() const noexcept { return marked_; }
  /// Draws a labelled line at the t that the user tries; -1 removes the line.
  void setTried(int threshold);
  /// Returns the row of the line that setTried() drew, or -1 if no line is drawn.
  [[nodiscard]] int triedRow() const;

  [[nodiscard]] const std::shared_ptr<const Sweep>& sweep() const noexcept { return sweep_; }

  [[nodiscard]] QString name() const override;
  [[nodiscard]] ChartText text() const override;
  [[nodiscard]] bool hasContent() const override;
  [[nodiscard]] std::vector<LegendEntry> legendEntries() const override;
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
  double addParts();  ///< Draws the parts. Returns the height of the highest bar, in ms.
  double addMedians();
  void addMarks(double highest);
  /// Draws the slots per pair of each row on the right axis. Hides the axis if no row has them.
  void addRedundancy();
  void markStanding(int row, double highest);
  /// Returns the row with this threshold, or -1 if there is none.
  [[nodiscard]] int rowOf(int threshold) const;
  [[nodiscard]] QString marksOf(int row) const;
  [[nodiscard]] QString labelOf(int row) const;
  [[nodiscard]] bool occurs(std::size_t part) const;
  double addBaseline();  ///< Draws the baseline. Returns the largest third quartile, in ms.
  void addCursor();
  /// Returns the baseline row with the same setting, or `nullptr` if the baseline did not measure this
  /// setting.
  [[nodiscard]] const SweepRow* before(const SweepRow& row) const;

  std::shared_ptr<const Sweep> sweep_, baseline_;
  int now_ = -1, tried_ = -1, tuned_ = -1;
  std::vector<SweepParts> parts_;  // One entry per row of the sweep.
  std::set<int> marked_;
};

}  // namespace spira::ui
