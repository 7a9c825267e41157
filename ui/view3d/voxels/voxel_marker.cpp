#include "ui/view3d/voxels/voxel_marker.hpp"

#include "ui/theme/theme.hpp"

#include <QPainter>

#include <algorithm>
#include <array>
#include <cmath>

namespace spira::ui {
namespace {

constexpr double large_enough = 16.0, min_radius = 11.0, min_dot = 3.0;

void paint_ring(QPainter& painter, const VoxelMarker& marker, const Theme& theme) {
  QColor halo = theme.palette().view_top;
  halo.setAlphaF(0.9F);
  const double dot = std::max(min_dot, marker.cell * 0.7);
  const auto square = [&](const QPointF& at, double size, const QColor& colour) {
    painter.fillRect(QRectF(at.x() - (size / 2), at.y() - (size / 2), size, size), colour);
  };
  // Minimum distance between neighbours, in pixels. Closer neighbours are not distinguishable.
  constexpr double distinguishable_px = 4.0;
  if (marker.cell >= distinguishable_px) {
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme.palette().text, 1));
    for (const QPointF& miss : marker.misses)
      painter.drawRect(QRectF(miss.x() - (dot / 2), miss.y() - (dot / 2), dot, dot));
  }
  for (const QPointF& hit : marker.hits)
    square(hit, dot + 2, halo);
  for (const QPointF& hit : marker.hits)
    square(hit, dot, theme.palette().sparse);
  square(marker.at, dot + 4, halo);
  square(marker.at, dot + 2, theme.palette().error);
  const double radius = std::max(min_radius, marker.reach + dot + 5);
  constexpr std::array<QPointF, 4> directions{QPointF{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
  painter.setBrush(Qt::NoBrush);
  for (const QPen& pen : {QPen(halo, 5.0), QPen(theme.palette().error, 2.0)}) {
    painter.setPen(pen);
    painter.drawEllipse(marker.at, radius, radius);
    for (const QPointF& d : directions)
      painter.drawLine(marker.at + (radius * d), marker.at + ((radius + 8) * d));
  }
}

void paint_edges(QPainter& painter, const VoxelMarker& marker, const Theme& theme) {
  QColor halo = theme.palette().view_top;
  halo.setAlphaF(0.7F);
  for (const QPen& pen : {QPen(halo, 5.0, Qt::SolidLine, Qt::RoundCap), QPen(theme.palette().error, 2.5)}) {
    painter.setPen(pen);
    painter.drawLines(marker.edges);
  }
}

/// Paints an arrow with a minimum length, because the neighbour of a distant voxel may be only one pixel
/// away.
void paint_arrow(QPainter& painter, const QPointF& from, const QPointF& to, const Theme& theme) {
  constexpr double least = 26.0, head = 9.0, spread = 0.45;
  const QPointF way = to - from;
  const double length = std::hypot(way.x(), way.y());
  if (length < 0.01) return;  // the arrow points straight towards the eye
  const QPointF direction = way / length;
  const QPointF tip = from + (std::max(length, least) * direction), across(-direction.y(), direction.x());
  const QPointF left = tip - (head * direction) + (head * spread * across),
                right = tip - (head * direction) - (head * spread * across);
  QColor halo = theme.palette().view_top;
  halo.setAlphaF(0.9F);
  for (const QPen& pen : {QPen(halo, 5.0), QPen(theme.palette().text, 2.0)}) {
    painter.setPen(pen);
    painter.drawLine(from, tip);
    painter.drawLine(tip, left);
    painter.drawLine(tip, right);
  }
}

}  // namespace

void paint_marker(QPainter& painter, const VoxelMarker& marker, const Theme& theme) {
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  // The list of edges is empty if a corner is behind the eye.
  const bool small = marker.cell < large_enough || marker.edges.isEmpty();
  small ? paint_ring(painter, marker, theme) : paint_edges(painter, marker, theme);
  if (marker.arrow_to) paint_arrow(painter, marker.at, *marker.arrow_to, theme);
  painter.restore();
}

}  // namespace spira::ui
