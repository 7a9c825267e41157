#include "ui/view3d/voxels/native_marker.hpp"

#include "engine/base/text.hpp"
#include "ui/theme/screen_number.hpp"
#include "ui/theme/theme.hpp"

#include <QCoreApplication>
#include <QFontMetrics>
#include <QLinearGradient>
#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <array>

namespace spira::ui {
namespace {

using Change = NativeInput::Change;

constexpr double input_px = 12, legend_px = 11;  // Diameter of an input, in pixels.

QString words(const char* text) {
  return QCoreApplication::translate("spira::ui::ViewOverlay", text);
}

constexpr double notch = 80, middle_of_notch = 45;  // In degrees, counter-clockwise from the right.

/// Returns a circle with a gap if the input is folded.
QPainterPath ring(const QPointF& centre, double radius, bool folded) {
  QPainterPath path;
  const QRectF box(centre.x() - radius, centre.y() - radius, 2 * radius, 2 * radius);
  const double begin = middle_of_notch + (folded ? notch / 2 : 0);
  path.arcMoveTo(box, begin);
  path.arcTo(box, begin, folded ? 360 - notch : 360);
  return path;
}

/// The shape of a disc. A wedge is cut out of folded inputs.
QPainterPath disc(const QPointF& centre, double radius, bool folded) {
  QPainterPath path;
  const QRectF box(centre.x() - radius, centre.y() - radius, 2 * radius, 2 * radius);
  if (!folded) {
    path.addEllipse(box);
    return path;
  }
  path.moveTo(centre);
  path.arcTo(box, middle_of_notch + (notch / 2), 360 - notch);
  path.closeSubpath();
  return path;
}

/// Paints diagonal stripes of the current pen inside the path.
void paint_stripes(QPainter& painter, const QPainterPath& path) {
  constexpr double step = 5;
  painter.save();
  painter.setClipPath(path, Qt::IntersectClip);
  const QRectF box = path.boundingRect();
  for (double x = box.left() - box.height() + (step / 2); x < box.right(); x += step)
    painter.drawLine(QPointF(x, box.bottom()), QPointF(x + box.height(), box.top()));
  painter.restore();
}

void paint_edges(QPainter& painter, const NativeMarker& marker, const Theme& theme) {
  const auto with_alpha = [](QColor colour, double alpha) {
    colour.setAlphaF(static_cast<float>(alpha));
    return colour;
  };
  const Palette& p = theme.palette();
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(with_alpha(p.text, 0.35), 1.0));
  painter.drawLines(marker.far_edges);
  painter.setPen(Qt::NoPen);
  for (const NativeMarker::Face& face : marker.chosen) {
    painter.setBrush(with_alpha(face.colour, 0.6));
    painter.drawPolygon(face.outline);
  }
  painter.setBrush(Qt::NoBrush);
  for (const QPen& pen : {QPen(with_alpha(p.view_top, 0.9), 5.0), QPen(p.text, 2.0)}) {
    painter.setPen(pen);
    for (const NativeMarker::Face& face : marker.chosen)
      painter.drawPolygon(face.outline);
  }
  for (const QPen& pen : {QPen(with_alpha(p.view_top, 0.55), 3.0), QPen(with_alpha(p.text, 0.85), 1.0)}) {
    painter.setPen(pen);
    painter.drawLines(marker.near_edges);
  }
  if (marker.ball_opacity <= 0) return;
  for (const QPen& pen : {QPen(with_alpha(p.view_top, 0.6 * marker.ball_opacity), 3.5),
                          QPen(with_alpha(p.drawn, marker.ball_opacity), 1.5)}) {
    painter.setPen(pen);
    for (const QPolygonF& circle : marker.ball)
      painter.drawPolyline(circle);
  }
}

void paint_point(QPainter& painter, const QPointF& at, const Theme& theme) {
  constexpr double radius = 5, arm = 10;
  QColor halo = theme.palette().view_top;
  halo.setAlphaF(0.9F);
  painter.setBrush(theme.palette().error);
  for (const QPen& pen : {QPen(halo, 5.0), QPen(theme.palette().error, 2.0)}) {
    painter.setPen(pen);
    painter.drawLine(at - QPointF(arm, 0), at + QPointF(arm, 0));
    painter.drawLine(at - QPointF(0, arm), at + QPointF(0, arm));
    painter.drawEllipse(at, radius, radius);
  }
}

struct Entry {
  Change change;
  bool folded;
  const char* name;
};
constexpr std::array<Entry, 5> entries{
    {{Change::same_column, false, QT_TRANSLATE_NOOP("spira::ui::ViewOverlay", "same column")},
     {Change::other_column, false, QT_TRANSLATE_NOOP("spira::ui::ViewOverlay", "other column")},
     {Change::lost, false, QT_TRANSLATE_NOOP("spira::ui::ViewOverlay", "lost")},
     {Change::added, false, QT_TRANSLATE_NOOP("spira::ui::ViewOverlay", "new")},
     {Change::same_column, true, QT_TRANSLATE_NOOP("spira::ui::ViewOverlay", "folded")}}};

/// A line of the legend: an entry, its text and its number.
struct Line {
  const Entry* entry;
  QString text, number;
};

std::vector<Line> lines_of(const NativeMarker& marker) {
  std::vector<Line> lines;
  for (const Entry& entry : entries) {
    const auto count =
        std::count_if(marker.inputs.begin(), marker.inputs.end(), [&](const NativeMarker::Input& input) {
          return entry.folded ? input.folded : input.change == entry.change;
        });
    if (count == 0) continue;
    const QString number = onScreen(count_text(static_cast<std::int64_t>(count)));
    lines.push_back({&entry, words(entry.name) + QStringLiteral(": ") + number, number});
  }
  return lines;
}

QString last_column(const NativeMarker& marker) {
  return QString::number(marker.scale.size() - 1);
}

constexpr double symbol_width = 22, bar_width = 70, gap = 6;

QString bar_name() {
  return words(QT_TRANSLATE_NOOP("spira::ui::ViewOverlay", "column"));
}

}  // namespace

void paint_input(QPainter& painter, const NativeMarker::Input& input, double size, const Theme& theme) {
  const double radius = size / 2;
  QColor halo = theme.palette().view_top;
  halo.setAlphaF(0.95F);
  painter.setBrush(Qt::NoBrush);
  if (input.change == Change::lost) {
    const QRectF box(input.at.x() - radius + 1, input.at.y() - radius + 1, size - 2, size - 2);
    for (const QPen& pen : {QPen(halo, 4.5), QPen(input.colour, 1.5)}) {
      painter.setPen(pen);
      painter.drawRect(box);
    }
    return;
  }
  const QPainterPath shape = disc(input.at, radius, input.folded);
  painter.setPen(QPen(halo, 3.5));
  painter.setBrush(halo);
  painter.drawPath(shape);
  switch (input.change) {
    case Change::same_column:
      painter.setPen(QPen(theme.palette().text, 1));
      painter.setBrush(input.colour);
      painter.drawPath(shape);
      break;
    case Change::other_column:
      painter.setPen(QPen(input.colour, 1.8));
      paint_stripes(painter, shape);
      painter.setPen(QPen(theme.palette().text, 1));
      painter.setBrush(Qt::NoBrush);
      painter.drawPath(shape);
      break;
    case Change::added:
    case Change::lost:
      painter.setBrush(Qt::NoBrush);
      painter.setPen(QPen(input.colour, 3.5, Qt::SolidLine, Qt::FlatCap, Qt::MiterJoin));
      painter.drawPath(ring(input.at, radius - 1.5, input.folded));
      break;
  }
  painter.setBrush(Qt::NoBrush);
}

void paint_native(QPainter& painter, const NativeMarker& marker, const Theme& theme) {
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  paint_edges(painter, marker, theme);
  for (const NativeMarker::Input& input : marker.inputs)
    paint_input(painter, input, input_px, theme);
  paint_point(painter, marker.at, theme);
  painter.restore();
}

QSizeF native_legend_size(const NativeMarker& marker, const QFontMetrics& metrics, bool compact) {
  const double line = metrics.height() + 3;
  const auto lines = lines_of(marker);
  if (compact) {
    double wide = -gap;
    for (const Line& one : lines)
      wide += symbol_width + metrics.horizontalAdvance(one.number) + gap;
    return {std::max(0.0, wide), line};
  }
  double wide = std::max(metrics.horizontalAdvance(marker.title), metrics.horizontalAdvance(marker.note));
  for (const Line& one : lines)
    wide = std::max<double>(wide, symbol_width + metrics.horizontalAdvance(one.text));
  const double bar = metrics.horizontalAdvance(bar_name() + QStringLiteral(" 0") + last_column(marker)) +
                     bar_width + (2 * gap);
  return {std::max(wide, bar), line * static_cast<double>(lines.size() + 3)};
}

namespace {

void paint_bar(QPainter& painter, const NativeMarker& marker, const QRectF& bar) {
  QLinearGradient gradient(bar.topLeft(), bar.topRight());
  const std::size_t last = marker.scale.size() - 1;
  for (std::size_t column = 0; column <= last; ++column)
    gradient.setColorAt(static_cast<double>(column) / static_cast<double>(std::max<std::size_t>(1, last)),
                        marker.scale[column]);
  painter.fillRect(bar, gradient);
}

}  // namespace

void paint_native_legend(QPainter& painter, const NativeMarker& marker, const QRectF& area,
                         const Theme& theme, bool compact) {
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  const QFontMetrics metrics = painter.fontMetrics();
  const double line = metrics.height() + 3;
  double left = area.left(), top = area.top();
  const auto text = [&](double from, const QString& words_of_line) {
    painter.setPen(theme.palette().text);
    painter.drawText(QRectF(from, top, area.width(), line), Qt::AlignLeft | Qt::AlignVCenter, words_of_line);
  };
  if (!compact) {
    text(left, marker.title);
    top += line;
  }
  for (const Line& one : lines_of(marker)) {
    const QPointF symbol = QPointF(left + (symbol_width / 2) - 3, top + (line / 2));
    paint_input(painter, {symbol, one.entry->change, one.entry->folded, theme.palette().text}, legend_px,
                theme);
    text(left + symbol_width, compact ? one.number : one.text);
    if (compact) {
      left += symbol_width + metrics.horizontalAdvance(one.number) + gap;
    } else {
      top += line;
    }
  }
  if (!compact) {
    const QString low = bar_name() + QStringLiteral(" 0");
    text(left, low);
    const QRectF bar(left + metrics.horizontalAdvance(low) + gap, top + 4, bar_width, line - 8);
    paint_bar(painter, marker, bar);
    text(bar.right() + gap, last_column(marker));
    top += line;
    text(left, marker.note);
  }
  painter.restore();
}

}  // namespace spira::ui
