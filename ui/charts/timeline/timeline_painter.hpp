// Paints a timeline into a plot: lanes, one rectangle per span, and outlines.
#pragma once

#include <qcustomplot.h>

namespace spira::ui {

class Theme;

struct TimelineView;

class TimelinePainter : public QCPAbstractItem {
  Q_OBJECT
 public:
  TimelinePainter(QCustomPlot* plot, Theme* theme, const TimelineView* view);
  [[nodiscard]] double selectTest(const QPointF&, bool, QVariant* = nullptr) const override { return -1; }
  /// Returns the rectangle of a span in pixels, at least one pixel wide.
  [[nodiscard]] QRectF rectOf(int span) const;
  [[nodiscard]] int laneAt(double y) const;  ///< Returns the lane at `y`, clamped to the existing lanes.

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

  bool stands_out_ = false;  ///< True if at least one selected span is drawn. All other spans are then faded.
};

}  // namespace spira::ui
