// Paints a timeline into a plot: lanes, one rectangle per span, and outlines.
#pragma once

#include "ui/model/tables/timeline_area.hpp"

#include <qcustomplot.h>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace spira::ui {

class Theme;

/// The state of the chart that the painter reads.
struct TimelineView {
  std::shared_ptr<const Timeline> timeline;  ///< Null draws nothing.
  TimelineLanes lanes;
  std::vector<StageGroup> groups;            ///< Group of each span, which defines its colour.
  std::vector<int> layers;                   ///< Layer of each span; -1 if it belongs to none.
  std::map<QString, QString> short_names{};  ///< By full name of the layer.
  int current = -1;                          ///< Span that the keyboard moves from; -1 if none.
  int chosen_layer = -1;
  std::optional<StageGroup> chosen_phase{};
  std::set<StageGroup> tinted{};  ///< Outlined phases of the chosen layer.
  std::optional<TimelineArea> area;
  bool focused = false;
  /// Start and end of the same top-level stages in the baseline run, in ms. The end is negative if the stage
  /// does not exist there.
  std::vector<std::pair<double, double>> before;
};

class TimelinePainter : public QCPAbstractItem {
  Q_OBJECT
 public:
  TimelinePainter(QCustomPlot* plot, Theme* theme, const TimelineView* view);
  [[nodiscard]] double selectTest(const QPointF&, bool, QVariant* = nullptr) const override { return -1; }
  [[nodiscard]] QRectF rectOf(int span) const;  ///< In pixels; at least one pixel wide.
  [[nodiscard]] int laneAt(double y) const;     ///< Clamped to the existing lanes.

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

  bool stands_out_ = false;  ///< True if a chosen span is drawn; other spans then fade.
};

}  // namespace spira::ui
