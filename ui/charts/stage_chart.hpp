// Time of each stage as bars, one bar per row: stacked, or side by side on a logarithmic axis.
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
  QString head;                          ///< First part of the tooltip.
  int layer = -1;                        ///< A click on the bar chooses this layer; -1 means none.
  std::map<StageGroup, double> parts{};  ///< In ms. The residual may be negative.
  std::vector<SampleSeries> samples{};   ///< One series per stage of the bar.
  bool is_map = false;                   ///< The bar is a kernel map; `layer` built it.
  bool in_situ = false;                  ///< Drawn hatched.
  double other_ms = -1;  ///< Time with a setting that differs from the run's, in ms; negative if unknown.
  bool other_modelled = false;  ///< `other_ms` is an estimate, drawn dotted.
  double baseline_ms = -1;      ///< Sum of all stages in the baseline run, in ms; negative if unknown.
  QString notes{};              ///< Last part of the tooltip.
  QString subject{};            ///< Title of the bar's samples.
  /// Returns the tooltip. It is created only when it is shown, because the statistics of 1,000 bars take
  /// longer than a frame.
  [[nodiscard]] QString tip() const;
  [[nodiscard]] double sum_ms() const noexcept;
  /// Returns the height of the stack. A negative residual adds nothing.
  [[nodiscard]] double drawn_ms() const noexcept;
};

class StageChart : public PlotChart {
  Q_OBJECT
 public:
  explicit StageChart(Theme* theme, QWidget* parent = nullptr);
  /// `statistic` names the statistic of the times, such as "median". `samples` is a text such as "n = 15".
  void setBars(std::vector<StageBar> bars, const QString& statistic, const QString& samples = {});
  /// Uses a logarithmic axis. The lengths of stacked parts would be meaningless on it, so the parts are drawn
  /// next to each other, in front of their sum.
  void setLogarithmic(bool logarithmic);
  void setChosenLayer(int layer);
  /// Draws a frame around the phase in every bar that contains it.
  void setChosenPhase(std::optional<StageGroup> phase);
  [[nodiscard]] const std::optional<StageGroup>& chosenPhase() const noexcept { return phase_; }
  /// Returns the part of a bar at the position `at`; empty if there is none.
  [[nodiscard]] std::optional<StageGroup> partAt(const QPointF& at) const;
  [[nodiscard]] const std::vector<StageBar>& bars() const noexcept { return bars_; }
  /// Tints parts of the chosen bar, and the bar of the layer under the pointer in any view. An empty set and
  /// -1 remove the tint.
  void setTint(const std::set<StageGroup>& parts, int layer);
  [[nodiscard]] const std::set<StageGroup>& tintedParts() const noexcept { return tinted_; }
  /// Returns the number of names below the axis, which the width limits.
  [[nodiscard]] int labelsShown() const;

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
  void phaseClicked(std::optional<spira::StageGroup> phase);  ///< Stage group of the clicked part.
  void layerHovered(int layer);                               ///< -1 if no layer is hovered.

 protected:
  bool event(QEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void chooseRow(int row) override;

 private:
  /// Rectangle of a part. The unit of x is one bar, the unit of y is ms.
  struct Place {
    double left = 0, right = 0, bottom = 0, top = 0;
  };
  void rebuild() override;
  [[nodiscard]] QString unitText() const;  ///< "ms, median"
  [[nodiscard]] bool occurs(StageGroup group) const;
  [[nodiscard]] std::optional<Place> placeOf(std::size_t bar, StageGroup group) const;
  [[nodiscard]] double middleOf(std::size_t bar) const;  ///< Shifted to the right if a baseline is shown.
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
  int max_parts_ = 1;      // Largest number of parts in a bar.
  bool logarithmic_ = false;
  double lowest_ = 0;  // Lower end of the y axis, in ms.
  int chosen_ = -1, hovered_ = -1;
  std::set<StageGroup> tinted_;
  std::optional<StageGroup> phase_;
  QString statistic_, samples_;
};

}  // namespace spira::ui
