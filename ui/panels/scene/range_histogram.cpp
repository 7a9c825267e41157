#include "ui/panels/scene/range_histogram.hpp"

#include "engine/base/text.hpp"
#include "ui/theme/screen_number.hpp"
#include "ui/theme/theme.hpp"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace spira::ui {
namespace {

constexpr double side = 7, foot = 9;  // Space for the handles at the sides and at the bottom, in pixels.

QString value_text(double value) {
  return onScreen(value, 'g', 4);
}

}  // namespace

RangeHistogram::RangeHistogram(Theme* theme, QWidget* parent) : QWidget(parent), theme_(theme) {
  setObjectName("rangeHistogram");
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  setMouseTracking(true);
  setAccessibleName(tr("Histogram of the coloured values"));
  connect(theme_, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void RangeHistogram::setLegend(const ColourLegend& legend) {
  legend_ = legend;
  if (!dragged_) shown_ = legend.range;
  setVisible(legend.histogram != nullptr);
  setAccessibleDescription(facts());
  update();
}

QString RangeHistogram::facts() const {
  if (!legend_.histogram) return {};
  const ValueHistogram& all = *legend_.histogram;
  return tr("%1, median %2, quartiles %3 and %4")
      .arg(counted(all.values, tr("1 voxel"), tr("%1 voxels")), value_text(all.median), value_text(all.q1),
           value_text(all.q3));
}

QRectF RangeHistogram::plot() const {
  return {side, 2, std::max(1.0, width() - (2 * side)), std::max(1.0, height() - foot - 2)};
}

double RangeHistogram::xOf(double value) const {
  const ValueRange& axis = legend_.histogram->range;
  const double share = std::clamp((value - axis.low) / (axis.high - axis.low), 0.0, 1.0);
  return plot().left() + (share * plot().width());
}

double RangeHistogram::valueAt(double x) const {
  const ValueRange& axis = legend_.histogram->range;
  const double share = std::clamp((x - plot().left()) / plot().width(), 0.0, 1.0);
  return axis.low + (share * (axis.high - axis.low));
}

QPoint RangeHistogram::handle(bool high) const {
  if (!legend_.histogram) return {};
  return {static_cast<int>(std::lround(xOf(high ? shown_.high : shown_.low))), height() - 5};
}

void RangeHistogram::paintEvent(QPaintEvent*) {
  if (!legend_.histogram) return;
  const ValueHistogram& all = *legend_.histogram;
  QPainter painter(this);
  const QRectF area = plot();
  const auto bins = static_cast<double>(all.counts.size());
  const auto most = static_cast<double>(*std::max_element(all.counts.begin(), all.counts.end()));
  const double width = area.width() / bins, range = shown_.high - shown_.low;
  QColor outside = theme_->palette().faint_text;
  outside.setAlphaF(0.45F);
  for (std::size_t bin = 0; bin < all.counts.size(); ++bin) {
    if (all.counts[bin] == 0) continue;
    const double left = area.left() + (width * static_cast<double>(bin));
    const double height = std::max(1.0, area.height() * static_cast<double>(all.counts[bin]) / most);
    const double value = valueAt(left + (width / 2));
    const bool inside = value >= shown_.low && value <= shown_.high;
    const Rgb rgb = colour_of(legend_, range > 0 ? std::clamp((value - shown_.low) / range, 0.0, 1.0) : 0.5);
    painter.fillRect(QRectF(left, area.bottom() - height, std::max(1.0, width - 0.5), height),
                     inside ? QColor(rgb[0], rgb[1], rgb[2]) : outside);
  }
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(theme_->palette().faint_text);
  painter.drawLine(area.bottomLeft(), area.bottomRight());
  paintHandle(painter, shown_.low);
  paintHandle(painter, shown_.high);
}

void RangeHistogram::paintHandle(QPainter& painter, double value) const {
  constexpr double half = 5;
  const double x = xOf(value), bottom = plot().bottom();
  painter.setPen(QPen(theme_->palette().text, 1));
  painter.drawLine(QPointF(x, plot().top()), QPointF(x, bottom));
  painter.setBrush(theme_->palette().accent);
  painter.drawPolygon(QPolygonF({{x, bottom}, {x + half, bottom + foot}, {x - half, bottom + foot}}));
}

void RangeHistogram::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || !legend_.histogram) return;
  const double x = event->position().x(), low = xOf(shown_.low), high = xOf(shown_.high);
  const bool nearer_low = low == high ? x < low : std::abs(x - low) < std::abs(x - high);
  dragged_ = nearer_low ? Handle::low : Handle::high;
}

void RangeHistogram::mouseMoveEvent(QMouseEvent* event) {
  if (!legend_.histogram) return;
  const double x = event->position().x();
  if (!dragged_) return setCursor(Qt::SizeHorCursor);
  // The two handles must not have the same value, because such a range has only one colour.
  const ValueRange& axis = legend_.histogram->range;
  const double least = (axis.high - axis.low) / 200;
  const double value = valueAt(x);
  if (*dragged_ == Handle::low) {
    shown_.low = std::min(value, shown_.high - least);
  } else {
    shown_.high = std::max(value, shown_.low + least);
  }
  update();
  emit rangeDragged(shown_.low, shown_.high);
}

void RangeHistogram::mouseReleaseEvent(QMouseEvent*) {
  dragged_.reset();
}

void RangeHistogram::mouseDoubleClickEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  dragged_.reset();
  emit resetRequested();
}

QString RangeHistogram::tipAt(double x) const {
  const ValueHistogram& all = *legend_.histogram;
  const auto bins = static_cast<double>(all.counts.size());
  const double share = (x - plot().left()) / plot().width();
  const double step = (all.range.high - all.range.low) / bins;
  const auto bin = static_cast<std::size_t>(std::clamp(share * bins, 0.0, bins - 1));
  const double low = all.range.low + (step * static_cast<double>(bin));
  QString text = tr("%1 to %2: %3")
                     .arg(value_text(low), value_text(low + step),
                          counted(all.counts[bin], tr("1 voxel"), tr("%1 voxels")));
  if (all.below + all.above > 0)
    text += "\n" + tr("Not in the histogram: %1 below, %2 above")
                       .arg(onScreen(count_text(all.below)), onScreen(count_text(all.above)));
  return text + "\n" + tr("Drag a handle to set the range; double-click to reset it");
}

bool RangeHistogram::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip && legend_.histogram) {
    const auto* help = static_cast<QHelpEvent*>(event);
    QToolTip::showText(help->globalPos(), tipAt(help->pos().x()), this);
    return true;
  }
  return QWidget::event(event);
}

}  // namespace spira::ui
