#include "ui/theme/eye_icon.hpp"

#include <QPainter>
#include <QPainterPath>
#include <QPixmap>

namespace spira::ui {

QIcon eye_icon(bool open, const QColor& colour, double pixel_ratio) {
  constexpr int side = 16;
  QPixmap picture(QSize(side, side) * pixel_ratio);
  picture.setDevicePixelRatio(pixel_ratio);
  picture.fill(Qt::transparent);
  QPainter painter(&picture);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(colour, 1.3, Qt::SolidLine, Qt::RoundCap));
  QPainterPath lid(QPointF(1.5, 8));
  lid.quadTo(8, 0.5, 14.5, 8);
  if (open) lid.quadTo(8, 15.5, 1.5, 8);
  painter.drawPath(lid);
  if (open) {
    painter.setBrush(colour);
    painter.drawEllipse(QPointF(8, 8), 2.2, 2.2);
  } else {
    painter.drawLine(QPointF(2.5, 13.5), QPointF(13.5, 2.5));
  }
  return {picture};
}

}  // namespace spira::ui
