#include "ui/view3d/motion/motion_marks.hpp"

#include "ui/theme/theme.hpp"

#include <QCoreApplication>
#include <QPainter>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace spira::ui {
namespace {

using Kind = MotionMark::Kind;

struct Look {
  Kind kind;
  const char* name;
  double width;  // Line width of the box.
};
constexpr std::array<Look, 14> looks{{
    {Kind::asks, QT_TRANSLATE_NOOP("spira::ui::ViewOverlay", "query"), 4.0},
    {Kind::wanted, QT_TRANSLATE_NOOP("spira::ui::ViewOverlay", "searched for"), 3.0},
    {Kind::compared, QT_TRANSLATE_NOOP("spira::ui::ViewOverlay", "compared"), 1.5},
    {Kind::hit, QT_TRANSLATE_NOOP("spira::ui::ViewOverlay", "found"), 2.5},
    {Kind::miss, QT_TRANSLATE_NOOP("spira::ui::ViewOverlay", "empty"), 1.0},
    {Kind::missed, QT_TRANSLATE_NOOP("spira::ui::ViewOverlay", "exists, but was not found"), 3.0},
    {Kind::stray, QT_TRANSLATE_NOOP("spira::ui::ViewOverlay", "off the grid"), 3.0},
    {Kind::read, QT_TRANSLATE_NOOP("spira::ui::ViewOverlay", "array entry that is read"), 2.0},
    {Kind::read_slot, QT_TRANSLATE_NOOP("spira::ui::ViewOverlay", "hash slot that is read"), 2.0},
    {Kind::stored, QT_TRANSLATE_NOOP("spira::ui::ViewOverlay", "stored in its slot"), 2.0},
    {Kind::point, QT_TRANSLATE_NOOP("spira::ui::ViewOverlay", "point"), 0.0},
    {Kind::cell, QT_TRANSLATE_NOOP("spira::ui::ViewOverlay", "voxel of the point"), 3.0},
    {Kind::alias, QT_TRANSLATE_NOOP("spira::ui::ViewOverlay", "voxel read instead"), 3.0},
    {Kind::output, QT_TRANSLATE_NOOP("spira::ui::ViewOverlay", "output"), 2.0},
}};

const Look& look_of(Kind kind) {
  return *std::find_if(looks.begin(), looks.end(), [&](const Look& look) { return look.kind == kind; });
}

QColor colour_of(Kind kind, const Theme& theme) {
  const Palette& p = theme.palette();
  switch (kind) {
    case Kind::asks:
    case Kind::stray:
    case Kind::missed:
    case Kind::alias:
    case Kind::point:
      return p.error;
    case Kind::hit:
      return p.sparse;
    case Kind::wanted:
    case Kind::cell:
      return p.accent;
    case Kind::compared:
      return p.text;
    case Kind::miss:
      return p.faint_text;
    case Kind::read:
      return theme.stage(StageGroup::search);
    case Kind::read_slot:
    case Kind::stored:
    case Kind::output:
      break;
  }
  return p.drawn;
}

/// Paints the shape of a kind of mark. The kinds differ in shape as well as in colour.
void paint_shape(QPainter& painter, Kind kind, const QPointF& at, double size) {
  const double half = size / 2;
  const QRectF box(at.x() - half, at.y() - half, size, size);
  const QPen pen = painter.pen();
  switch (kind) {
    case Kind::asks:
      painter.fillRect(box, pen.color());
      break;
    case Kind::hit:
      painter.setBrush(pen.color());
      painter.drawPolygon(QPolygonF({QPointF(at.x(), box.top()), box.bottomRight(), box.bottomLeft()}));
      painter.setBrush(Qt::NoBrush);
      break;
    case Kind::wanted:
      painter.drawEllipse(at, half + 1, half + 1);
      painter.drawPoint(at);
      break;
    case Kind::compared:
      painter.drawEllipse(at, half * 0.7, half * 0.7);
      break;
    case Kind::miss:
    case Kind::cell:
      painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5));
      break;
    case Kind::missed:
      painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5));
      [[fallthrough]];
    case Kind::alias:
    case Kind::stray:
      painter.drawLine(box.topLeft(), box.bottomRight());
      painter.drawLine(box.topRight(), box.bottomLeft());
      break;
    case Kind::point:
    case Kind::read:
    case Kind::output:
      painter.setBrush(pen.color());
      painter.drawEllipse(at, half * 0.8, half * 0.8);
      painter.setBrush(Qt::NoBrush);
      break;
    case Kind::read_slot:
    case Kind::stored:  // stored and read_slot never occur in the same picture
      painter.drawPolygon(QPolygonF(
          {at - QPointF(0, half), at + QPointF(half, 0), at + QPointF(0, half), at - QPointF(half, 0)}));
      break;
  }
}

void paint_mark(QPainter& painter, const MotionShown::Mark& mark, const Theme& theme) {
  constexpr double least = 7.0, most = 12.0;
  const double size = std::clamp(mark.cell * 0.5, least, most) + (mark.kind == Kind::asks ? 3 : 0);
  QColor halo = theme.palette().view_top;
  halo.setAlphaF(0.9F);
  painter.setPen(QPen(halo, 4.5));
  paint_shape(painter, mark.kind, mark.at,
              size + (mark.kind == Kind::hit || mark.kind == Kind::asks ? 3 : 0));
  painter.setPen(QPen(colour_of(mark.kind, theme), 2.0));
  paint_shape(painter, mark.kind, mark.at, size);
}

void paint_strip(QPainter& painter, const MotionShown::Strip& strip, const QRectF& bar, const Theme& theme) {
  const Palette& p = theme.palette();
  painter.fillRect(bar, p.raised);
  painter.setPen(QPen(p.line, 1));
  painter.drawRect(bar.adjusted(0.5, 0.5, -0.5, -0.5));
  const auto x = [&](double share) { return bar.left() + (share * bar.width()); };
  if (strip.end > strip.begin) {
    constexpr double thinnest = 2.0;
    QColor colour = p.accent;
    colour.setAlphaF(0.45F);
    painter.fillRect(QRectF(x(strip.begin), bar.top() + 1,
                            std::max(thinnest, (strip.end - strip.begin) * bar.width()), bar.height() - 2),
                     colour);
  }
  const auto ticks = [&](const std::vector<double>& places, const QPen& pen, double inset) {
    painter.setPen(pen);
    for (const double place : places)
      painter.drawLine(QPointF(x(place), bar.top() + inset), QPointF(x(place), bar.bottom() - inset));
  };
  ticks(strip.before, QPen(p.faint_text, 1), 3);
  ticks(strip.now, QPen(p.error, 2), 0);
}

/// Paints the entries of the legend one after the other, on several lines if necessary. Returns the height of
/// the legend. If `painter` is `nullptr`, only computes this height.
double paint_key(QPainter* painter, const MotionShown& shown, const QRectF& area, const QFontMetrics& metrics,
                 const Theme& theme) {
  const double line = metrics.height() + 3;
  double left = 0, top = 0;
  for (const Look& look : looks) {
    if (std::find(shown.kinds.begin(), shown.kinds.end(), look.kind) == shown.kinds.end()) continue;
    const QString name = QCoreApplication::translate("spira::ui::ViewOverlay", look.name);
    const double wide = metrics.horizontalAdvance(name) + 30.0;
    if (left > 0 && left + wide > area.width()) {
      left = 0;
      top += line;
    }
    if (painter != nullptr) {
      constexpr double symbol = 8;
      painter->setPen(QPen(colour_of(look.kind, theme), 2.0));
      paint_shape(*painter, look.kind, area.topLeft() + QPointF(left + 7, top + (line / 2)), symbol);
      painter->setPen(theme.palette().text);
      painter->drawText(QRectF(area.left() + left + 16, area.top() + top, wide, line),
                        Qt::AlignLeft | Qt::AlignVCenter, name);
    }
    left += wide;
  }
  return top + line;
}

void paint_panel(QPainter& painter, const MotionShown& shown, const QRectF& area, const Theme& theme) {
  constexpr double widest = 340, bar_height = 16, edge = 10;
  // Height of the chips above the panel. The chips show the selected offset and voxel.
  constexpr double chips = 60;
  const QFontMetrics metrics = painter.fontMetrics();
  const double line = metrics.height() + 3, wide = std::min(widest, area.width() * 0.6);
  QRectF inside(area.right() - wide - edge - 6, area.top() + edge + chips, wide, 0);
  const double key = paint_key(nullptr, shown, inside, metrics, theme);
  const double strips = static_cast<double>(shown.strips.size()) * (line + bar_height + 4);
  inside.setHeight((shown.note.isEmpty() ? 0 : line) + strips + key);
  QColor back = theme.palette().panel;
  back.setAlphaF(0.88F);
  painter.setPen(QPen(theme.palette().line, 1));
  painter.setBrush(back);
  painter.drawRoundedRect(inside.adjusted(-edge, -6, edge, 6), 4, 4);
  painter.setBrush(Qt::NoBrush);
  double top = inside.top();
  const auto text = [&](const QString& words, const QColor& colour) {
    painter.setPen(colour);
    painter.drawText(QRectF(inside.left(), top, inside.width(), line), Qt::AlignLeft | Qt::AlignVCenter,
                     metrics.elidedText(words, Qt::ElideRight, static_cast<int>(inside.width())));
    top += line;
  };
  if (!shown.note.isEmpty()) text(shown.note, theme.palette().text);
  for (const MotionShown::Strip& strip : shown.strips) {
    text(strip.name, theme.palette().faint_text);
    paint_strip(painter, strip, QRectF(inside.left(), top, inside.width(), bar_height), theme);
    top += bar_height + 4;
  }
  static_cast<void>(
      paint_key(&painter, shown, QRectF(inside.left(), top, inside.width(), key), metrics, theme));
}

}  // namespace

std::vector<MotionShown::Strip> strips_at(const AnimationScene& picture, double part) {
  std::vector<MotionShown::Strip> strips;
  for (const MotionMemory& memory : picture.memory)
    strips.push_back({memory.name, 0, 0, {}, {}});
  const int now = picture.moment_at(part);
  const auto share = [&](std::int64_t place, std::size_t memory) {
    return static_cast<double>(place) /
           static_cast<double>(std::max<std::int64_t>(1, picture.memory[memory].size));
  };
  for (int at = 0; at <= now; ++at) {
    const MotionMoment& moment = picture.moments[static_cast<std::size_t>(at)];
    if (moment.memory >= strips.size()) continue;
    auto& places = at == now ? strips[moment.memory].now : strips[moment.memory].before;
    for (const std::int64_t place : moment.positions)
      places.push_back(share(place, moment.memory));
  }
  if (now < 0 || strips.empty()) return strips;
  const MotionMoment& moment = picture.moments[static_cast<std::size_t>(now)];
  if (moment.end <= moment.begin) return strips;
  const bool slides = now > 0 && picture.moments[static_cast<std::size_t>(now) - 1].end > 0;
  const MotionMoment& from = picture.moments[static_cast<std::size_t>(slides ? now - 1 : now)];
  const double along = std::clamp((part * static_cast<double>(picture.moments.size())) - now, 0.0, 1.0);
  const auto between = [&](std::int64_t a, std::int64_t b) {
    return share(a, 0) + (along * (share(b, 0) - share(a, 0)));
  };
  strips.front().begin = between(from.begin, moment.begin);
  strips.front().end = between(from.end, moment.end);
  return strips;
}

std::vector<HighlightBox> boxes_at(const AnimationScene& picture, int moment, const Point& origin,
                                   const Theme& theme) {
  std::vector<HighlightBox> boxes;
  for (const MotionMark& mark : picture.marks) {
    if (mark.first > moment || mark.last < moment || mark.kind == Kind::point) continue;
    HighlightBox box;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      box.centre[axis] = static_cast<float>(mark.at[axis] - origin[axis]);
      box.size[axis] = static_cast<float>(picture.cell_m[axis]);
    }
    const QColor colour = colour_of(mark.kind, theme);
    box.colour = {colour.redF(), colour.greenF(), colour.blueF()};
    box.width = look_of(mark.kind).width;
    boxes.push_back(box);
  }
  return boxes;
}

void paint_motion(QPainter& painter, const MotionShown& shown, const QRectF& area, const Theme& theme) {
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  for (const MotionShown::Mark& mark : shown.marks)
    paint_mark(painter, mark, theme);
  if (!shown.kinds.empty() || !shown.strips.empty()) paint_panel(painter, shown, area, theme);
  painter.restore();
}

}  // namespace spira::ui
