// Mouse and keyboard input of the timeline.
#include "ui/charts/timeline/timeline_chart.hpp"
#include "ui/charts/timeline/timeline_painter.hpp"

#include <QApplication>
#include <QKeyEvent>
#include <QLabel>
#include <QMouseEvent>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace spira::ui {
namespace {

constexpr double zoom_step = 1.5, pan_share = 0.15;

constexpr std::array own_keys{Qt::Key_W,    Qt::Key_S,     Qt::Key_A,        Qt::Key_D,      Qt::Key_F,
                              Qt::Key_R,    Qt::Key_P,     Qt::Key_Period,   Qt::Key_Comma,  Qt::Key_Up,
                              Qt::Key_Down, Qt::Key_Enter, Qt::Key_Question, Qt::Key_Return, Qt::Key_Escape};

bool is_own(const QKeyEvent& event) {
  // The key "?" needs Shift.
  const auto modifiers = event.modifiers() & ~(Qt::KeypadModifier | Qt::ShiftModifier);
  return modifiers == Qt::NoModifier &&
         std::find(own_keys.begin(), own_keys.end(), event.key()) != own_keys.end();
}

}  // namespace

bool TimelineChart::event(QEvent* event) {
  // Some keys of this chart are also shortcuts of the window. While the chart has the focus, its own keys
  // take precedence.
  if (event->type() == QEvent::ShortcutOverride && is_own(*static_cast<QKeyEvent*>(event))) {
    event->accept();
    return true;
  }
  if (event->type() == QEvent::ToolTip) {
    auto* help = static_cast<QHelpEvent*>(event);
    const QString tip = trackNamedAt(help->pos()) >= 0
                            ? tr("Click to pin this track to the top; click again to unpin it (P)")
                            : view_.tipOf(rowAt(help->pos()));
    QToolTip::showText(help->globalPos(), tip, this);
    return true;
  }
  return PlotChart::event(event);
}

void TimelineChart::keyPressEvent(QKeyEvent* event) {
  if (!view_.timeline || !is_own(*event) || !act(event->key())) PlotChart::keyPressEvent(event);
}

bool TimelineChart::act(int key) {
  const auto& spans = *view_.timeline;
  const auto go = [&](int span) {
    setCurrent(span);
    if (span < 0) return;
    const TimelineSpan& to = spans.spans[static_cast<std::size_t>(span)];
    scale_.reveal(to.start_ms, to.end_ms);
    rebuild();
  };
  const auto pan = [&](double share) {
    scale_.pan(share * plot_->axisRect()->width());
    focused_on_ = false;
    rebuild();
  };
  scale_.setPixels(plot_->axisRect()->left(), plot_->axisRect()->width());
  switch (key) {
    case Qt::Key_W:
      zoomAtPointer(1 / zoom_step);
      return true;
    case Qt::Key_S:
      zoomAtPointer(zoom_step);
      return true;
    case Qt::Key_A:
      pan(-pan_share);
      return true;
    case Qt::Key_D:
      pan(pan_share);
      return true;
    case Qt::Key_F:
      fitOrFocus();
      return true;
    case Qt::Key_R:
      takeArea();
      return true;
    case Qt::Key_P:
      pinTrack(trackToPin());
      return true;
    case Qt::Key_Period:
    case Qt::Key_Comma:
      go(span_along(spans, view_.lanes, view_.current, key == Qt::Key_Period ? 1 : -1));
      return true;
    case Qt::Key_Up:
    case Qt::Key_Down:
      go(span_across(spans, view_.lanes, view_.current, key == Qt::Key_Down ? 1 : -1));
      return true;
    case Qt::Key_Enter:
    case Qt::Key_Return:
      if (view_.current >= 0) chooseRow(view_.current);
      return true;
    case Qt::Key_Question:
      toggleKeys();
      return true;
    default:
      clear();
      return true;
  }
}

/// Hides the list of shortcuts if it is shown. Otherwise removes the selected area and ends its selection
/// mode. Without an area, deselects the current span.
void TimelineChart::clear() {
  if (!keys_->isHidden()) return showKeys(false);
  if (takes_area_ || view_.area) {
    takes_area_ = taking_ = false;
    unsetCursor();
    return setArea(std::nullopt);
  }
  setCurrent(-1);
}

void TimelineChart::zoomAtPointer(double factor) {
  const QRect plot = plot_->axisRect()->rect();
  const double x = pointer_ && plot.contains(pointer_->toPoint()) ? pointer_->x() : plot.center().x();
  scale_.setPixels(plot.left(), plot.width());
  scale_.zoom(factor, x);
  focused_on_ = false;
  rebuild();
}

void TimelineChart::takeArea() {
  if (!view_.timeline) return;
  if (!takes_area_) {
    takes_area_ = true;
    setCursor(Qt::CrossCursor);
    return setArea(std::nullopt);
  }
  takes_area_ = false;
  unsetCursor();
  setArea(TimelineArea{scale_.low(), scale_.high(), 0, view_.lanes.count() - 1});
}

int TimelineChart::rowAt(const QPointF& at) const {
  if (!view_.timeline || !plot_->axisRect()->rect().contains(at.toPoint())) return -1;
  constexpr double near = 3;  // A click within this distance hits a narrow span, in pixels.
  const int lane = painter_->laneAt(at.y());
  int best = -1;
  double best_away = near;
  for (int span = 0; span < static_cast<int>(view_.timeline->spans.size()); ++span) {
    if (view_.lanes.lane_of[static_cast<std::size_t>(span)] != lane) continue;
    const QRectF area = rectOf(span);
    const double away = std::max({0.0, area.left() - at.x(), at.x() - area.right()});
    if (away >= best_away) continue;
    best = span;
    best_away = away;
  }
  return best;
}

void TimelineChart::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || !view_.timeline) return;
  pressed_ = event->position();
  dragged_to_ = pressed_->x();
  panning_ = false;
  taking_ = takes_area_ || (event->modifiers() & Qt::ShiftModifier) != 0;
  scale_.setPixels(plot_->axisRect()->left(), plot_->axisRect()->width());
}

void TimelineChart::mouseMoveEvent(QMouseEvent* event) {
  pointer_ = event->position();
  if (!pressed_) return;
  const bool far =
      (event->position() - *pressed_).manhattanLength() >= QApplication::startDragDistance() / 2.0;
  if (taking_) {
    if (far) dragArea(event->position());
    return;
  }
  if (!panning_ && !far) return;
  if (!panning_) setCursor(Qt::ClosedHandCursor);
  panning_ = true;
  scale_.pan(dragged_to_ - event->position().x());
  dragged_to_ = event->position().x();
  focused_on_ = false;
  rebuild();
}

void TimelineChart::dragArea(const QPointF& to) {
  const double left = plot_->axisRect()->left(), right = plot_->axisRect()->right();
  const double a = scale_.ms(std::clamp(pressed_->x(), left, right)),
               b = scale_.ms(std::clamp(to.x(), left, right));
  const int from_lane = painter_->laneAt(pressed_->y()), to_lane = painter_->laneAt(to.y());
  setArea(TimelineArea{std::min(a, b), std::max(a, b), std::min(from_lane, to_lane),
                       std::max(from_lane, to_lane)});
}

void TimelineChart::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || !pressed_) return;
  const bool moved = panning_ || (taking_ && view_.area);
  if (taking_ && moved) takes_area_ = false;
  pressed_.reset();
  panning_ = taking_ = false;
  if (!takes_area_) unsetCursor();
  if (moved) return;
  const int named = trackNamedAt(event->position());
  if (named >= 0) return pinTrack(named);
  chooseRow(rowAt(event->position()));
}

void TimelineChart::chooseRow(int row) {
  const int layer = row < 0 ? -1 : view_.layers[static_cast<std::size_t>(row)];
  if (layer >= 0) emit layerClicked(layer);
  emit phaseClicked(row < 0 ? std::nullopt : std::optional(view_.groups[static_cast<std::size_t>(row)]));
  setCurrent(row);
}

void TimelineChart::wheelEvent(QWheelEvent* event) {
  if (!view_.timeline) return event->ignore();
  constexpr double notch = 120;
  pointer_ = event->position();
  const QPoint turned = event->angleDelta();
  scale_.setPixels(plot_->axisRect()->left(), plot_->axisRect()->width());
  if (std::abs(turned.x()) > std::abs(turned.y())) {
    scale_.pan(-turned.x() / notch * pan_share * plot_->axisRect()->width());
    rebuild();
  } else {
    zoomAtPointer(std::pow(zoom_step, -turned.y() / notch));
  }
  event->accept();
}

void TimelineChart::leaveEvent(QEvent*) {
  pointer_.reset();
}

void TimelineChart::resizeEvent(QResizeEvent* event) {
  PlotChart::resizeEvent(event);
  placeKeys();
}

void TimelineChart::focusInEvent(QFocusEvent*) {
  view_.focused = true;
  rebuild();
}

void TimelineChart::focusOutEvent(QFocusEvent*) {
  view_.focused = false;
  rebuild();
}

}  // namespace spira::ui
