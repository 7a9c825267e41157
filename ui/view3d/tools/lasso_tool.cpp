#include "ui/view3d/tools/lasso_tool.hpp"

#include <QImage>
#include <QMouseEvent>
#include <QPainter>
#include <QWidget>

#include <cmath>
#include <utility>

namespace spira::ui {
namespace {

constexpr double min_drag = 4.0;  // In pixels. A shorter drag is a click.

double between(const QPointF& a, const QPointF& b) {
  return std::hypot(a.x() - b.x(), a.y() - b.y());
}

}  // namespace

LassoTool::LassoTool(QWidget* canvas) : QObject(canvas), canvas_(canvas) {}

void LassoTool::setMode(DrawMode mode) {
  if (mode == mode_) return;
  giveUp();
  mode_ = mode;
  if (mode == DrawMode::off) {
    canvas_->unsetCursor();
  } else {
    canvas_->setCursor(Qt::CrossCursor);
  }
  emit modeChanged();
}

void LassoTool::giveUp() {
  pressed_ = false;
  if (!std::exchange(drawing_, false)) return;
  outline_.clear();
  emit outlineChanged();
}

QString LassoTool::hint() const {
  if (mode_ == DrawMode::off) return {};
  return mode_ == DrawMode::box ? tr("Drag a rectangle around voxels. Ctrl adds, Shift removes, Esc exits.")
                                : tr("Draw a line around voxels. Ctrl adds, Shift removes, Esc exits.");
}

bool LassoTool::mouse(QEvent* event) {
  const bool press = event->type() == QEvent::MouseButtonPress;
  const bool release = event->type() == QEvent::MouseButtonRelease;
  if (mode_ == DrawMode::off || (!press && !release && event->type() != QEvent::MouseMove)) return false;
  const auto* at = static_cast<QMouseEvent*>(event);
  if (press) {
    if (at->button() != Qt::LeftButton) return drawing_;
    pressed_ = true;
    from_ = at->position();
    how_ = (at->modifiers() & Qt::ControlModifier) != 0 ? Combine::add
           : (at->modifiers() & Qt::ShiftModifier) != 0 ? Combine::remove
                                                        : Combine::replace;
    return false;  // The press may still become a click on a voxel.
  }
  if (!pressed_) return false;
  if (release) {
    if (at->button() != Qt::LeftButton) return drawing_;
    pressed_ = false;
    if (!std::exchange(drawing_, false)) return false;
    const QPolygonF outline = std::exchange(outline_, {});
    emit outlineChanged();
    emit drawn(outline, how_);
    return true;
  }
  if (!drawing_ && between(at->position(), from_) < min_drag) return true;
  if (!std::exchange(drawing_, true)) outline_ = QPolygonF({from_});
  if (mode_ == DrawMode::box) {
    outline_ = QPolygonF(QRectF(from_, at->position()).normalized());
  } else if (between(at->position(), outline_.last()) >= 2.0) {
    outline_.append(at->position());
  }
  emit outlineChanged();
  return true;
}

std::vector<std::int32_t> rows_inside(const DrawnOutline& drawn, const std::stop_token& stop) {
  // Paint the outline once as a mask, so that each voxel only needs to look up its pixel.
  QImage mask(static_cast<int>(std::ceil(drawn.picture.width)),
              static_cast<int>(std::ceil(drawn.picture.height)), QImage::Format_Grayscale8);
  mask.fill(0);
  QPainter painter(&mask);
  painter.setPen(Qt::NoPen);
  painter.setBrush(Qt::white);
  painter.drawPolygon(drawn.outline, Qt::WindingFill);
  painter.end();
  std::vector<std::int32_t> rows;
  for (std::int64_t row = 0; row < drawn.mesh->voxels; ++row) {
    if (row % 65'536 == 0 && stop.stop_requested()) return {};
    if (drawn.mesh->hides(static_cast<std::size_t>(row))) continue;
    const float* centre = drawn.mesh->centres.data() + (3 * row);
    const auto at = on_picture(drawn.from, drawn.picture, {centre[0], centre[1], centre[2]});
    if (!at || at->x < 0 || at->y < 0 || at->x >= mask.width() || at->y >= mask.height()) continue;
    if (mask.constScanLine(static_cast<int>(at->y))[static_cast<int>(at->x)] != 0)
      rows.push_back(static_cast<std::int32_t>(row));
  }
  return rows;
}

}  // namespace spira::ui
