#include "ui/view3d/view_overlay.hpp"

#include "engine/base/text.hpp"
#include "ui/theme/theme.hpp"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace spira::ui {
namespace {

QString number(double value) {
  return QString::number(value, 'g', 3);
}

}  // namespace

ViewOverlay::ViewOverlay(Theme* theme, QWidget* parent) : QWidget(parent), theme_(theme) {
  setAttribute(Qt::WA_TransparentForMouseEvents);
  setAttribute(Qt::WA_NoSystemBackground);
}

void ViewOverlay::setLegend(const ColourLegend& legend) {
  legend_ = legend;
  update();
}

void ViewOverlay::setView(const std::array<double, 9>& axes, double metres_per_pixel) {
  if (axes == axes_ && metres_per_pixel == metres_per_pixel_) return;
  axes_ = axes;
  metres_per_pixel_ = metres_per_pixel;
  update();
}

void ViewOverlay::setNote(const QString& note) {
  if (note == note_) return;
  note_ = note;
  update();
}

void ViewOverlay::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  paintLegend(painter);
  paintAxes(painter);
  paintScale(painter);
  const QRect note = QFontMetrics(font()).boundingRect(note_);
  paintBackdrop(painter, QRect(width() - note.width() - 20, height() - note.height() - 12, note.width() + 14,
                               note.height() + 6));
  painter.setPen(theme_->palette().text);
  painter.drawText(rect().adjusted(0, 0, -13, -8), Qt::AlignRight | Qt::AlignBottom, note_);
}

/// Text stays readable whatever is behind it.
void ViewOverlay::paintBackdrop(QPainter& painter, const QRect& area) const {
  QColor back = theme_->palette().view_bottom;
  back.setAlphaF(0.72F);
  painter.setPen(Qt::NoPen);
  painter.setBrush(back);
  painter.drawRoundedRect(area, 4, 4);
  painter.setBrush(Qt::NoBrush);
}

void ViewOverlay::paintLegend(QPainter& painter) const {
  if (legend_.title.isEmpty()) return;
  const QFontMetrics metrics(font());
  const int left = 14, top = 12, line = metrics.height(), bar = std::clamp((height() / 3), 60, 160);
  int y = top + line + 6;
  int wide = metrics.horizontalAdvance(legend_.title),
      high = line + (legend_.low == legend_.high ? 0 : bar + 12);
  for (const auto& [colour, text] : legend_.classes)
    wide = std::max(wide, 22 + metrics.horizontalAdvance(text));
  const int most = std::max(1, (height() - y - 140) / (line + 2));
  if (!legend_.classes.empty())
    high = line + 6 + ((line + 2) * std::min(most, static_cast<int>(legend_.classes.size())));
  for (const double value : {legend_.low, legend_.high})
    wide = std::max(wide, 22 + metrics.horizontalAdvance(number(value)));
  paintBackdrop(painter, QRect(left - 7, top - 5, wide + 14, high + 10));
  painter.setPen(theme_->palette().text);
  painter.drawText(left, top + metrics.ascent(), legend_.title);
  if (!legend_.classes.empty()) {
    int shown = 0;
    for (const auto& [colour, text] : legend_.classes) {
      if (shown++ == most) break;
      painter.fillRect(left, y + 2, 14, line - 4, QColor(colour[0], colour[1], colour[2]));
      painter.drawText(left + 22, y + metrics.ascent(), text);
      y += line + 2;
    }
    return;
  }
  if (legend_.low == legend_.high) return;
  for (int row = 0; row < bar; ++row) {
    const Rgb colour = viridis(1.0 - (static_cast<double>(row) / (bar - 1)));
    painter.fillRect(left, y + row, 14, 1, QColor(colour[0], colour[1], colour[2]));
  }
  painter.drawText(left + 22, y + metrics.ascent() - 2, number(legend_.high));
  painter.drawText(left + 22, y + (bar / 2) + (metrics.ascent() / 2),
                   number((legend_.low + legend_.high) / 2.0));
  painter.drawText(left + 22, y + bar, number(legend_.low));
}

void ViewOverlay::paintAxes(QPainter& painter) const {
  const QPointF centre(44, height() - 52);
  const std::array<QColor, 3> colours{QColor("#d55e00"), QColor("#009e73"), QColor("#0072b2")};
  std::array<int, 3> order{0, 1, 2};  // far axes first
  std::sort(order.begin(), order.end(), [&](int a, int b) {
    return axes_[6 + static_cast<std::size_t>(a)] < axes_[6 + static_cast<std::size_t>(b)];
  });
  for (const int axis : order) {
    const auto a = static_cast<std::size_t>(axis);
    const QPointF tip = centre + QPointF(26 * axes_[a], -26 * axes_[3 + a]);
    painter.setPen(QPen(colours[a], 2.5));
    painter.drawLine(centre, tip);
    painter.setPen(theme_->palette().text);
    painter.drawText(QRectF(tip + QPointF(9 * axes_[a] - 8, -9 * axes_[3 + a] - 8), QSizeF(16, 16)),
                     Qt::AlignCenter, QString("xyz"[axis]));
  }
}

void ViewOverlay::paintScale(QPainter& painter) const {
  if (metres_per_pixel_ <= 0) return;
  const double wanted = 110 * metres_per_pixel_ * devicePixelRatioF();
  const double decade = std::pow(10.0, std::floor(std::log10(wanted)));
  const double digit = wanted / decade >= 5 ? 5 : wanted / decade >= 2 ? 2 : 1;
  const double metres = digit * decade, pixels = metres / (metres_per_pixel_ * devicePixelRatioF());
  const double left = 100, y = height() - 18;
  painter.setPen(QPen(theme_->palette().text, 1.5));
  painter.drawLine(QPointF(left, y), QPointF(left + pixels, y));
  painter.drawLine(QPointF(left, y - 4), QPointF(left, y + 4));
  painter.drawLine(QPointF(left + pixels, y - 4), QPointF(left + pixels, y + 4));
  painter.drawText(QRectF(left, y - 22, pixels, 18), Qt::AlignCenter, QString("%1 m").arg(metres, 0, 'g', 3));
}

}  // namespace spira::ui
