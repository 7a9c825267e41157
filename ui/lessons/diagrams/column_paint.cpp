// Paints the column chart of a lesson. It has one column per offset, grouped by L1 norm, or one column per
// stage of a run, grouped by the kind of stage.
#include "engine/base/text.hpp"
#include "ui/lessons/diagrams/diagram_paint.hpp"
#include "ui/theme/screen_number.hpp"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace spira::ui {
namespace {

class Columns {
  Q_DECLARE_TR_FUNCTIONS(spira::ui::Columns)
};
using Of = LessonColumns::Of;
using Column = LessonColumns::Column;

constexpr double percent = 100;

double largest_value(const LessonColumns& columns) {
  if (columns.of == Of::density) return 1;
  constexpr double head_room = 1.08;
  double most = 1;
  for (const Column& one : columns.columns)
    most = std::max(most, one.value);
  return head_room * most;
}

QString number(const LessonColumns& columns, double value) {
  if (columns.of == Of::density) return Columns::tr("%1 %").arg(onScreen(fixed(percent * value, 1)));
  return onScreen(fixed(value, 2));
}

/// Returns the area of the columns, without the axis on the left and the group names below.
QRectF plot_of(const QRectF& area, double line) {
  return area.adjusted(64, line / 2, -8, -line - 6);
}

QRectF cell(const LessonColumns& columns, std::size_t at, const QRectF& plot) {
  const double wide = plot.width() / static_cast<double>(columns.columns.size());
  return {plot.left() + (wide * static_cast<double>(at)), plot.top(), wide, plot.height()};
}

QColor colour_of(const LessonColumns& columns, int group, const Theme& theme) {
  if (columns.of == Of::in_situ_ratio)
    return theme.stage(group == 0 ? StageGroup::search : StageGroup::output_stationary);
  // Neighbouring groups have different shades, so that they are distinguishable.
  const QColor dense = theme.palette().dense;
  return group % 2 == 0 ? dense : theme.dark() ? dense.lighter(140) : dense.darker(150);
}

void paint_axis(QPainter& painter, const LessonColumns& columns, const QRectF& plot, const Palette& p) {
  const double line = QFontMetricsF(painter.font()).height(), most = largest_value(columns);
  const double tick = diagram_tick(most, 5);
  for (double value = 0; value <= most * 1.001; value += tick) {
    const double y = plot.bottom() - (value / most * plot.height());
    painter.setPen(p.line);
    painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y));
    painter.setPen(p.faint_text);
    const QString text = columns.of == Of::density
                             ? Columns::tr("%1 %").arg(onScreen(fixed(percent * value, 0)))
                             : Columns::tr("%1 \u00d7").arg(onScreen(value, 'g', 3));
    painter.drawText(QRectF(plot.left() - 60, y - (line / 2), 54, line), Qt::AlignRight | Qt::AlignVCenter,
                     text);
  }
}

QString group_name(const LessonColumns& columns, int group, bool wide) {
  if (columns.of == Of::density) return wide ? Columns::tr("norm %1").arg(group) : QString::number(group);
  return group == 0 ? Columns::tr("levels, maps") : Columns::tr("features");
}

/// Returns the index after the last column of the group that begins at column `from`.
std::size_t group_end(const LessonColumns& columns, std::size_t from) {
  std::size_t to = from;
  while (to < columns.columns.size() && columns.columns[to].group == columns.columns[from].group)
    ++to;
  return to;
}

void paint_groups(QPainter& painter, const LessonColumns& columns, const QRectF& plot, const Palette& p) {
  const QFontMetricsF metrics(painter.font());
  for (std::size_t from = 0; from < columns.columns.size();) {
    const std::size_t to = group_end(columns, from);
    const QRectF span = cell(columns, from, plot).united(cell(columns, to - 1, plot));
    const int group = columns.columns[from].group;
    const bool wide = metrics.horizontalAdvance(group_name(columns, group, true)) + 8 < span.width();
    const double room = std::max(span.width(), metrics.horizontalAdvance(group_name(columns, group, wide)));
    painter.setPen(p.line);
    painter.drawLine(QPointF(span.right(), plot.bottom()), QPointF(span.right(), plot.bottom() + 5));
    painter.setPen(p.faint_text);
    painter.drawText(QRectF(span.center().x() - (room / 2), plot.bottom() + 4, room, metrics.height()),
                     Qt::AlignCenter, group_name(columns, group, wide));
    from = to;
  }
}

QString tip_of(const LessonColumns& columns, const Column& one) {
  const QString name = QString::fromStdString(one.name), value = number(columns, one.value);
  return columns.of == Of::density
             ? Columns::tr("%1, L1 norm %2: %3 of the voxels have a neighbour at this offset")
                   .arg(name)
                   .arg(one.group)
                   .arg(value)
             : Columns::tr("%1 takes %2 times as long in the run as alone").arg(name, value);
}

QRectF left_half(const QRectF& area) {
  return {area.left(), area.top(), area.width() * 0.52, area.height()};
}

}  // namespace

void paint_diagram(QPainter& painter, const LessonColumns& columns, const QRectF& area, double part,
                   const Theme& theme) {
  if (columns.columns.empty()) return;
  const QRectF plot = plot_of(area, QFontMetricsF(painter.font()).height());
  paint_axis(painter, columns, plot, theme.palette());
  const double most = largest_value(columns);
  const auto shown = static_cast<std::size_t>(std::ceil(part * static_cast<double>(columns.columns.size())));
  for (std::size_t at = 0; at < shown; ++at) {
    const Column& one = columns.columns[at];
    const QRectF room = cell(columns, at, plot);
    const double seam = room.width() > 4 ? 1 : 0, tall = one.value / most * plot.height();
    painter.fillRect(QRectF(room.left(), plot.bottom() - tall, room.width() - seam, tall),
                     colour_of(columns, one.group, theme));
  }
  paint_groups(painter, columns, plot, theme.palette());
  if (columns.of != Of::in_situ_ratio) return;
  const double y = plot.bottom() - (plot.height() / most);
  // The dashed line is at ratio 1. Stages above the line take longer in situ than isolated.
  painter.setPen(QPen(theme.palette().text, 1, Qt::DashLine));
  painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y));
}

QString diagram_status(const LessonColumns& columns, double part) {
  const auto& all = columns.columns;
  const auto lower = [](const Column& a, const Column& b) { return a.value < b.value; };
  if (columns.of == Of::in_situ_ratio) {
    if (all.empty()) return Columns::tr("In this run, no stages ran at the same time.");
    const Column& most = *std::max_element(all.begin(), all.end(), lower);
    return counted(std::ssize(all), Columns::tr("1 stage: %1 takes %2 times as long as alone"),
                   Columns::tr("%1 stages; highest ratio: %2 takes %3 times as long as alone"))
        .arg(QString::fromStdString(most.name), number(columns, most.value));
  }
  if (all.size() < 2) return Columns::tr("No voxels.");
  if (part >= 1) {
    // Exclude the first element, which is the centre offset.
    const auto [least, most] = std::minmax_element(all.begin() + 1, all.end(), lower);
    return Columns::tr(
               "%1 offsets; highest density except the centre: %2 with %3; lowest density: %4 with %5")
        .arg(all.size())
        .arg(QString::fromStdString(most->name), number(columns, most->value),
             QString::fromStdString(least->name), number(columns, least->value));
  }
  const auto at = std::min(all.size() - 1, static_cast<std::size_t>(part * static_cast<double>(all.size())));
  const auto is_of = [&](const Column& one) { return one.group == all[at].group; };
  const auto from = std::find_if(all.begin(), all.end(), is_of);
  const auto to = all.begin() + static_cast<std::ptrdiff_t>(
                                    group_end(columns, static_cast<std::size_t>(from - all.begin())));
  if (to - from == 1)
    return Columns::tr("L1 norm %1: 1 offset with a density of %2")
        .arg(QString::number(all[at].group), number(columns, from->value));
  return Columns::tr("L1 norm %1: %2 offsets with densities from %3 to %4")
      .arg(all[at].group)
      .arg(to - from)
      .arg(number(columns, (to - 1)->value), number(columns, from->value));
}

std::vector<DiagramKey> diagram_keys(const LessonColumns& columns, const Theme& theme) {
  if (columns.columns.empty()) return {};
  if (columns.of == Of::density)
    return {{colour_of(columns, 0, theme),
             Columns::tr("share of voxels with a neighbour, one column per offset"),
             {}}};
  return {{colour_of(columns, 0, theme), Columns::tr("levels and maps"), {}},
          {colour_of(columns, 1, theme), Columns::tr("features"), {}}};
}

std::vector<DiagramSpot> diagram_spots(const LessonColumns& columns, const QRectF& area, const QFont& font) {
  const QRectF plot = plot_of(area, QFontMetricsF(font).height());
  std::vector<DiagramSpot> spots;
  for (std::size_t at = 0; at < columns.columns.size(); ++at)
    spots.push_back(
        {cell(columns, at, plot), tip_of(columns, columns.columns[at]), columns.columns[at].offset});
  return spots;
}

void paint_diagram(QPainter& painter, const LessonPrice& price, const QRectF& area, double part,
                   const Theme& theme) {
  const QRectF left = left_half(area);
  paint_diagram(painter, price.ratios, left, part, theme);
  paint_diagram(painter, price.held, area.adjusted(left.width(), 0, 0, 0), part, theme);
}

QString diagram_status(const LessonPrice& price, double part) {
  const QString text = part > 0 ? Columns::tr("%1. Memory of the maps: %2") : QString("%1. %2");
  return text.arg(diagram_status(price.ratios, part), diagram_status(price.held, part));
}

std::vector<DiagramKey> diagram_keys(const LessonPrice& price, const Theme& theme) {
  std::vector<DiagramKey> keys = diagram_keys(price.ratios, theme);
  for (DiagramKey& key : diagram_keys(price.held, theme))
    keys.push_back(std::move(key));
  return keys;
}

std::vector<DiagramSpot> diagram_spots(const LessonPrice& price, const QRectF& area, const QFont& font) {
  return diagram_spots(price.ratios, left_half(area), font);
}

}  // namespace spira::ui
