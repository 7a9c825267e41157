// Bars of stages, one bar a row: stacked, or side by side on a logarithmic axis.
#pragma once

#include "engine/job/stage_names.hpp"
#include "ui/charts/histogram_chart.hpp"
#include "ui/charts/plot_chart.hpp"

#include <QString>

#include <map>
#include <optional>
#include <set>
#include <vector>

class QPen;

namespace spira::ui {

struct StageBar {
  QString name;
  QString head;                          ///< of the tooltip
  int layer = -1;                        ///< chosen when the bar is clicked; -1: none
  std::map<StageGroup, double> parts{};  ///< ms; a residual may be below zero
  std::vector<SampleSeries> samples{};   ///< of each stage in it
  bool is_map = false;                   ///< a kernel map, whatever layer built it
  bool in_situ = false;                  ///< hatched
  double other_ms = -1;                  ///< of a setting that is not the measured one; negative: none
  bool other_modelled = false;           ///< by a model: dotted
  double baseline_ms = -1;  ///< all stages of it in the run that is compared with; negative: none
  QString notes{};          ///< end of the tooltip
  /// Is made when it is shown: the statistics of the stages of a thousand bars take longer than a frame.
  [[nodiscard]] QString tip() const;
  [[nodiscard]] double sum_ms() const noexcept;
  [[nodiscard]] double drawn_ms() const noexcept;  ///< height of the stack: a residual below zero has none
};

class StageChart : public PlotChart {
  Q_OBJECT
 public:
  explicit StageChart(Theme* theme, QWidget* parent = nullptr);
  /// `unit`: title of the axis, "ms, median"; `samples`: "n = 15".
  void setBars(std::vector<StageBar> bars, const QString& unit, const QString& samples = {});
  /// Lengths of stacked parts mean nothing on such an axis: they stand side by side before their sum.
  void setLogarithmic(bool logarithmic);
  void setChosenLayer(int layer);
  /// Framed in every bar that has it.
  void setChosenPhase(std::optional<StageGroup> phase);
  [[nodiscard]] const std::optional<StageGroup>& chosenPhase() const noexcept { return phase_; }
  /// The part of a bar at a place; empty: none.
  [[nodiscard]] std::optional<StageGroup> partAt(const QPointF& at) const;
  [[nodiscard]] const std::vector<StageBar>& bars() const noexcept { return bars_; }
  /// A part of the chosen bar and a bar under the pointer in some view; empty and -1: none.
  void setTint(const std::set<StageGroup>& parts, int layer);
  [[nodiscard]] const std::set<StageGroup>& tintedParts() const noexcept { return tinted_; }
  [[nodiscard]] int labelsShown() const;  ///< names below the axis; as many as there is room for

  [[nodiscard]] QString name() const override { return "breakdown"; }
  [[nodiscard]] ChartText text() const override;
  [[nodiscard]] bool hasContent() const override;
  [[nodiscard]] std::vector<ChartKey> keys() const override;
  [[nodiscard]] ChartTable table() const override;
  [[nodiscard]] int rowAt(const QPointF& at) const override;
  [[nodiscard]] MeasuredSubject subjectOf(int row) const override;
  [[nodiscard]] std::unique_ptr<Chart> twin(Theme* theme) const override;

 signals:
  void layerClicked(int layer);
  void barClicked(int bar);
  void phaseClicked(std::optional<spira::StageGroup> phase);  ///< the part that was hit
  void layerHovered(int layer);                               ///< -1: none

 protected:
  bool event(QEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void chooseRow(int row) override;

 private:
  /// Where a part is drawn: along the axis of bars, and in ms.
  struct Place {
    double left = 0, right = 0, bottom = 0, top = 0;
  };
  void rebuild() override;
  [[nodiscard]] bool occurs(StageGroup group) const;
  [[nodiscard]] std::optional<Place> placeOf(std::size_t bar, StageGroup group) const;
  [[nodiscard]] double middleOf(std::size_t bar) const;  ///< beside the baseline where there is one
  [[nodiscard]] double halfWidth() const;
  [[nodiscard]] double partWidth() const;
  void addParts();
  void addBaseline();
  void fillAxes(double highest);
  void dot(const StageBar& bar, std::size_t at);
  void addSums();
  void outline();
  void outlineParts(std::size_t bar, const std::set<StageGroup>& parts, const QPen& pen);
  void frame(const Place& place, const QPen& pen);

  std::vector<StageBar> bars_;
  bool compared_ = false;  // Some bars have a baseline.
  int most_parts_ = 1;     // of a bar
  bool logarithmic_ = false;
  double lowest_ = 0;  // ms at the foot of the axis
  int chosen_ = -1, hovered_ = -1;
  std::set<StageGroup> tinted_;
  std::optional<StageGroup> phase_;
  QString unit_, samples_;
};

}  // namespace spira::ui
