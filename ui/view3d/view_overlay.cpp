#include "ui/view3d/view_overlay.hpp"

#include "engine/base/text.hpp"
#include "ui/theme/screen_number.hpp"
#include "ui/theme/theme.hpp"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace spira::ui {
namespace {

/// Formats a number of a scale. The number of decimals depends only on `range`, so all numbers of the scale
/// have the same number of decimals.
QString number(double value, double range) {
  constexpr double readable = 1e6;
  if (std::abs(value) >= readable || range <= 0) return onScreen(value, 'g', 3);
  return onScreen(value, 'f', std::clamp(2 - static_cast<int>(std::floor(std::log10(range))), 0, 6));
}

// In pixels. Longer text is wrapped, so that the legend covers less of the view.
constexpr int legend_width = 150;
constexpr double scale_left = 110;  // In pixels. The scale bar is to the right of the axes.

/// Returns the area of the legend's title and of the note below the title.
QRect head_of(const QFontMetrics& metrics, const ColourLegend& legend) {
  const QString text = legend.note.isEmpty() ? legend.title : legend.title + "\n" + legend.note;
  return metrics.boundingRect(QRect(0, 0, legend_width, 1000), Qt::TextWordWrap, text);
}

QRect range_text_of(const QFontMetrics& metrics, const ColourLegend& legend) {
  return metrics.boundingRect(QRect(0, 0, legend_width, 1000), Qt::TextWordWrap, legend.range_text);
}

/// Returns the text of a class. If the classes are not labels of the scene, the text includes the number of
/// voxels, because no panel shows this number.
QString text_of(const ColourLegend& legend, const ColourLegend::Class& one) {
  return legend.labels ? one.text : one.text + QStringLiteral(": ") + onScreen(count_text(one.voxels));
}

/// Returns the area in which these edges are painted. When the pointer moves, only this area is repainted.
QRect around(const QVector<QLineF>& edges) {
  constexpr int room = 12;
  QRectF area;
  for (const QLineF& edge : edges)
    area |= QRectF(edge.p1(), edge.p2()).normalized().adjusted(0, 0, 1e-3, 1e-3);
  return edges.isEmpty() ? QRect() : area.toAlignedRect().adjusted(-room, -room, room, room);
}

}  // namespace

ViewOverlay::ViewOverlay(Theme* theme, QWidget* parent) : QWidget(parent), theme_(theme) {
  setAttribute(Qt::WA_TransparentForMouseEvents);
  setAttribute(Qt::WA_NoSystemBackground);
}

void ViewOverlay::setLegend(const ColourLegend& legend) {
  legend_ = legend;
  update();
}

void ViewOverlay::setLegendShown(bool shown) {
  if (shown == legend_shown_) return;
  legend_shown_ = shown;
  update();
}

void ViewOverlay::setView(const std::array<double, 9>& axes, const PictureScale& scale) {
  if (axes == axes_ && scale == picture_scale_) return;
  axes_ = axes;
  picture_scale_ = scale;
  update();
}

void ViewOverlay::setMarker(const std::optional<VoxelMarker>& marker) {
  if (marker == marker_) return;
  marker_ = marker;
  update();
}

void ViewOverlay::setMotion(std::optional<MotionShown> shown) {
  if (shown == motion_) return;
  motion_ = std::move(shown);
  update();
}

void ViewOverlay::setHovered(const QVector<QLineF>& edges) {
  if (edges == hovered_) return;
  update(around(hovered_));
  hovered_ = edges;
  update(around(hovered_));
}

void ViewOverlay::setMeasured(const std::optional<MeasuredLine>& line) {
  if (line == measured_) return;
  measured_ = line;
  update();
}

void ViewOverlay::setGridSpacing(double metres) {
  if (metres == grid_spacing_) return;
  grid_spacing_ = metres;
  update();
}

void ViewOverlay::setNote(const QString& note) {
  if (note == note_) return;
  note_ = note;
  update();
}

void ViewOverlay::setAxesShown(bool shown) {
  axes_shown_ = shown;
  update();
}

void ViewOverlay::setHint(const QString& hint) {
  hint_ = hint;
  update();
}

void ViewOverlay::setBadge(const QString& badge) {
  badge_ = badge;
  update();
}

void ViewOverlay::setOutline(const QPolygonF& outline) {
  outline_ = outline;
  update();
}

/// Paints dashes over a pale line, so that the outline is visible on both dark and light voxels.
void ViewOverlay::paintOutline(QPainter& painter) const {
  if (outline_.size() < 2) return;
  QColor inside = theme_->palette().drawn;
  inside.setAlphaF(0.15F);
  painter.setBrush(inside);
  painter.setPen(QPen(theme_->palette().panel, 3));
  painter.drawPolygon(outline_, Qt::WindingFill);
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(theme_->palette().drawn, 1.5, Qt::DashLine));
  painter.drawPolygon(outline_, Qt::WindingFill);
}

/// Paints the edges of the voxel. If the voxel is too small to be visible, paints a square around it.
void ViewOverlay::paintHovered(QPainter& painter) const {
  constexpr double least = 7;  // Minimum size of the mark, in pixels.
  if (hovered_.isEmpty()) return;
  QRectF around;
  for (const QLineF& edge : hovered_)
    around |= QRectF(edge.p1(), edge.p2()).normalized().adjusted(0, 0, 1e-3, 1e-3);
  QColor halo = theme_->palette().view_top;
  halo.setAlphaF(0.9F);
  painter.setBrush(Qt::NoBrush);
  for (const QPen& pen : {QPen(halo, 4.0), QPen(theme_->palette().text, 1.5)}) {
    painter.setPen(pen);
    if (std::max(around.width(), around.height()) < least) {
      painter.drawRect(QRectF(around.center() - QPointF(least / 2, least / 2), QSizeF(least, least)));
    } else {
      painter.drawLines(hovered_);
    }
  }
}

/// Paints the line and its ends; paintDistance() paints the text.
void ViewOverlay::paintMeasured(QPainter& painter) const {
  if (!measured_) return;
  const QPointF from = measured_->from, to = measured_->to;
  QColor halo = theme_->palette().view_top;
  halo.setAlphaF(0.9F);
  for (const QPen& pen : {QPen(halo, 5.0), QPen(theme_->palette().drawn, 2.0)}) {
    painter.setPen(pen);
    painter.drawLine(from, to);
    for (const QPointF& end : {from, to})
      painter.drawEllipse(end, 4.5, 4.5);
  }
}

void ViewOverlay::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  paintHovered(painter);
  if (marker_) paint_marker(painter, *marker_, *theme_);
  if (motion_) paint_motion(painter, *motion_, rect(), *theme_);
  paintMeasured(painter);
  paintLegend(painter);
  if (axes_shown_) paintAxes(painter);
  paintScale(painter);
  paintOutline(painter);
  paintHint(painter);
  paintBadge(painter);
  paintNote(painter);
  paintNativeLegend(painter);
  paintDistance(painter);
}

/// Paints a panel, so that text stays readable on any background.
void ViewOverlay::paintBackdrop(QPainter& painter, const QRectF& area) const {
  QColor back = theme_->palette().panel;
  back.setAlphaF(0.88F);
  painter.setPen(QPen(theme_->palette().line, 1));
  painter.setBrush(back);
  painter.drawRoundedRect(area.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
  painter.setBrush(Qt::NoBrush);
}

QString ViewOverlay::lowText() const {
  const auto& [low, high] = legend_.range;
  return legend_.low_text.isEmpty() ? number(low, high - low) : legend_.low_text;
}

QString ViewOverlay::highText() const {
  const auto& [low, high] = legend_.range;
  return legend_.high_text.isEmpty() ? number(high, high - low) : legend_.high_text;
}

QRectF ViewOverlay::legendPanel() const {
  const QFontMetrics metrics(font());
  const double line = metrics.height();
  const QRect head = head_of(metrics, legend_);
  double wide = head.width(), high = head.height();
  for (const auto& one : legend_.classes)
    wide = std::max<double>(wide, 22 + metrics.horizontalAdvance(text_of(legend_, one)));
  if (!legend_.classes.empty()) {
    high += 6 + ((line + 2) * static_cast<double>(classRows()));
  } else if (legend_.bar) {
    for (const QString& text : {lowText(), highText()})
      wide = std::max<double>(wide, 22 + metrics.horizontalAdvance(text));
    high += 16 + barHeight() + range_text_of(metrics, legend_).height();
    wide = std::max<double>(wide, range_text_of(metrics, legend_).width());
  }
  return {7, 7, wide + 20, high + 14};
}

/// Returns the number of classes that fit above the axes.
std::size_t ViewOverlay::classRows() const {
  const int line = QFontMetrics(font()).height() + 2;
  return std::min(legend_.classes.size(), static_cast<std::size_t>(std::max(1, (height() - 160) / line)));
}

double ViewOverlay::barHeight() const {
  return std::clamp(height() / 3, 60, 160);
}

void ViewOverlay::paintLegend(QPainter& painter) const {
  if (!showsLegend()) return;
  const QFontMetrics metrics(font());
  const double line = metrics.height();
  const QRectF panel = legendPanel();
  paintBackdrop(painter, panel);
  const double left = panel.left() + 8;
  double y = panel.top() + 6;
  const auto row = [&](double x, double top, const QString& text) {
    painter.drawText(QRectF(x, top, panel.right() - x, line), Qt::AlignLeft | Qt::AlignVCenter, text);
  };
  painter.setPen(theme_->palette().text);
  QRectF used;
  painter.drawText(QRectF(left, y, legend_width, 1000), Qt::TextWordWrap, legend_.title, &used);
  painter.setPen(theme_->palette().warning);
  painter.drawText(QRectF(left, used.bottom(), legend_width, 1000), Qt::TextWordWrap, legend_.note);
  painter.setPen(theme_->palette().text);
  y += head_of(metrics, legend_).height() + 6;
  for (std::size_t at = 0; at < legend_.classes.size() && at < classRows(); ++at) {
    const auto& one = legend_.classes[at];
    const QColor colour(one.colour[0], one.colour[1], one.colour[2]);
    const QRectF swatch(left, y + 2, 14, line - 4);
    painter.setPen(one.hidden ? theme_->palette().faint_text : theme_->palette().text);
    one.hidden ? painter.drawRect(swatch.adjusted(0.5, 0.5, -0.5, -0.5)) : painter.fillRect(swatch, colour);
    const std::size_t hidden = legend_.classes.size() - classRows();
    row(left + 22, y,
        hidden > 0 && at + 1 == classRows() ? tr("and %1 more").arg(hidden + 1) : text_of(legend_, one));
    y += line + 2;
  }
  if (!legend_.bar) return;
  paintBar(painter, {left, y});
  painter.setPen(theme_->palette().faint_text);
  painter.drawText(QRectF(left, y + barHeight() + 8, legend_width, 1000), Qt::TextWordWrap,
                   legend_.range_text);
}

void ViewOverlay::paintBar(QPainter& painter, const QPointF& top) const {
  const double bar = barHeight(), width = legend_.range.high - legend_.range.low;
  for (int at = 0; at < static_cast<int>(bar); ++at) {
    const Rgb colour = colour_of(legend_, 1.0 - (at / (bar - 1)));
    painter.fillRect(QRectF(top.x(), top.y() + at, 14, 1), QColor(colour[0], colour[1], colour[2]));
  }
  const double line = QFontMetrics(font()).height();
  // Bands get a number at each border if there is space. A smooth bar gets numbers at its ends and in its
  // middle.
  const bool bands = legend_.map == ColourMap::bands && legend_.scale.empty();
  const int steps = bands && bar >= line * band_count ? band_count : 2;
  for (int step = 0; step <= steps; ++step) {
    const double share = static_cast<double>(step) / steps;
    const double inset = step == 0 ? -4 : step == steps ? 4 : 0;
    painter.drawText(
        QRectF(top.x() + 22, top.y() + ((1.0 - share) * bar) - (line / 2) + inset, legend_width, line),
        Qt::AlignLeft | Qt::AlignVCenter,
        step == 0       ? lowText()
        : step == steps ? highText()
                        : number(legend_.range.low + (share * width), width));
  }
}

QRectF ViewOverlay::axesPanel() const {
  return {7, height() - 93.0, 82, 86};
}

void ViewOverlay::paintAxes(QPainter& painter) const {
  const QPointF centre(48, height() - 50);
  const QRectF panel = axesPanel();
  // If the view is too low for the legend and the axes, only the legend is painted.
  if (showsLegend() && legendPanel().intersects(panel)) return;
  paintBackdrop(painter, panel);
  const bool dark = theme_->dark();
  const std::array<QColor, 3> colours{QColor(dark ? "#ff8a4d" : "#c04a00"),
                                      QColor(dark ? "#35c79b" : "#00795a"),
                                      QColor(dark ? "#62b0ff" : "#0062a8")};
  std::array<int, 3> order{0, 1, 2};  // Draw the far axes first.
  std::sort(order.begin(), order.end(), [&](int a, int b) {
    return axes_[6 + static_cast<std::size_t>(a)] < axes_[6 + static_cast<std::size_t>(b)];
  });
  for (const int axis : order) {
    const auto a = static_cast<std::size_t>(axis);
    const QPointF tip = centre + QPointF(25 * axes_[a], -25 * axes_[3 + a]);
    painter.setPen(QPen(colours[a], 2.5));
    painter.drawLine(centre, tip);
    painter.setPen(theme_->palette().text);
    painter.drawText(QRectF(tip + QPointF(9 * axes_[a] - 8, -9 * axes_[3 + a] - 8), QSizeF(16, 16)),
                     Qt::AlignCenter, QString("xyz"[axis]));
  }
}

ViewOverlay::Scale ViewOverlay::scale() const {
  const double wanted = 110 * picture_scale_.length_per_pixel * devicePixelRatioF();
  const double decade = std::pow(10.0, std::floor(std::log10(wanted)));
  const double digit = wanted / decade >= 5 ? 5 : wanted / decade >= 2 ? 2 : 1;
  Scale scale;
  scale.pixels = digit * decade / (picture_scale_.length_per_pixel * devicePixelRatioF());
  scale.text = withUnit(onScreen(digit * decade, 'g', 3), picture_scale_.unit);
  if (grid_spacing_ > 0)
    scale.text += tr(", ground grid %1").arg(withUnit(onScreen(grid_spacing_, 'g', 3), picture_scale_.unit));
  const double wide = std::max<double>(scale.pixels, QFontMetrics(font()).horizontalAdvance(scale.text)) + 20;
  // A long text must not cover the axes.
  const double left = std::max(axesPanel().right() + 6, scale_left + ((scale.pixels - wide) / 2));
  scale.panel = {left, height() - 43.0, wide, 36};
  // In a low view, the legend reaches down to the scale bar.
  if (showsLegend() && scale.panel.intersects(legendPanel())) scale.panel.moveRight(width() - 7.0);
  return scale;
}

void ViewOverlay::paintScale(QPainter& painter) const {
  if (!showsScale()) return;
  const Scale here = scale();
  const double y = height() - 18, left = here.panel.center().x() - (here.pixels / 2),
               right = left + here.pixels;
  paintBackdrop(painter, here.panel);
  painter.setPen(QPen(theme_->palette().text, 1.5));
  painter.drawLine(QPointF(left, y), QPointF(right, y));
  painter.drawLine(QPointF(left, y - 4), QPointF(left, y + 4));
  painter.drawLine(QPointF(right, y - 4), QPointF(right, y + 4));
  painter.drawText(QRectF(here.panel.left(), y - 22, here.panel.width(), 18), Qt::AlignCenter, here.text);
}

/// Returns false if the axes are hidden. Also returns false in a low and narrow view, in which the note would
/// move above the scale bar into the upper half and cover the scene.
bool ViewOverlay::showsScale() const {
  if (!axes_shown_ || picture_scale_.length_per_pixel <= 0) return false;
  const QRectF bar = scale().panel, note = noteCorner();
  return note_.isEmpty() || bar.right() <= note.left() || bar.top() - note.height() >= height() / 2.0;
}

QRectF ViewOverlay::noteCorner() const {
  const QRect note = QFontMetrics(font()).boundingRect(note_);
  return {width() - note.width() - 20.0, height() - note.height() - 12.0, note.width() + 14.0,
          note.height() + 6.0};
}

/// If the view is too narrow for the note and the scale bar, the panel is above the scale bar.
QRectF ViewOverlay::notePanel() const {
  QRectF panel = noteCorner();
  if (showsScale() && scale().panel.right() > panel.left()) panel.moveBottom(scale().panel.top() - 4);
  return panel;
}

void ViewOverlay::paintNote(QPainter& painter) const {
  if (note_.isEmpty()) return;
  paintBackdrop(painter, notePanel());
  painter.setPen(theme_->palette().text);
  painter.drawText(notePanel(), Qt::AlignCenter, note_);
}

}  // namespace spira::ui
