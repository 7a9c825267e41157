#include "ui/charts/timeline/timeline_painter.hpp"

#include "ui/charts/timeline/timeline_chart.hpp"
#include "ui/model/tables/layer_table_model.hpp"
#include "ui/theme/theme.hpp"

#include <algorithm>
#include <cmath>

namespace spira::ui {
namespace {

constexpr double gap = 1.5;  // Distance above and below a rectangle, in pixels.

/// Returns the label of a span: the name of its layer. If the span belongs to no layer, returns the name of
/// its stage.
QString label_of(const TimelineSpan& span) {
  const std::string layer(span.stage.layer());
  if (span.parent < 0) return QString::fromStdString(layer.empty() ? span.stage.text() : layer);
  return QString::fromStdString(std::string(span.stage.name()));
}

}  // namespace

TimelinePainter::TimelinePainter(QCustomPlot* plot, Theme* theme, const TimelineView* view)
    : QCPAbstractItem(plot), theme_(theme), view_(view) {}

QRectF TimelinePainter::laneRect(int first, int last) const {
  const QRectF plot = clipAxisRect()->rect();
  const double height = plot.height() / std::max(1, view_->lanes.count());
  return {plot.left(), plot.top() + (first * height), plot.width(), (last - first + 1) * height};
}

int TimelinePainter::laneAt(double y) const {
  const QRectF plot = clipAxisRect()->rect();
  const int lanes = std::max(1, view_->lanes.count());
  return std::clamp(static_cast<int>((y - plot.top()) / plot.height() * lanes), 0, lanes - 1);
}

QRectF TimelinePainter::rectOf(int span) const {
  const TimelineSpan& here = view_->timeline->spans[static_cast<std::size_t>(span)];
  const int lane = view_->lanes.lane_of[static_cast<std::size_t>(span)];
  const QCPAxis* axis = clipAxisRect()->axis(QCPAxis::atBottom);
  const double left = axis->coordToPixel(here.start_ms), right = axis->coordToPixel(here.end_ms);
  const QRectF row = laneRect(lane, lane);
  return {left, row.top() + gap, std::max(1.0, right - left), std::max(2.0, row.height() - (2 * gap))};
}

void TimelinePainter::draw(QCPPainter* painter) {
  if (!view_->timeline) return;
  painter->setAntialiasing(false);
  stands_out_ = false;
  for (int span = 0; span < static_cast<int>(view_->layers.size()) && !stands_out_; ++span)
    stands_out_ = isChosen(span);
  stands_out_ = stands_out_ && (view_->chosen_layer >= 0 || view_->chosen_phase);
  drawLanes(*painter);
  for (int span = 0; span < static_cast<int>(view_->timeline->spans.size()); ++span)
    drawSpan(*painter, span);
  drawOutlines(*painter);
  drawBefore(*painter);
  drawArea(*painter);
  if (view_->focused) {
    painter->setPen(QPen(theme_->palette().accent, 1));
    painter->setBrush(Qt::NoBrush);
    painter->drawRect(clipAxisRect()->rect().adjusted(0, 0, -1, -1));
  }
}

/// Draws a background for each track, so that gaps between spans are visible.
void TimelinePainter::drawLanes(QCPPainter& painter) const {
  for (std::size_t track = 0; track + 1 < view_->lanes.first_lane.size(); ++track) {
    const QRectF row = laneRect(view_->lanes.first_lane[track], view_->lanes.first_lane[track + 1] - 1);
    if (track % 2 == 0) painter.fillRect(row, theme_->palette().window);
    if (track == 0) continue;
    const bool below_pinned = static_cast<int>(track) == view_->lanes.pinned;
    painter.setPen(QPen(below_pinned ? theme_->palette().text : theme_->palette().line, 1));
    painter.drawLine(row.topLeft(), row.topRight());
  }
}

bool TimelinePainter::isChosen(int span) const {
  const auto at = static_cast<std::size_t>(span);
  const bool of_layer = view_->chosen_layer < 0 || view_->layers[at] == view_->chosen_layer;
  return of_layer && (!view_->chosen_phase || view_->groups[at] == *view_->chosen_phase);
}

/// Returns the colour of the phase of a span. Spans outside the selected layer and phase are faded.
QColor TimelinePainter::colourOf(int span) const {
  const QColor colour = theme_->stage(view_->groups[static_cast<std::size_t>(span)]);
  if (!stands_out_ || isChosen(span)) return colour;
  constexpr double kept = 0.35;
  const QColor behind = theme_->palette().panel;
  const auto mix = [&](int front, int back) {
    return static_cast<int>(std::lround((kept * front) + ((1 - kept) * back)));
  };
  return {mix(colour.red(), behind.red()), mix(colour.green(), behind.green()),
          mix(colour.blue(), behind.blue())};
}

void TimelinePainter::drawSpan(QCPPainter& painter, int span) const {
  const QRectF plot = clipAxisRect()->rect();
  QRectF area = rectOf(span);
  constexpr double room_for_edge = 4;
  if (area.width() >= room_for_edge) area.setRight(area.right() - 1);  // Leaves a gap between adjacent spans.
  area &= plot.adjusted(-2, 0, 2, 0);
  if (area.isEmpty()) return;
  const QColor colour = colourOf(span);
  painter.fillRect(area, colour);
  constexpr double room_for_hatch = 5, room_for_label = 14;
  if (view_->timeline->mode == TimelineMode::in_situ && area.width() >= room_for_hatch) {
    QColor hatch = theme_->palette().panel;
    hatch.setAlphaF(0.25F);
    painter.fillRect(area, QBrush(hatch, Qt::BDiagPattern));
  }
  if (area.width() >= room_for_label) drawLabel(painter, span, area & plot, colour);
}

/// Writes the first label that fits: the short name, the short name rotated by 90 degrees, or a truncated
/// short name.
void TimelinePainter::drawLabel(QCPPainter& painter, int span, const QRectF& area,
                                const QColor& below) const {
  const QFontMetrics metrics(painter.font());
  constexpr double margin = 3;
  const QRectF room = area.adjusted(margin, 0, -margin, 0);
  const TimelineSpan& here = view_->timeline->spans[static_cast<std::size_t>(span)];
  const QString label = label_of(here);
  const bool of_layer = here.parent < 0 && !here.stage.layer().empty();
  const QString name = of_layer ? view_->short_names.at(label) : label;
  painter.setPen(text_on(below));
  const bool flat = area.height() >= metrics.ascent();
  if (flat && metrics.horizontalAdvance(name) <= room.width()) {
    painter.drawText(room, Qt::AlignLeft | Qt::AlignVCenter, name);
  } else if (area.width() >= metrics.height() &&
             area.height() >= metrics.horizontalAdvance(name) + (2 * margin)) {
    painter.save();
    painter.translate(area.center());
    painter.rotate(-90);
    const QRectF upright(-area.height() / 2, -area.width() / 2, area.height(), area.width());
    painter.drawText(upright, Qt::AlignCenter, name);
    painter.restore();
  } else if (flat) {
    const QString part = metrics.elidedText(name, Qt::ElideRight, static_cast<int>(room.width()));
    if (part.size() > 3) painter.drawText(room, Qt::AlignLeft | Qt::AlignVCenter, part);
  }
}

void TimelinePainter::drawOutlines(QCPPainter& painter) const {
  painter.setBrush(Qt::NoBrush);
  for (int span = 0; span < static_cast<int>(view_->layers.size()); ++span) {
    const bool current = span == view_->current;
    const int layer = view_->layers[static_cast<std::size_t>(span)];
    const bool chosen = layer >= 0 && layer == view_->chosen_layer &&
                        view_->timeline->spans[static_cast<std::size_t>(span)].parent < 0;
    const bool tinted = layer >= 0 && layer == view_->chosen_layer &&
                        view_->timeline->spans[static_cast<std::size_t>(span)].parent >= 0 &&
                        view_->tinted.count(view_->groups[static_cast<std::size_t>(span)]) > 0;
    if (tinted) {
      painter.setPen(QPen(theme_->palette().drawn, 3));
      painter.drawRect(rectOf(span).adjusted(-1, 0, 1, 0));
    }
    if (!current && !chosen) continue;
    painter.setPen(QPen(theme_->palette().text, current ? 3 : 2));
    painter.drawRect(rectOf(span).adjusted(-1, 0, 1, 0));
  }
}

/// Draws the baseline stages of the selected layer in the lower part of their lanes.
void TimelinePainter::drawBefore(QCPPainter& painter) const {
  const QRectF plot = clipAxisRect()->rect();
  const QCPAxis* axis = clipAxisRect()->axis(QCPAxis::atBottom);
  for (std::size_t span = 0; span < view_->before.size(); ++span) {
    const auto [start, end] = view_->before[span];
    if (end < 0 || view_->chosen_layer < 0 || view_->layers[span] != view_->chosen_layer) continue;
    const QRectF lane = rectOf(static_cast<int>(span));
    const double left = axis->coordToPixel(start), right = std::max(left + 2, axis->coordToPixel(end));
    QRectF bar(left, lane.top() + (lane.height() * 0.6), right - left, lane.height() * 0.4);
    bar &= plot.adjusted(-2, 0, 2, 0);
    if (bar.isEmpty()) continue;
    painter.fillRect(bar, theme_->palette().panel);
    painter.fillRect(bar, QBrush(theme_->palette().faint_text, Qt::Dense5Pattern));
    painter.setPen(QPen(theme_->palette().text, 1, Qt::DashLine));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(bar);
  }
}

void TimelinePainter::drawArea(QCPPainter& painter) const {
  if (!view_->area) return;
  const QCPAxis* axis = clipAxisRect()->axis(QCPAxis::atBottom);
  QRectF area = laneRect(view_->area->first_lane, view_->area->last_lane);
  area.setLeft(axis->coordToPixel(view_->area->low_ms));
  area.setRight(axis->coordToPixel(view_->area->high_ms));
  QColor fill = theme_->palette().accent;
  fill.setAlphaF(0.15F);
  painter.fillRect(area, fill);
  painter.setPen(QPen(theme_->palette().accent, 1, Qt::DashLine));
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(area);
}

}  // namespace spira::ui
