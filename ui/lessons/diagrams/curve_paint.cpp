// Paints the curve charts of lessons: work and times by t, memory by layer, and densities by L1 norm.
#include "engine/base/text.hpp"
#include "ui/lessons/diagrams/diagram_paint.hpp"
#include "ui/theme/screen_number.hpp"
#include "ui/theme/theme.hpp"

#include <QCoreApplication>
#include <QPolygonF>

#include <algorithm>
#include <cmath>

namespace spira::ui {
namespace {

class Curves {
  Q_DECLARE_TR_FUNCTIONS(spira::ui::Curves)
};
using Of = LessonCurves::Of;

QString name_of(Of of) {
  switch (of) {
    case Of::dense_slots:
      return Curves::tr("slots per voxel (row by row)");
    case Of::sparse_pairs:
      return Curves::tr("pairs per voxel (atomic additions)");
    case Of::measured:
      return Curves::tr("measured median (bar: IQR)");
    case Of::modelled:
      return Curves::tr("modelled");
    case Of::held_network_wide:
      return Curves::tr("all maps built at the start");
    case Of::held_layer_by_layer:
      return Curves::tr("maps built layer by layer");
    case Of::whole_scene:
      return Curves::tr("whole scene");
    case Of::walls:
      return Curves::tr("walls");
    case Of::ground:
      return Curves::tr("ground and floors");
    case Of::poles:
      return Curves::tr("poles");
    case Of::scattered:
      return Curves::tr("corners and leaves");
    case Of::chosen:
      return Curves::tr("selection");
    case Of::stride_1:
      return Curves::tr("stride 1");
    case Of::stride_2:
      return Curves::tr("stride 2");
    case Of::stride_4:
      return Curves::tr("stride 4");
    case Of::stride_8:
      return Curves::tr("stride 8");
    case Of::stride_16:
      return Curves::tr("stride 16");
  }
  return {};
}

/// Returns the name of a curve without the explanation that follows the name.
QString short_name_of(Of of) {
  switch (of) {
    case Of::dense_slots:
      return Curves::tr("slots per voxel");
    case Of::sparse_pairs:
      return Curves::tr("pairs per voxel");
    case Of::measured:
      return Curves::tr("measured");
    default:
      return name_of(of);
  }
}

QColor colour_of(Of of, const Theme& theme) {
  const Palette& p = theme.palette();
  switch (of) {
    case Of::dense_slots:
      return p.dense;
    case Of::held_layer_by_layer:  // The colour is not blue, because blue means features in the next chart.
      return p.text;
    case Of::sparse_pairs:
    case Of::held_network_wide:
      return p.sparse;
    case Of::measured:
      return p.text;
    case Of::modelled:
      return p.accent;
    case Of::whole_scene:
    case Of::stride_1:
      return p.text;
    case Of::walls:
    case Of::stride_2:
      return p.dense;
    case Of::ground:
      return p.faint_text;
    case Of::poles:
    case Of::stride_4:
      return p.sparse;
    case Of::scattered:
    case Of::stride_8:
      return baselineColour(theme, 1);
    case Of::stride_16:
      return baselineColour(theme, 3);
    case Of::chosen:
      return p.drawn;
  }
  return p.text;
}

LineStyle style_of(Of of) {
  using Mark = LineStyle::Mark;
  switch (of) {
    case Of::modelled:
      return {Qt::DashLine, Mark::circle};
    case Of::walls:
    case Of::stride_2:
      return {Qt::SolidLine, Mark::square};
    case Of::ground:
      return {Qt::DashLine, Mark::diamond};
    case Of::poles:
    case Of::stride_4:
      return {Qt::DashDotLine, Mark::triangle};
    case Of::scattered:
    case Of::stride_8:
      return {Qt::DotLine, Mark::cross};
    case Of::chosen:
    case Of::stride_16:
      return {Qt::DashDotDotLine, Mark::ring};
    default:
      return {};
  }
}

double in_unit(double value, const std::string& unit) {
  constexpr double mega = 1e6;
  return unit == "B" ? value / mega : value;
}

QString number(double value, const std::string& unit) {
  const double shown = in_unit(value, unit);
  return onScreen(fixed(shown, shown >= 100 || shown == 0 ? 0 : shown >= 10 ? 1 : 2));
}

QString unit_text(const LessonCurves& curves) {
  return curves.unit == "B" ? Curves::tr("MB") : QString::fromStdString(curves.unit);
}

/// Returns the status text for the time before the animation. It contains no results, because the page may
/// ask the user to guess them.
QString coming_text(const LessonCurves& curves) {
  QStringList names;
  for (const auto& curve : curves.curves)
    names += short_name_of(curve.of);
  const QString all = names.join(", ");
  switch (curves.over) {
    case LessonCurves::Over::layer:
      return Curves::tr("Curves over the layers: %1").arg(all);
    case LessonCurves::Over::norm:
      return Curves::tr("Curves over the L1 norm: %1").arg(all);
    case LessonCurves::Over::threshold:
      break;
  }
  return Curves::tr("Curves over t: %1").arg(all);
}

QString place_text(const LessonCurves& curves, int x) {
  switch (curves.over) {
    case LessonCurves::Over::layer:
      return QString::number(x + 1);
    case LessonCurves::Over::norm:
      return Curves::tr("norm %1").arg(x);
    case LessonCurves::Over::threshold:
      break;
  }
  return Curves::tr("t = %1").arg(x);
}

/// Converts values to positions in the picture, and computes the axis ticks.
class Frame {
 public:
  Frame(const LessonCurves& curves, const QRectF& area) : area_(area) {
    double most = 0;
    low_ = 1 << 30;
    high_ = 0;
    for (const auto& curve : curves.curves) {
      for (const auto& point : curve.points) {
        most = std::max(most, point.value + (point.spread / 2));
        low_ = std::min(low_, point.x);
        high_ = std::max(high_, point.x);
      }
    }
    constexpr double head_room = 1.12;
    most_ = most > 0 ? most * head_room : 1;
  }
  [[nodiscard]] QPointF at(double x, double value) const {
    const double cells = high_ - low_ + 1;
    return {area_.left() + ((x - low_ + 0.5) / cells * area_.width()),
            area_.bottom() - (value / most_ * area_.height())};
  }
  [[nodiscard]] int low() const { return low_; }
  [[nodiscard]] int high() const { return high_; }
  [[nodiscard]] double most() const { return most_; }
  [[nodiscard]] double tick() const { return diagram_tick(most_, 5); }

 private:
  QRectF area_;
  int low_ = 0, high_ = 0;
  double most_ = 1;
};

void paint_axes(QPainter& painter, const LessonCurves& curves, const Frame& frame, const QRectF& area,
                const Palette& p) {
  const double line = QFontMetricsF(painter.font()).height();
  for (double value = 0; value < frame.most(); value += frame.tick()) {
    const double y = frame.at(frame.low(), value).y();
    painter.setPen(p.line);
    painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
    painter.setPen(p.faint_text);
    if (y > area.top() + line)  // Leaves space for the unit.
      painter.drawText(QRectF(area.left() - 60, y - (line / 2), 54, line), Qt::AlignRight | Qt::AlignVCenter,
                       QString::number(in_unit(value, curves.unit), 'g', 4));
  }
  painter.drawText(QRectF(area.left() - 60, area.top() - (line / 2), 54, line),
                   Qt::AlignRight | Qt::AlignVCenter, unit_text(curves));
  constexpr double narrow = 34;
  const double wide = frame.at(1, 0).x() - frame.at(0, 0).x();
  const int every = std::max(1, static_cast<int>(std::ceil(narrow / wide)));
  for (int x = frame.low(); x <= frame.high(); x += every) {
    QString text = place_text(curves, x);
    if (x == frame.low() && curves.over == LessonCurves::Over::layer) text = Curves::tr("layer %1").arg(text);
    // The text is placed below the 0 of the vertical axis.
    painter.drawText(QRectF(frame.at(x, 0).x() - 40, area.bottom() + (line / 2), 80, line), Qt::AlignCenter,
                     text);
  }
}

/// A value label next to a point. Labels are painted after all curves.
struct Label {
  QRectF area;
  QString text;
};

/// Returns true if the points of the curve have value labels. Only curves over t have labels. Modelled curves
/// have none, because their labels would overlap the labels of the measured curve. Curves over the L1 norm
/// have none, because these curves are close to each other. Curves over the layers have no points.
bool has_labels(const LessonCurves& curves, const LessonCurves::Curve& curve) {
  return curves.over == LessonCurves::Over::threshold && curve.of != Of::modelled;
}

/// Adds the labels of the points at one x. The label of the highest point is above the point, and all other
/// labels are below their points, so that no label covers a point. If this position is occupied, the label
/// moves to the other side of its point.
void add_labels(const QFontMetricsF& metrics, const LessonCurves& curves, const Frame& frame, int x,
                std::vector<Label>& labels) {
  struct Placed {
    LessonCurves::Point point;
    bool labelled = false;
  };
  std::vector<Placed> points;
  for (const auto& curve : curves.curves) {
    for (const auto& point : curve.points) {
      if (point.x == x) points.push_back({point, has_labels(curves, curve)});
    }
  }
  std::stable_sort(points.begin(), points.end(),
                   [](const Placed& a, const Placed& b) { return a.point.value > b.point.value; });
  const double lowest = frame.at(0, 0).y();
  constexpr double mark = 8;
  for (const auto& [point, labelled] : points) {
    if (!labelled) continue;
    const QPointF at = frame.at(point.x, point.value);
    const double reach = lowest - frame.at(0, point.spread / 2).y();
    const QString text = number(point.value, curves.unit);
    QRectF area(0, 0, metrics.horizontalAdvance(text), metrics.height());
    const auto is_free = [&] {
      return area.bottom() <= lowest &&
             std::none_of(labels.begin(), labels.end(),
                          [&](const Label& other) { return other.area.intersects(area); }) &&
             std::none_of(points.begin(), points.end(), [&](const Placed& other) {
               const QPointF centre = frame.at(other.point.x, other.point.value);
               return QRectF(centre.x() - (mark / 2), centre.y() - (mark / 2), mark, mark).intersects(area);
             });
    };
    const bool highest = &point == &points.front().point;
    for (const double side : {highest ? -1.0 : 1.0, highest ? 1.0 : -1.0}) {
      area.moveCenter(QPointF(at.x(), at.y() + (side * (reach + (metrics.height() / 2) + 5))));
      if (!is_free()) continue;
      labels.push_back({area, text});
      break;
    }
  }
}

void paint_points(QPainter& painter, const LessonCurves& curves, const LessonCurves::Curve& curve,
                  const Frame& frame, double until, const Theme& theme) {
  const QColor colour = colour_of(curve.of, theme);
  QPolygonF way;
  for (const auto& point : curve.points) {
    const QPointF at = frame.at(point.x, point.value);
    if (curves.over == LessonCurves::Over::layer && !way.isEmpty())
      way << QPointF(at.x(), way.last().y());  // The memory stays allocated until the next layer runs.
    way << at;
  }
  painter.setPen(QPen(colour, 2, style_of(curve.of).dashes));
  painter.drawPolyline(way);
  if (curves.over == LessonCurves::Over::layer) return;
  for (const auto& point : curve.points) {
    const QPointF at = frame.at(point.x, point.value);
    if (at.x() > until) break;
    painter.setPen(QPen(colour, 2));
    const QPointF reach(0, frame.at(0, 0).y() - frame.at(0, point.spread / 2).y());
    if (point.spread > 0) painter.drawLine(at - reach, at + reach);
    paint_mark(painter, at, style_of(curve.of).mark, colour);
  }
}

}  // namespace

void paint_mark(QPainter& painter, const QPointF& at, LineStyle::Mark mark, const QColor& colour) {
  using Mark = LineStyle::Mark;
  constexpr double r = 3.5, wide = 4.5;
  painter.setPen(QPen(colour, 2));
  painter.setBrush(mark == Mark::ring ? Qt::NoBrush : QBrush(colour));
  if (mark == Mark::circle || mark == Mark::ring) {
    painter.drawEllipse(at, mark == Mark::ring ? wide : r, mark == Mark::ring ? wide : r);
  } else if (mark == Mark::square) {
    painter.drawRect(QRectF(at.x() - r, at.y() - r, 2 * r, 2 * r));
  } else if (mark == Mark::cross) {
    painter.drawLine(at - QPointF(wide, wide), at + QPointF(wide, wide));
    painter.drawLine(at - QPointF(wide, -wide), at + QPointF(wide, -wide));
  } else if (mark == Mark::triangle) {
    painter.drawPolygon(QPolygonF({at + QPointF(0, -wide), at + QPointF(wide, r), at + QPointF(-wide, r)}));
  } else {
    painter.drawPolygon(QPolygonF(
        {at + QPointF(0, -wide), at + QPointF(wide, 0), at + QPointF(0, wide), at + QPointF(-wide, 0)}));
  }
  painter.setBrush(Qt::NoBrush);
}

void paint_diagram(QPainter& painter, const LessonCurves& curves, const QRectF& area, double part,
                   const Theme& theme) {
  if (curves.curves.empty()) return;
  const double line = QFontMetricsF(painter.font()).height();
  const QRectF plot = area.adjusted(64, line / 2, -8, (-1.5 * line) - 2);
  const Frame frame(curves, plot);
  paint_axes(painter, curves, frame, plot, theme.palette());
  painter.setRenderHint(QPainter::Antialiasing);
  const double until = plot.left() + (part * plot.width());
  painter.save();
  painter.setClipRect(QRectF(area.left(), area.top() - line, until - area.left(), area.height() + line));
  for (const auto& curve : curves.curves)
    paint_points(painter, curves, curve, frame, until, theme);
  std::vector<Label> labels;
  for (int x = frame.low(); x <= frame.high() && frame.at(x, 0).x() <= until; ++x)
    add_labels(QFontMetricsF(painter.font()), curves, frame, x, labels);
  QColor ground = theme.palette().panel;
  ground.setAlphaF(0.8F);
  painter.setPen(theme.palette().text);
  for (const Label& label : labels) {  // Labels are painted over all curves.
    painter.fillRect(label.area, ground);
    painter.drawText(label.area, Qt::AlignCenter, label.text);
  }
  painter.restore();
}

QString diagram_status(const LessonCurves& curves, double part) {
  if (curves.curves.empty())
    return curves.over == LessonCurves::Over::threshold ? Curves::tr("t has not been swept yet.")
           : curves.over == LessonCurves::Over::layer   ? Curves::tr("Nothing has been measured yet.")
                                                        : Curves::tr("No voxels.");
  if (part <= 0) return coming_text(curves);
  const auto& first = curves.curves.front().points;
  const auto at =
      std::min(first.size() - 1, static_cast<std::size_t>(part * static_cast<double>(first.size())));
  QString text = place_text(curves, first[at].x);
  if (curves.over == LessonCurves::Over::layer) text = Curves::tr("layer %1").arg(text);
  const char* between = ": ";
  for (const auto& curve : curves.curves) {
    const auto found = std::find_if(curve.points.begin(), curve.points.end(),
                                    [&](const auto& point) { return point.x == first[at].x; });
    if (found == curve.points.end()) continue;
    QString value = number(found->value, curves.unit);
    if (!curves.unit.empty()) value += " " + unit_text(curves);
    text += between + short_name_of(curve.of) + " " + value;
    between = ", ";
  }
  return text;
}

std::vector<DiagramKey> diagram_keys(const LessonCurves& curves, const Theme& theme) {
  // Curves over the layers have no markers, so the legend shows boxes for them.
  const auto key_of = [](const LessonCurves& all, Of of) {
    return all.over == LessonCurves::Over::layer ? std::nullopt : std::optional(style_of(of));
  };
  std::vector<DiagramKey> keys;
  for (const auto& curve : curves.curves)
    keys.push_back({colour_of(curve.of, theme), name_of(curve.of), key_of(curves, curve.of)});
  return keys;
}

}  // namespace spira::ui
