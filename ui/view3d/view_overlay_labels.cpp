// Labels of ViewOverlay that are placed next to the other panels: hint, badge and measured distance.
#include "ui/theme/theme.hpp"
#include "ui/view3d/view_overlay.hpp"

#include <QPainter>

#include <algorithm>

namespace spira::ui {

QRectF free_place(const QRectF& wanted, const QRectF& area, const std::vector<QRectF>& taken) {
  constexpr double gap = 4;
  const double right = std::max(area.left(), area.right() - wanted.width());
  const double bottom = std::max(area.top(), area.bottom() - wanted.height());
  std::vector<double> lefts{std::clamp(wanted.left(), area.left(), right)};
  std::vector<double> tops{std::clamp(wanted.top(), area.top(), bottom)};
  const QPointF inside(lefts.front(), tops.front());
  // The nearest free position touches one of the panels, so try the positions at all sides of all panels.
  for (const QRectF& panel : taken) {
    for (const double left : {panel.left() - wanted.width() - gap, panel.right() + gap}) {
      if (left >= area.left() && left <= right) lefts.push_back(left);
    }
    for (const double top : {panel.top() - wanted.height() - gap, panel.bottom() + gap}) {
      if (top >= area.top() && top <= bottom) tops.push_back(top);
    }
  }
  std::optional<QPointF> best;
  for (const double left : lefts) {
    for (const double top : tops) {
      const QRectF here(QPointF(left, top), wanted.size());
      if (std::any_of(taken.begin(), taken.end(),
                      [&](const QRectF& panel) { return panel.intersects(here); }))
        continue;
      const auto moved = [&](const QPointF& to) { return QLineF(wanted.topLeft(), to).length(); };
      if (!best || moved(here.topLeft()) < moved(*best)) best = here.topLeft();
    }
  }
  return {best.value_or(inside), wanted.size()};
}

QRectF ViewOverlay::hintPanel() const {
  const QFontMetrics metrics(font());
  const QRect text =
      metrics.boundingRect(QRect(0, 0, std::max(120, width() - 130), 1000), Qt::TextWordWrap, hint_);
  const double bottom = std::min(height() - 56.0, notePanel().top() - 6);
  return {width() - text.width() - 26.0, bottom - text.height() - 12, text.width() + 20.0,
          text.height() + 12.0};
}

void ViewOverlay::paintHint(QPainter& painter) const {
  if (hint_.isEmpty()) return;
  const QRectF area = hintPanel();
  paintBackdrop(painter, area);
  painter.setPen(theme_->palette().text);
  painter.drawText(area.adjusted(9, 6, -9, -5), Qt::TextWordWrap, hint_);
}

QRectF ViewOverlay::badgePanel() const {
  constexpr double below_the_bar = 44;
  const QRect text = QFontMetrics(font()).boundingRect(badge_);
  return {(width() - text.width() - 24) / 2.0, below_the_bar, text.width() + 24.0, text.height() + 10.0};
}

void ViewOverlay::paintBadge(QPainter& painter) const {
  if (badge_.isEmpty()) return;
  const QRectF area = badgePanel();
  paintBackdrop(painter, area);
  painter.setPen(theme_->palette().text);
  painter.drawText(area, Qt::AlignCenter, badge_);
}

namespace {

/// Returns true if the legend of a native row must be small, because it would cover a low view.
bool compact_legend(double height) {
  constexpr double low = 360;
  return height < low;
}

}  // namespace

std::vector<QRectF> ViewOverlay::occupied() const {
  std::vector<QRectF> all = panels();
  if (const QRectF native = nativePanel(); !native.isEmpty()) all.push_back(native);
  return all;
}

/// Returns the panels that have a fixed position, and the widgets on the view.
std::vector<QRectF> ViewOverlay::panels() const {
  std::vector<QRectF> panels;
  if (showsLegend()) panels.push_back(legendPanel());
  if (axes_shown_ && !(showsLegend() && legendPanel().intersects(axesPanel()))) panels.push_back(axesPanel());
  if (showsScale()) panels.push_back(scale().panel);
  if (!note_.isEmpty()) panels.push_back(notePanel());
  if (!hint_.isEmpty()) panels.push_back(hintPanel());
  if (!badge_.isEmpty()) panels.push_back(badgePanel());
  const auto siblings = parentWidget()->findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly);
  for (const QWidget* one : siblings) {
    if (one != this && !one->isHidden() && one->size() != parentWidget()->size())
      panels.emplace_back(one->geometry());
  }
  return panels;
}

/// Returns the panel of the legend of a native row: in the upper right corner, or at the nearest free
/// position.
QRectF ViewOverlay::nativePanel() const {
  constexpr double edge = 7, inside = 18;
  if (!marker_ || !marker_->native) return {};
  const QSizeF size = native_legend_size(*marker_->native, QFontMetrics(font()), compact_legend(height()));
  const double high = size.height() + inside - 6;
  // In a low view, the highlighted row is near the upper corner, where the chips are too.
  const double top = compact_legend(height()) ? height() - high - edge : edge;
  const QRectF wanted(width() - size.width() - inside - edge, top, size.width() + inside, high);
  return free_place(wanted, QRectF(rect()).adjusted(edge, edge, -edge, -edge), panels());
}

void ViewOverlay::paintNativeLegend(QPainter& painter) const {
  const QRectF panel = nativePanel();
  if (panel.isEmpty()) return;
  paintBackdrop(painter, panel);
  painter.setFont(font());
  paint_native_legend(painter, *marker_->native, panel.adjusted(9, 6, -9, -6), *theme_,
                      compact_legend(height()));
}

/// Returns the panel of the distance: at the middle of the line, or at the nearest free position.
QRectF ViewOverlay::measuredPanel() const {
  if (!measured_ || measured_->text.isEmpty()) return {};
  const QFontMetrics metrics(font());
  QRectF panel(QPointF(), QSizeF(metrics.horizontalAdvance(measured_->text) + 20.0, metrics.height() + 12.0));
  panel.moveCenter((measured_->from + measured_->to) / 2 - QPointF(0, 24));
  return free_place(panel, QRectF(rect()).adjusted(8, 8, -8, -8), occupied());
}

void ViewOverlay::paintDistance(QPainter& painter) const {
  const QRectF panel = measuredPanel();
  if (panel.isEmpty()) return;
  paintBackdrop(painter, panel);
  painter.setPen(theme_->palette().text);
  painter.drawText(panel, Qt::AlignCenter, measured_->text);
}

}  // namespace spira::ui
