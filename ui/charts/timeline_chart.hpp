// A timeline: tracks as rows, a rectangle a span, with the keys of trace viewers.
#pragma once

#include "ui/charts/plot_chart.hpp"
#include "ui/charts/timeline_scale.hpp"
#include "ui/model/timeline_area.hpp"

#include <memory>
#include <optional>
#include <set>
#include <vector>

class QLabel;

namespace spira::ui {

class TimelinePainter;
struct TimelineView;

class TimelineChart : public PlotChart {
  Q_OBJECT
 public:
  explicit TimelineChart(Theme* theme, QWidget* parent = nullptr);
  ~TimelineChart() override;
  TimelineChart(const TimelineChart&) = delete;
  TimelineChart& operator=(const TimelineChart&) = delete;

  /// `layers`: that each span belongs to; -1: none. What was chosen in the one before is forgotten.
  void setTimeline(std::shared_ptr<const Timeline> timeline, std::vector<int> layers);
  /// The same network in the run that is compared with: bars for the chosen layer; null: none.
  void setBaseline(const std::shared_ptr<const Timeline>& timeline);
  void setChosenLayer(int layer);
  void setChosenPhase(std::optional<StageGroup> phase);  ///< other spans step back
  /// Phases of the chosen layer that hold what is looked at elsewhere; empty: none.
  void setTint(const std::set<StageGroup>& phases);
  [[nodiscard]] const std::set<StageGroup>& tintedPhases() const noexcept;
  /// The next drag takes an area; asked again before that, the area is all that is shown.
  void takeArea();
  void fitOrFocus();
  /// The track stands above all others from now on, also in the timelines that come; asked again, it goes
  /// back to its place. Index in Timeline::tracks.
  void pinTrack(int track);
  void showKeys(bool shown);

  [[nodiscard]] const TimelineScale& scale() const noexcept { return scale_; }
  [[nodiscard]] const TimelineLanes& lanes() const noexcept;
  [[nodiscard]] int currentSpan() const noexcept;
  [[nodiscard]] const std::optional<TimelineArea>& area() const noexcept;
  [[nodiscard]] bool takesArea() const noexcept { return takes_area_; }
  [[nodiscard]] bool keysShown() const;
  [[nodiscard]] bool comparesLayer() const;  ///< bars of the baseline stand at the chosen layer
  [[nodiscard]] QString tipOf(int span) const;
  [[nodiscard]] int trackNamedAt(const QPointF& at) const;  ///< its name stands there; -1: none
  [[nodiscard]] QRectF rectOf(int span) const;              ///< pixels, once it was drawn
  [[nodiscard]] QString name() const override { return "timeline"; }
  [[nodiscard]] ChartText text() const override;
  [[nodiscard]] bool hasContent() const override;
  [[nodiscard]] std::vector<ChartKey> keys() const override;
  [[nodiscard]] ChartTable table() const override;
  [[nodiscard]] int rowAt(const QPointF& at) const override;  ///< a span
  [[nodiscard]] MeasuredSubject subjectOf(int row) const override;
  [[nodiscard]] std::unique_ptr<Chart> twin(Theme* theme) const override;
  void restyle() override;
  [[nodiscard]] QSize minimumSizeHint() const override { return {240, 70}; }

 signals:
  void layerClicked(int layer);
  void phaseClicked(std::optional<spira::StageGroup> phase);  ///< of a span, or of none
  void areaChanged();                                         ///< another one, or none
  void currentChanged(int span);                              ///< -1: none

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
  [[nodiscard]] int trackAtLane(int lane) const;
  [[nodiscard]] int trackToPin() const;
  void placeKeys();
  void setCurrent(int span);
  void setArea(const std::optional<TimelineArea>& area);
  void dragArea(const QPointF& to);
  void clear();
  void zoomAtPointer(double factor);
  bool act(int key);
  [[nodiscard]] std::optional<std::pair<double, double>> wanted() const;

  std::unique_ptr<TimelineView> view_;
  TimelinePainter* painter_;  // of the plot
  QLabel* keys_;
  TimelineScale scale_;
  std::vector<std::string> pinned_;  // names of tracks
  std::optional<QPointF> pressed_, pointer_;
  double dragged_to_ = 0;  // pixels
  bool takes_area_ = false, panning_ = false, taking_ = false, focused_on_ = false;
};

}  // namespace spira::ui
