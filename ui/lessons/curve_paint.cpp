// Work and times over t, memory over the layers.
#include "engine/base/text.hpp"
#include "ui/lessons/diagram_paint.hpp"
#include "ui/theme/screen_number.hpp"

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
      return Curves::tr("slots a voxel, by rows");
    case Of::sparse_pairs:
      return Curves::tr("pairs a voxel, atomic additions");
    case Of::measured:
      return Curves::tr("measured: median, bar: IQR");
    case Of::modelled:
      return Curves::tr("modelled");
    case Of::held_network_wide:
      return Curves::tr("all maps from the start");
    case Of::held_layer_by_layer:
      return Curves::tr("layer by layer");
  }
  return {};
}

QColor colour_of(Of of, const Palette& p) {
  switch (of) {
    case Of::dense_slots:
    case Of::held_layer_by_layer:
      return p.dense;
    case Of::sparse_pairs:
    case Of::held_network_wide:
      return p.sparse;
    case Of::measured:
      return p.text;
    case Of::modelled:
      return p.accent;
  }
  return p.text;
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

/// Axes and the way from a value to the picture.
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
    if (y > area.top() + line)  // the unit stands there
      painter.drawText(QRectF(area.left() - 60, y - (line / 2), 54, line), Qt::AlignRight | Qt::AlignVCenter,
                       QString::number(in_unit(value, curves.unit), 'g', 4));
  }
  painter.drawText(QRectF(area.left() - 60, area.top() - (line / 2), 54, line),
                   Qt::AlignRight | Qt::AlignVCenter, unit_text(curves));
  constexpr double narrow = 34;
  const double wide = frame.at(1, 0).x() - frame.at(0, 0).x();
  const int every = std::max(1, static_cast<int>(std::ceil(narrow / wide)));
  for (int x = frame.low(); x <= frame.high(); x += every) {
    const QString text = curves.over_layers ? QString::number(x + 1) : Curves::tr("t = %1").arg(x);
    painter.drawText(QRectF(frame.at(x, 0).x() - 40, area.bottom() + 2, 80, line), Qt::AlignCenter, text);
  }
}

void paint_points(QPainter& painter, const LessonCurves& curves, const LessonCurves::Curve& curve,
                  const Frame& frame, double until, const Palette& p, std::vector<QRectF>& labels) {
  const QColor colour = colour_of(curve.of, p);
  QPolygonF way;
  for (const auto& point : curve.points) {
    const QPointF at = frame.at(point.x, point.value);
    if (curves.over_layers && !way.isEmpty()) way << QPointF(at.x(), way.last().y());  // held until then
    way << at;
  }
  painter.setPen(QPen(colour, 2, curve.of == Of::modelled ? Qt::DashLine : Qt::SolidLine));
  painter.drawPolyline(way);
  if (curves.over_layers) return;
  const double line = QFontMetricsF(painter.font()).height();
  for (const auto& point : curve.points) {
    const QPointF at = frame.at(point.x, point.value);
    if (at.x() > until) break;
    painter.setPen(QPen(colour, 2));
    const QPointF reach(0, frame.at(0, 0).y() - frame.at(0, point.spread / 2).y());
    if (point.spread > 0) painter.drawLine(at - reach, at + reach);
    painter.setBrush(colour);
    painter.drawEllipse(at, 3.5, 3.5);
    painter.setBrush(Qt::NoBrush);
    if (curve.of == Of::modelled) continue;  // it stands close to what was measured
    const QString text = number(point.value, curves.unit);
    QRectF label(0, 0, QFontMetricsF(painter.font()).horizontalAdvance(text), line);
    label.moveCenter(QPointF(at.x(), at.y() - reach.y() - (line / 2) - 5));
    const auto hides = [&](const QRectF& other) { return other.intersects(label); };
    if (std::any_of(labels.begin(), labels.end(), hides)) continue;  // the line above says it as well
    labels.push_back(label);
    painter.setPen(p.text);
    painter.drawText(label, Qt::AlignCenter, text);
  }
}

}  // namespace

void paint_diagram(QPainter& painter, const LessonCurves& curves, const QRectF& area, double part,
                   const Theme& theme) {
  if (curves.curves.empty()) return;
  const double line = QFontMetricsF(painter.font()).height();
  const QRectF plot = area.adjusted(64, line / 2, -8, -line - 4);
  const Frame frame(curves, plot);
  paint_axes(painter, curves, frame, plot, theme.palette());
  painter.setRenderHint(QPainter::Antialiasing);
  const double until = plot.left() + (part * plot.width());
  painter.save();
  painter.setClipRect(QRectF(area.left(), area.top() - line, until - area.left(), area.height() + line));
  std::vector<QRectF> labels;
  for (const auto& curve : curves.curves)
    paint_points(painter, curves, curve, frame, until, theme.palette(), labels);
  painter.restore();
}

QString diagram_status(const LessonCurves& curves, double part) {
  if (curves.curves.empty())
    return curves.over_layers ? Curves::tr("Nothing was measured yet.") : Curves::tr("t was not swept yet.");
  const auto& first = curves.curves.front().points;
  const auto at =
      std::min(first.size() - 1, static_cast<std::size_t>(part * static_cast<double>(first.size())));
  QString text = curves.over_layers ? Curves::tr("layer %1").arg(first[at].x + 1)
                                    : Curves::tr("t = %1").arg(first[at].x);
  const char* between = ": ";
  for (const auto& curve : curves.curves) {
    const auto found = std::find_if(curve.points.begin(), curve.points.end(),
                                    [&](const auto& point) { return point.x == first[at].x; });
    if (found == curve.points.end()) continue;
    QString value = number(found->value, curves.unit);
    if (!curves.unit.empty()) value += " " + unit_text(curves);
    text += between + name_of(curve.of).section(',', 0, 0).section(':', 0, 0) + " " + value;
    between = ", ";
  }
  return text;
}

std::vector<DiagramKey> diagram_keys(const LessonCurves& curves, const Theme& theme) {
  std::vector<DiagramKey> keys;
  for (const auto& curve : curves.curves)
    keys.push_back({colour_of(curve.of, theme.palette()), name_of(curve.of)});
  return keys;
}

}  // namespace spira::ui
