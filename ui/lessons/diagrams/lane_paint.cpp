// Paints the pieces of work of a lesson on lanes, either at their measured times or by their dependencies.
#include "engine/base/text.hpp"
#include "ui/lessons/diagrams/diagram_paint.hpp"
#include "ui/theme/screen_number.hpp"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace spira::ui {
namespace {

class Lanes {
  Q_DECLARE_TR_FUNCTIONS(spira::ui::Lanes)
};
using Reveal = LessonLanes::Reveal;
using Unit = LessonLanes::Unit;

QString lane_name(const std::string& lane) {
  if (lane == "indexing") return Lanes::tr("voxels, maps");
  if (lane == "features") return Lanes::tr("features");
  if (lane == "alone") return Lanes::tr("isolated, in sequence");
  if (lane == "voxelize") return Lanes::tr("stride 1");
  const StageKey stage(lane);
  const QString subject = QString::fromStdString(stage.subject);
  if (stage.phase == "downsample") return Lanes::tr("stride %1").arg(subject);
  if (stage.phase == "map") return Lanes::tr("map %1").arg(subject);
  return QString::fromStdString(lane);
}

QColor colour_of(const LessonLanes::Piece& piece, const Theme& theme) {
  if (!piece.indexing) return theme.stage(StageGroup::output_stationary);
  if (piece.stage.phase == "map") return theme.stage(StageGroup::search);
  return theme.stage(piece.stage.phase == "downsample" ? StageGroup::downsample : StageGroup::voxelize);
}

/// Returns the animation time, slowed down at its start and its end, so that viewers can follow.
double eased(double part) {
  return part * part * (3 - (2 * part));
}

double begin_at(const LessonLanes& lanes, const LessonLanes::Piece& piece, double part) {
  if (lanes.reveal == Reveal::in_time) return piece.begin;
  return piece.begin + (eased(part) * (piece.begin_after - piece.begin));
}

void paint_axis(QPainter& painter, const LessonLanes& lanes, const QRectF& plot, const Palette& p) {
  const double longest = lanes.longest();
  const double line = QFontMetricsF(painter.font()).height();
  const double tick =
      lanes.unit == Unit::ms ? diagram_tick(longest, 6) : std::max(1.0, diagram_tick(longest, 6));
  for (double at = 0; at <= longest * 1.001; at += tick) {
    const double x = plot.left() + (at / longest * plot.width());
    painter.setPen(p.line);
    painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()));
    painter.setPen(p.faint_text);
    const QString unit = lanes.unit == Unit::ms ? Lanes::tr("%1 ms")
                         : at == 1              ? Lanes::tr("%1 step")
                                                : Lanes::tr("%1 steps");
    painter.drawText(QRectF(x - 40, plot.bottom() + 2, 80, line), Qt::AlignCenter,
                     unit.arg(onScreen(at, 'g', 4)));
  }
}

/// Paints the names of the lanes. If the lanes are not high enough, uses a smaller font. If that font does
/// not fit either, paints only some of the names.
void paint_names(QPainter& painter, const LessonLanes& lanes, const QRectF& plot, double left, double high,
                 const Palette& p) {
  constexpr int least = 10;  // Minimum font size, in pixels.
  const QFont before = painter.font();
  QFont font = before;
  if (QFontMetricsF(font).height() > high) {
    font.setPixelSize(std::max(least, static_cast<int>(high * 0.85)));
    painter.setFont(font);
  }
  const double line = QFontMetricsF(font).height();
  const auto every = static_cast<std::size_t>(std::max(1.0, std::ceil(0.9 * line / high)));
  painter.setPen(p.text);
  const double wide = plot.left() - left - 8;
  for (std::size_t lane = 0; lane < lanes.lanes.size(); lane += every) {
    const QString name = QFontMetricsF(font).elidedText(lane_name(lanes.lanes[lane]), Qt::ElideMiddle, wide);
    const double middle = plot.top() + ((static_cast<double>(lane) + 0.5) * high);
    painter.drawText(QRectF(left, middle - (line / 2), wide, line), Qt::AlignRight | Qt::AlignVCenter, name);
  }
  painter.setFont(before);
}

}  // namespace

double diagram_tick(double most, int count) {
  const double raw = most / count, decade = std::pow(10.0, std::floor(std::log10(raw)));
  const double digit = raw / decade;
  return decade * (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10);
}

void paint_diagram(QPainter& painter, const LessonLanes& lanes, const QRectF& area, double part,
                   const Theme& theme) {
  if (lanes.pieces.empty() || lanes.longest() <= 0) return;
  const Palette& p = theme.palette();
  const QFontMetricsF metrics(painter.font());
  const double line = metrics.height();
  double names = 0;
  for (const std::string& lane : lanes.lanes)
    names = std::max(names, metrics.horizontalAdvance(lane_name(lane)));
  names = std::min(names + 10, area.width() * 0.3);
  QRectF plot = area.adjusted(names, 0, -24, -line - 4);
  constexpr double max_row_height = 72;
  const auto count = static_cast<double>(lanes.lanes.size());
  const double high = std::min(max_row_height, plot.height() / count);
  plot.setHeight(high * count);
  paint_axis(painter, lanes, plot, p);
  const double unit = plot.width() / lanes.longest();
  const double shown = lanes.reveal == Reveal::in_time ? part * lanes.longest() : lanes.longest();
  for (const auto& piece : lanes.pieces) {
    const double begin = begin_at(lanes, piece, part);
    const double length = std::min(piece.length, shown - begin);
    if (length <= 0) continue;
    const double wide = std::max(1.0, length * unit);
    const double seam = wide > 3 ? 0.6 : 0;
    painter.fillRect(QRectF(plot.left() + (begin * unit), plot.top() + (piece.lane * high) + (high * 0.1),
                            wide - seam, high * 0.8),
                     colour_of(piece, theme));
  }
  paint_names(painter, lanes, plot, area.left(), high, p);
  if (lanes.reveal != Reveal::in_time || part >= 1) return;
  painter.setPen(QPen(p.accent, 1.5));
  const double x = plot.left() + (shown * unit);
  painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()));
}

QString diagram_status(const LessonLanes& lanes, double part) {
  if (lanes.pieces.empty()) return Lanes::tr("Nothing has been measured yet.");
  if (lanes.reveal == Reveal::in_time)
    return Lanes::tr("%1 of %2 ms")
        .arg(onScreen(fixed(part * lanes.longest(), 2)), onScreen(fixed(lanes.longest(), 2)));
  double end = 0;
  for (const auto& piece : lanes.pieces)
    end = std::max(end, begin_at(lanes, piece, part) + piece.length);
  return Lanes::tr("%1 stages, %2 of them in sequence")
      .arg(lanes.pieces.size())
      .arg(static_cast<int>(std::ceil(end - 1e-9)));
}

std::vector<DiagramKey> diagram_keys(const LessonLanes& lanes, const Theme& theme) {
  const auto has = [&](const auto& is) { return std::any_of(lanes.pieces.begin(), lanes.pieces.end(), is); };
  std::vector<DiagramKey> keys;
  if (has([](const auto& piece) { return piece.stage.phase == "voxelize"; }))
    keys.push_back({theme.stage(StageGroup::voxelize), Lanes::tr("voxels")});
  if (has([](const auto& piece) { return piece.stage.phase == "downsample"; }))
    keys.push_back({theme.stage(StageGroup::downsample), Lanes::tr("coarser levels")});
  if (has([](const auto& piece) { return piece.stage.phase == "map"; }))
    keys.push_back({theme.stage(StageGroup::search), Lanes::tr("kernel maps")});
  if (has([](const auto& piece) { return !piece.indexing; }))
    keys.push_back({theme.stage(StageGroup::output_stationary), Lanes::tr("features")});
  return keys;
}

}  // namespace spira::ui
