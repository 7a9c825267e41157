// Chart with one row per track and one rectangle per span of a timeline. Its keyboard shortcuts are the same
// as in common trace viewers.
#pragma once

#include "ui/charts/chart.hpp"
#include "ui/charts/timeline/timeline_scale.hpp"
#include "ui/model/tables/timeline_area.hpp"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

class QLabel;

namespace spira::ui {

class TimelinePainter;

/// The contents of a timeline, which TimelinePainter draws.
struct TimelineView {
  std::shared_ptr<const Timeline> timeline;  ///< `nullptr` draws nothing.
  TimelineLanes lanes;
  WeightStationaryLayers weight_stationary{};
  std::vector<StageGroup> groups;            ///< Group of each span, which defines its colour.
  std::vector<int> layers;                   ///< Layer of each span; -1 if the span belongs to no layer.
  std::map<QString, QString> short_names{};  ///< Short layer names by full name.
  int current = -1;                          ///< Span at the keyboard cursor; -1 if there is none.
  int chosen_layer = -1;
  std::optional<StageGroup> chosen_phase{};
  std::set<StageGroup> tinted{};  ///< Phases of the selected layer that are outlined.
  std::optional<TimelineArea> area;
  bool focused = false;
  /// For each span, the start and end of the same top-level stage in the baseline run, in ms. The end is
  /// negative if the baseline run does not have this stage.
  std::vector<std::pair<double, double>> before;

  [[nodiscard]] QString tipOf(int span) const;
  /// Returns true if baseline bars are drawn for the selected layer.
  [[nodiscard]] bool comparesLayer() const;
};

class TimelineChart : public PlotChart {
  Q_OBJECT
 public:
  explicit TimelineChart(Theme* theme, QWidget* parent = nullptr);

  /// `layers` holds the layer of each span, or -1 if a span belongs to no layer. `weight_stationary` holds
  /// the names of the weight-stationary layers, whose spans have a different colour in a timeline in situ.
  /// Resets the current span and the area.
  void setTimeline(std::shared_ptr<const Timeline> timeline, std::vector<int> layers,
                   WeightStationaryLayers weight_stationary = {});
  /// Draws bars with the baseline times of the selected layer. `timeline` is a baseline timeline of the same
  /// network; `nullptr` removes the bars.
  void setBaseline(const std::shared_ptr<const Timeline>& timeline);
  void setChosenLayer(int layer);
  void setChosenPhase(std::optional<StageGroup> phase);  ///< Fades the spans of other phases.
  /// Outlines phases of the selected layer that are highlighted in another view. An empty set removes the
  /// outlines.
  void setTint(const std::set<StageGroup>& phases);
  /// Makes the next drag select an area. A second call before the drag selects the whole visible area.
  void takeArea();
  void fitOrFocus();
  void toggleKeys();

  [[nodiscard]] const TimelineScale& scale() const noexcept { return scale_; }
  [[nodiscard]] const TimelineView& view() const noexcept { return view_; }
  [[nodiscard]] bool takesArea() const noexcept { return takes_area_; }
  /// Returns the track whose name is at the position, or -1 if there is none.
  [[nodiscard]] int trackNamedAt(const QPointF& at) const;
  /// Returns the rectangle of a span, in pixels. Must be called after the chart has been drawn.
  [[nodiscard]] QRectF rectOf(int span) const;
  [[nodiscard]] QString name() const override { return "timeline"; }
  [[nodiscard]] ChartText text() const override;
  [[nodiscard]] bool hasContent() const override;
  [[nodiscard]] std::vector<LegendEntry> legendEntries() const override;
  [[nodiscard]] ChartTable table() const override;
  /// Returns the span at a position, or -1 if there is none.
  [[nodiscard]] int rowAt(const QPointF& at) const override;
  [[nodiscard]] MeasuredSubject subjectOf(int row) const override;
  [[nodiscard]] std::unique_ptr<Chart> twin(Theme* theme) const override;
  void restyle() override;
  [[nodiscard]] QSize minimumSizeHint() const override { return {240, 70}; }

 signals:
  void layerClicked(int layer);
  /// Emitted with the phase of the clicked span, or with an empty value if the click hit no span.
  void phaseClicked(std::optional<spira::StageGroup> phase);
  void areaChanged();
  void currentChanged(int span);  ///< `span` is -1 if no span is current.

 protected:
  bool event(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void hideEvent(QHideEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;

  void chooseRow(int row) override;

 private:
  void rebuild() override;
  void placeTracks();
  /// Pins the track above all other tracks, also in later timelines. A second call unpins the track. `track`
  /// is an index into Timeline::tracks.
  void pinTrack(int track);
  [[nodiscard]] int trackAtLane(int lane) const;
  [[nodiscard]] int trackToPin() const;
  void showKeys(bool shown);
  void placeKeys();
  void setCurrent(int span);
  void setArea(const std::optional<TimelineArea>& area);
  void dragArea(const QPointF& to);
  void clear();
  void zoomAtPointer(double factor);
  bool act(int key);
  [[nodiscard]] std::optional<std::pair<double, double>> wanted() const;

  TimelineView view_;
  TimelinePainter* painter_;  // Owned by the plot.
  QLabel* keys_;
  TimelineScale scale_;
  std::vector<std::string> pinned_;  // Names of the pinned tracks.
  std::optional<QPointF> pressed_, pointer_;
  double dragged_to_ = 0;  // In pixels.
  bool takes_area_ = false, panning_ = false, taking_ = false, focused_on_ = false;
};

}  // namespace spira::ui
