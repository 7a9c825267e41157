// Draws the spans of a timeline into a plot: a rectangle each, lanes behind them, outlines over them.
#pragma once

#include "ui/model/timeline_area.hpp"

#include <qcustomplot.h>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace spira::ui {

class Theme;

/// What the chart shows; the painter reads it.
struct TimelineView {
  std::shared_ptr<const Timeline> timeline;  ///< null: nothing
  TimelineLanes lanes;
  std::vector<StageGroup> groups;            ///< of each span: its colour
  std::vector<int> layers;                   ///< of each span; -1: of none
  std::map<QString, QString> short_names{};  ///< of the layers
  int current = -1;                          ///< the span that keys go on from; -1: none
  int chosen_layer = -1;
  std::optional<StageGroup> chosen_phase{};
  std::set<StageGroup> tinted{};  ///< phases of the chosen layer
  std::optional<TimelineArea> area;
  bool focused = false;
  /// When the top spans of the same stages ran in the run that is compared with; negative ends: not there.
  std::vector<std::pair<double, double>> before;
};

class TimelinePainter : public QCPAbstractItem {
  Q_OBJECT
 public:
  TimelinePainter(QCustomPlot* plot, Theme* theme, const TimelineView* view);
  [[nodiscard]] double selectTest(const QPointF&, bool, QVariant* = nullptr) const override { return -1; }
  [[nodiscard]] QRectF rectOf(int span) const;  ///< pixels; at least one wide
  [[nodiscard]] int laneAt(double y) const;     ///< clamped to the lanes there are

 protected:
  void draw(QCPPainter* painter) override;

 private:
  [[nodiscard]] QRectF laneRect(int first, int last) const;
  [[nodiscard]] QColor colourOf(int span) const;
  void drawLanes(QCPPainter& painter) const;
  void drawSpan(QCPPainter& painter, int span) const;
  void drawLabel(QCPPainter& painter, int span, const QRectF& area, const QColor& below) const;
  void drawOutlines(QCPPainter& painter) const;
  void drawArea(QCPPainter& painter) const;
  void drawBefore(QCPPainter& painter) const;

  Theme* theme_;
  const TimelineView* view_;
  [[nodiscard]] bool isChosen(int span) const;

  bool stands_out_ = false;  ///< chosen spans are among those that are drawn
};

}  // namespace spira::ui
