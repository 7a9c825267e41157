// Paints from which level each level is computed: as a chain of arrows, or with an arrow from level 0 to each
// level.
#include "engine/base/text.hpp"
#include "ui/lessons/diagrams/diagram_paint.hpp"
#include "ui/theme/screen_number.hpp"

#include <QCoreApplication>
#include <QPainterPath>

#include <algorithm>
#include <cmath>

namespace spira::ui {
namespace {

class Links {
  Q_DECLARE_TR_FUNCTIONS(spira::ui::Links)
};
using Level = LessonLevels::Level;

/// Fraction of the animation that shows only the chain, in which each level is computed from the previous
/// level. After this fraction, the arrows from V0 to each level (closed form) are drawn one after another.
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
  if (at == 0) return Links::tr("V\u2080: all %1 voxels; source of every level").arg(counted(level.voxels));
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
    return Links::tr("Step by step: %1 other levels are computed before the last level")
        .arg(std::max(0, made - 1));
  const auto equal = std::count_if(levels.levels.begin() + 1, levels.levels.end(),
                                   [](const Level& level) { return level.equal; });
  return Links::tr(
             "Closed form: each level is computed directly from V\u2080. In %1 of %2 levels, all words are "
             "equal.")
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
