// Bar chart of the times of stages, with one bar per layer or kernel map. The parts of a bar are stacked. On
// a logarithmic axis, they are side by side.
#pragma once

#include "ui/charts/bar_part.hpp"
#include "ui/charts/chart.hpp"
#include "ui/charts/histogram_chart.hpp"

#include <QString>

#include <map>
#include <optional>
#include <set>
#include <vector>

class QPen;

namespace spira::ui {

struct StageBar {
  QString name;
  QString head;                         ///< First part of the tooltip.
  int layer = -1;                       ///< Layer that a click on the bar selects; -1 means none.
  std::map<BarPart, double> parts{};    ///< In ms. The residual may be negative.
  std::vector<SampleSeries> samples{};  ///< Samples of each stage of the bar.
  bool is_map = false;                  ///< True if the bar shows a kernel map that `layer` built.
  /// True if the times were measured in situ. The bar is then hatched.
  bool in_situ = false;
  /// Time with a setting other than that of the run, in ms; negative if unknown.
  double other_ms = -1;
  bool other_modelled = false;  ///< True if `other_ms` is an estimate, which is drawn dotted.
  double baseline_ms = -1;      ///< Sum of all stages in the baseline run, in ms; negative if unknown.
  QString notes{};              ///< Last part of the tooltip.
  QString subject{};            ///< Title of the bar's samples.
  /// Returns the tooltip. Create this text only when the tooltip is shown, because the statistics of 1,000
  /// bars take longer than one frame of the display.
  [[nodiscard]] QString tip() const;
  [[nodiscard]] double sum_ms() const noexcept;
  /// Returns the height of the stack, in ms. A negative residual counts as 0.
  [[nodiscard]] double drawn_ms() const noexcept;
};

class StageChart : public PlotChart {
  Q_OBJECT
 public:
  explicit StageChart(Theme* theme, QWidget* parent = nullptr);
  /// `statistic` names the statistic of the times, such as "median". `samples` describes the samples, for
  /// example "n = 15".
  void setBars(std::vector<StageBar> bars, const QString& statistic, const QString& samples = {});
  /// Selects a logarithmic or a linear axis. The lengths of stacked parts have no meaning on a logarithmic
  /// axis. There, the parts are drawn side by side in front of their sum.
  void setLogarithmic(bool logarithmic);
  void setChosenLayer(int layer);
  /// Draws a frame around the phase in every bar that contains it.
  void setChosenPhase(std::optional<StageGroup> phase);
  [[nodiscard]] const std::optional<StageGroup>& chosenPhase() const noexcept { return phase_; }
  /// Returns the stage group of the bar part at the position `at`. Returns an empty value if no part is at
  /// `at`, or if the part is a pass.
  [[nodiscard]] std::optional<StageGroup> partAt(const QPointF& at) const;
  [[nodiscard]] const std::vector<StageBar>& bars() const noexcept { return bars_; }
  /// Outlines these parts of the selected bar. Also draws a frame around the bar of `layer`, the layer under
  /// the pointer in any view. An empty set and -1 remove the outlines.
  void setTint(const std::set<StageGroup>& parts, int layer);
  [[nodiscard]] const std::set<StageGroup>& tintedParts() const noexcept { return tinted_; }
  /// Returns the number of names that are drawn below the axis. A narrow chart omits names. The title of the
  /// axis then explains how to see the omitted names.
  [[nodiscard]] int labelsShown() const;
  /// Returns the title of the horizontal axis. Returns an empty string if the names of all bars
  /// are drawn.
  [[nodiscard]] QString axisHint() const;
  /// Returns the height of the area that contains the bars, in pixels.
  [[nodiscard]] int plotHeight() const;
  /// Returns the texts of the legend on the screen. They are short if the chart is narrow.
  [[nodiscard]] std::map<BarPart, QString> legendNames() const;

  [[nodiscard]] QString name() const override { return "breakdown"; }
  [[nodiscard]] ChartText text() const override;
  [[nodiscard]] bool hasContent() const override;
  [[nodiscard]] std::vector<LegendEntry> legendEntries() const override;
  [[nodiscard]] ChartTable table() const override;
  [[nodiscard]] int rowAt(const QPointF& at) const override;
  [[nodiscard]] MeasuredSubject subjectOf(int row) const override;
  [[nodiscard]] std::unique_ptr<Chart> twin(Theme* theme) const override;

 signals:
  void layerClicked(int layer);
  void barClicked(int bar);
  /// `phase` is the stage group of the clicked part, or empty if the click hit no part.
  void phaseClicked(std::optional<spira::StageGroup> phase);
  void layerHovered(int layer);  ///< `layer` is -1 if no layer is hovered.

 protected:
  bool event(QEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void chooseRow(int row) override;

 private:
  /// Rectangle of a part of a bar. The unit of x is one bar, and the unit of y is ms.
  struct Place {
    double left = 0, right = 0, bottom = 0, top = 0;
  };
  void rebuild() override;
  [[nodiscard]] QString unitText() const;  ///< Returns the unit and the statistic, for example "ms, median".
  [[nodiscard]] bool occurs(const BarPart& part) const;
  /// Returns true if the bars show the passes of a training step.
  [[nodiscard]] bool ofPasses() const;
  [[nodiscard]] std::optional<Place> placeOf(std::size_t bar, const BarPart& part) const;
  /// Returns the middle of a bar. If a baseline is shown, the bars are shifted to the right.
  [[nodiscard]] double middleOf(std::size_t bar) const;
  [[nodiscard]] double halfWidth() const;
  [[nodiscard]] double partWidth() const;
  void addParts();
  void addBaseline();
  void fillAxes(double highest);
  void nameBars();
  void dot(const StageBar& bar, std::size_t at);
  void addSums();
  void outline();
  void outlineParts(std::size_t bar, const std::set<StageGroup>& parts, const QPen& pen);
  void frame(const Place& place, const QPen& pen);

  std::vector<StageBar> bars_;
  bool compared_ = false;  // True if some bars have a baseline.
  int max_parts_ = 1;      // Largest number of parts in a bar.
  bool logarithmic_ = false;
  double lowest_ = 0;  // Lower end of the y axis, in ms.
  int chosen_ = -1, hovered_ = -1;
  std::set<StageGroup> tinted_;
  std::optional<StageGroup> phase_;
  QString statistic_, samples_;
};

}  // namespace spira::ui
