// Paints the stages of a run as bars on lanes. The position of a bar is either its measured time or follows
// from the dependencies between the stages.

#include "engine/base/text.hpp"
#include "ui/lessons/diagrams/diagram_paint.hpp"
#include "ui/theme/screen_number.hpp"

#include <QCoreApplication>
#include <QPainterPath>

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
  if (lane == "alone") return Lanes::tr("measured alone");
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

/// Converts the time of the animation, so that the animation is slower at its start and at its end.
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

/// Paints the names of the lanes. If the lanes are too low for the font, uses a smaller font. If the lanes
/// are too low for this font too, paints only some of the names.
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
  return Lanes::tr("%1 in %2")
      .arg(counted(std::ssize(lanes.pieces), Lanes::tr("1 stage"), Lanes::tr("%1 stages")),
           counted(static_cast<std::int64_t>(std::ceil(end - 1e-9)), Lanes::tr("1 sequential step"),
                   Lanes::tr("%1 sequential steps")));
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

namespace {

class Links {
  Q_DECLARE_TR_FUNCTIONS(spira::ui::Links)
};
using Level = LessonLevels::Level;

/// Fraction of the animation that shows only the chain, in which each level is computed from the previous
/// level. After that, the arrows from V0 to each level (the closed form) appear one after another.
constexpr double chain_alone = 0.3;

QString name_of(std::size_t at) {
  return QString("V") + QChar(0x2080 + static_cast<int>(at));  // The character is a subscript digit.
}

QString counted(std::int64_t count) {
  return onScreen(count_text(count));
}

QRectF box_of(const LessonLevels& levels, std::size_t at, const QRectF& area, double line) {
  constexpr double gap = 0.24, lines = 3;
  const double room = area.width() / static_cast<double>(levels.levels.size());
  const double high = (lines * line) + 10;
  return {area.left() + (room * (static_cast<double>(at) + (gap / 2))), area.bottom() - high - 2,
          room * (1 - gap), high};
}

void paint_head(QPainter& painter, const QPointF& at, const QPointF& from) {
  const double length = std::hypot(at.x() - from.x(), at.y() - from.y());
  if (length <= 0) return;
  const QPointF along = (at - from) / length, across(-along.y(), along.x());
  const QColor colour = painter.pen().color();
  painter.setBrush(colour);
  painter.drawPolygon(QPolygonF({at, at - (8 * along) + (4 * across), at - (8 * along) - (4 * across)}));
  painter.setBrush(Qt::NoBrush);
}

void paint_chain(QPainter& painter, const LessonLevels& levels, const QRectF& area, double line,
                 double strength, const QColor& colour) {
  QColor shade = colour;
  shade.setAlphaF(static_cast<float>(strength));
  painter.setPen(QPen(shade, 2, strength < 1 ? Qt::DotLine : Qt::SolidLine));
  for (std::size_t at = 1; at < levels.levels.size(); ++at) {
    const QRectF from = box_of(levels, at - 1, area, line), to = box_of(levels, at, area, line);
    const QPointF begin(from.right() + 2, from.center().y()), end(to.left() - 2, to.center().y());
    painter.drawLine(begin, end);
    painter.setPen(QPen(shade, 1));
    paint_head(painter, end, begin);
    painter.setPen(QPen(shade, 2, strength < 1 ? Qt::DotLine : Qt::SolidLine));
  }
}

/// Paints an arrow above the boxes, from `from` to `to`. `grown` is the visible share of the arrow, from 0 to
/// 1.
void paint_arc(QPainter& painter, const QRectF& from, const QRectF& to, double top, double grown,
               const QColor& colour) {
  const QPointF begin(from.center().x(), from.top()), end(to.center().x(), to.top() - 2);
  QPainterPath arc(begin);
  arc.cubicTo(QPointF(begin.x(), top), QPointF(end.x(), top), end);
  painter.setPen(QPen(colour, 2));
  QPolygonF way;
  constexpr int pieces = 40;
  for (int piece = 0; piece <= pieces; ++piece)
    way << arc.pointAtPercent(grown * piece / pieces);
  painter.drawPolyline(way);
  if (grown >= 1) paint_head(painter, end, arc.pointAtPercent(0.97));
}

QString equality(const Level& level) {
  return level.equal ? Links::tr("\u2713 equal") : Links::tr("\u2717 differs");
}

QString tip_of(const LessonLevels& levels, std::size_t at) {
  const Level& level = levels.levels[at];
  if (at == 0)
    return Links::tr("V\u2080: all %1 voxels; every level is computed from V\u2080")
        .arg(counted(level.voxels));
  return level.equal
             ? Links::tr(
                   "%1, stride %2: computed from V\u2080; %3 words, each equal to the step-by-step result "
                   "\u2713")
                   .arg(name_of(at))
                   .arg(level.stride)
                   .arg(counted(level.voxels))
             : Links::tr("%1, stride %2: computed from V\u2080; differs from the step-by-step result \u2717")
                   .arg(name_of(at))
                   .arg(level.stride);
}

}  // namespace

void paint_diagram(QPainter& painter, const LessonLevels& levels, const QRectF& area, double part,
                   const Theme& theme) {
  const Palette& p = theme.palette();
  const QFontMetricsF metrics(painter.font());
  const double line = metrics.height();
  painter.setRenderHint(QPainter::Antialiasing);
  constexpr double left_of_chain = 0.35;
  paint_chain(painter, levels, area, line, part > chain_alone ? left_of_chain : 1, p.sparse);
  const std::size_t count = levels.levels.size();
  const QRectF first = box_of(levels, 0, area, line);
  for (std::size_t at = 1; at < count; ++at) {
    const double share = (1 - chain_alone) / static_cast<double>(count - 1);
    const double begins = chain_alone + (share * static_cast<double>(at - 1));
    const double grown = std::clamp((part - begins) / share, 0.0, 1.0);
    if (grown <= 0) continue;
    const double high = (first.top() - area.top()) * static_cast<double>(at) / static_cast<double>(count - 1);
    paint_arc(painter, first, box_of(levels, at, area, line), first.top() - (high * 1.25), grown, p.accent);
  }
  for (std::size_t at = 0; at < count; ++at) {
    const QRectF box = box_of(levels, at, area, line);
    painter.setPen(QPen(p.line, 1));
    painter.setBrush(p.raised);
    painter.drawRoundedRect(box, 4, 4);
    painter.setBrush(Qt::NoBrush);
    const auto row = [&](int which, const QString& text, const QColor& colour) {
      painter.setPen(colour);
      painter.drawText(QRectF(box.left(), box.top() + 5 + (which * line), box.width(), line), Qt::AlignCenter,
                       metrics.elidedText(text, Qt::ElideRight, box.width() - 6));
    };
    const Level& level = levels.levels[at];
    row(0, Links::tr("%1, stride %2").arg(name_of(at)).arg(level.stride), p.text);
    row(1, counted(level.voxels), p.text);
    if (at > 0 && part >= 1) row(2, equality(level), level.equal ? p.text : p.error);
  }
}

QString diagram_status(const LessonLevels& levels, double part) {
  const auto made = static_cast<int>(levels.levels.size()) - 1;
  if (part <= chain_alone)
    return counted(std::max(0, made - 1),
                   Links::tr("Step by step: 1 other level is computed before the last level"),
                   Links::tr("Step by step: %1 other levels are computed before the last level"));
  const auto equal = std::count_if(levels.levels.begin() + 1, levels.levels.end(),
                                   [](const Level& level) { return level.equal; });
  return Links::tr(
             "Closed form: each level is computed directly from V\u2080. %1 of %2 levels are equal to the "
             "step-by-step result.")
      .arg(equal)
      .arg(made);
}

std::vector<DiagramKey> diagram_keys(const LessonLevels&, const Theme& theme) {
  return {{theme.palette().sparse, Links::tr("step by step: from the previous level"), {}},
          {theme.palette().accent, Links::tr("closed form: V\u2080 AND mask"), {}}};
}

std::vector<DiagramSpot> diagram_spots(const LessonLevels& levels, const QRectF& area, const QFont& font) {
  std::vector<DiagramSpot> spots;
  for (std::size_t at = 0; at < levels.levels.size(); ++at)
    spots.push_back({box_of(levels, at, area, QFontMetricsF(font).height()), tip_of(levels, at), -1});
  return spots;
}

}  // namespace spira::ui
