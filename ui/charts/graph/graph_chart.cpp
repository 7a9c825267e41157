#include "ui/charts/graph/graph_chart.hpp"

#include "ui/theme/colour_maps.hpp"
#include "ui/theme/screen_number.hpp"

#include <QApplication>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainterPath>
#include <QToolTip>
#include <QWheelEvent>
#include <qcustomplot.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace spira::ui {
namespace {

constexpr double margin = 12, corner = 4, padding = 6;
/// Below the first scale, boxes show only short names. Below the second scale, they show no text.
constexpr double min_readable_scale = 0.62, min_named_scale = 0.2;
constexpr double max_scale = 2.5;

bool is_own_key(const QKeyEvent& event) {
  constexpr std::array keys{Qt::Key_Left, Qt::Key_Right, Qt::Key_Up, Qt::Key_Down, Qt::Key_Home, Qt::Key_End};
  return (event.modifiers() & ~Qt::KeypadModifier) == Qt::NoModifier &&
         std::find(keys.begin(), keys.end(), event.key()) != keys.end();
}

/// Connects points 0 and 1, 2 and 3, and so on with curves that begin and end in the direction of the graph.
QPainterPath path_of(const std::vector<QPointF>& points, GraphDirection direction) {
  QPainterPath path(points.front());
  for (std::size_t at = 0; at + 1 < points.size(); at += 2) {
    const QPointF &from = points[at], &to = points[at + 1];
    const QPointF half = direction == GraphDirection::down ? QPointF(0, (to.y() - from.y()) / 2)
                                                           : QPointF((to.x() - from.x()) / 2, 0);
    path.lineTo(from);
    path.cubicTo(from + half, to - half, to);
  }
  return path;
}

/// Returns the tip of an arrow that points to `to` in the direction of the graph.
QPainterPath arrow_at(const QPointF& to, GraphDirection direction) {
  constexpr double length = 7, half = 3.5;
  QPainterPath tip(to);
  if (direction == GraphDirection::down) {
    tip.lineTo(to + QPointF(-half, -length));
    tip.lineTo(to + QPointF(half, -length));
  } else {
    tip.lineTo(to + QPointF(-length, -half));
    tip.lineTo(to + QPointF(-length, half));
  }
  tip.closeSubpath();
  return tip;
}

}  // namespace

GraphChart::GraphChart(Theme* theme, QWidget* parent) : Chart(theme, tr("Network graph"), parent) {
  constexpr QSize least(240, 96);
  if (!theme->paper()) setMinimumSize(least);
}

GraphMetrics GraphChart::metrics() const {
  const QFontMetricsF text(font());
  constexpr double letters = 25, lines_of_text = 4;
  GraphMetrics metrics;
  metrics.node = {std::ceil(text.horizontalAdvance('0') * letters),
                  std::ceil((text.height() * lines_of_text) + (3 * padding))};
  return metrics;
}

void GraphChart::setGraph(NetworkGraph graph) {
  graph_ = std::move(graph);
  placed_ = false;
  chosen_ = hovered_ = -1;
  setValues(std::move(graph_.values), graph_.statistic, graph_.samples);
  setSearch(std::exchange(search_, {}));
  layOut();
}

void GraphChart::setValues(std::vector<GraphValue> values, const QString& statistic, const QString& samples) {
  graph_.values = std::move(values);
  graph_.statistic = statistic;
  graph_.samples = samples;
  largest_ = 0;
  for (std::size_t node = 0; node < graph_.values.size(); ++node)
    largest_ = std::max(largest_, valueOf(node));
  contentChanged();
}

void GraphChart::setColourBy(GraphColour colour) {
  colour_ = colour;
  setValues(std::move(graph_.values), graph_.statistic, graph_.samples);
}

double GraphChart::valueOf(std::size_t node) const {
  const GraphValue& value = graph_.values.at(node);
  return colour_ == GraphColour::time ? value.ms : value.voxels;
}

void GraphChart::setChosenLayer(int layer) {
  if (layer == chosen_) return;
  chosen_ = layer;
  if (layer >= 0) moveInto(layer);
  update();
}

void GraphChart::setHoveredLayer(int layer) {
  if (std::exchange(hovered_, layer) != layer) update();
}

void GraphChart::setSearch(const QString& text) {
  search_ = text;
  matches_.clear();
  matching_.assign(graph_.nodes.size(), false);
  for (std::size_t node = 1; node < graph_.nodes.size() && !text.isEmpty(); ++node) {
    matching_[node] = graph_.nodes[node].name.contains(text, Qt::CaseInsensitive);
    if (matching_[node] && !graph_.nodes[node].skipped) matches_.push_back(static_cast<int>(node) - 1);
  }
  update();
}

bool GraphChart::fades(std::size_t node) const {
  return !search_.isEmpty() && !matching_[node];
}

double GraphChart::fittingScale() const {
  const QSizeF size = layout_.bounds.size();
  if (size.isEmpty()) return 1;
  return std::clamp(std::min((canvas_.width() - (2 * margin)) / size.width(),
                             (canvas_.height() - (2 * margin)) / size.height()),
                    1e-4, 1.0);
}

void GraphChart::fit() {
  scale_ = fittingScale();
  keepInView();
}

void GraphChart::readable() {
  scale_ = 1;
  offset_ = canvas_.topLeft();
  keepInView();
  if (chosen_ >= 0) moveInto(chosen_);
}

void GraphChart::layOut() {
  if (!hasContent()) return update();
  placeLegend();
  constexpr double wide = 1.3;
  const GraphDirection before = direction_;
  const QSizeF size = std::exchange(node_size_, metrics().node);
  direction_ = !theme_->paper() && canvas_.width() > wide * canvas_.height() ? GraphDirection::right
                                                                             : GraphDirection::down;
  if (!placed_ || before != direction_ || size != node_size_) {
    layout_ = layout_graph(graph_.shape, metrics(), direction_);
    findTrunks();
  }
  if (std::exchange(placed_, true) && before == direction_ && !theme_->paper()) return keepInView();
  fittingScale() < min_readable_scale && !theme_->paper() ? readable() : fit();
}

void GraphChart::findTrunks() {
  constexpr std::size_t kinds = 4;
  trunks_.clear();
  std::vector<int> at(layout_.nodes.size() * kinds, -1);  // The trunk of each source and kind.
  for (std::size_t link = 0; link < layout_.routes.size(); ++link) {
    const auto& route = layout_.routes[link];
    if (route.size() < 4) continue;
    const GraphLink& facts = graph_.shape.links[link];
    int& trunk = at[(static_cast<std::size_t>(facts.from) * kinds) + static_cast<std::size_t>(facts.kind)];
    if (trunk < 0) {
      trunk = static_cast<int>(trunks_.size());
      trunks_.push_back({facts.kind, route[0], route[1], route[2]});
    }
    QPointF& end = trunks_[static_cast<std::size_t>(trunk)].end;
    if (route[2].x() > end.x() || route[2].y() > end.y()) end = route[2];
  }
}

void GraphChart::placeLegend() {
  double bottom = 0;
  for (const QRectF& area : entryAreas(shownEntries(), width() - (2 * padding)))
    bottom = std::max(bottom, area.bottom());
  legend_ = QRectF(padding, height() - bottom - 2, width() - (2 * padding), bottom);
  canvas_ = QRectF(0, 0, width(), std::max(1.0, legend_.top() - 2));
}

QRectF GraphChart::rectOf(int layer) const {
  const QRectF& rect = layout_.nodes.at(static_cast<std::size_t>(layer + 1));
  return {(rect.topLeft() * scale_) + offset_, rect.size() * scale_};
}

/// Centres the layer unless it is completely visible.
void GraphChart::moveInto(int layer) {
  if (layer + 1 >= static_cast<int>(layout_.nodes.size())) return;
  const QRectF rect = rectOf(layer);
  if (!canvas_.adjusted(padding, padding, -padding, -padding).contains(rect))
    offset_ += canvas_.center() - rect.center();
  keepInView();
}

void GraphChart::zoom(double factor, const QPointF& around) {
  const double to = std::clamp(scale_ * factor, std::min(fittingScale(), min_readable_scale), max_scale);
  offset_ = around + ((offset_ - around) * (to / scale_));
  scale_ = to;
  keepInView();
}

/// Limits dragging, so that the graph fills the view except for a margin. If the graph is smaller than the
/// view, it is centred.
void GraphChart::keepInView() {
  const auto kept = [this](double offset, double low, double high, double start, double end) {
    const double size = (high - low) * scale_, room = end - start;
    if (size + (2 * margin) <= room) return start + ((room - size) / 2) - (low * scale_);
    return std::clamp(offset, end - margin - (high * scale_), start + margin - (low * scale_));
  };
  const QRectF& all = layout_.bounds;
  offset_ = {kept(offset_.x(), all.left(), all.right(), canvas_.left(), canvas_.right()),
             kept(offset_.y(), all.top(), all.bottom(), canvas_.top(), canvas_.bottom())};
  update();
}

QColor GraphChart::heat(double share) const {
  // Large values get the colours with more contrast to the background.
  const double along = theme_->dark() ? 0.15 + (0.8 * share) : 0.92 - (0.8 * share);
  const Rgb rgb = colour_of(ColourMap::viridis, along);
  return {rgb[0], rgb[1], rgb[2]};
}

QColor GraphChart::colourOf(int layer) const {
  if (isSkipped(layer)) return theme_->palette().faint_text;
  const double value = valueOf(static_cast<std::size_t>(layer + 1));
  return value < 0 || largest_ <= 0 ? theme_->palette().line : heat(value / largest_);
}

ChartText GraphChart::text() const {
  const bool times = colour_ == GraphColour::time;
  return {tr("Network %1").arg(graph_.title), times ? tr("ms") : tr("outputs"),
          times ? graph_.statistic : QString(), times ? graph_.samples : QString()};
}

ChartTable GraphChart::table() const {
  ChartTable table{
      {tr("layer"), tr("inputs"), tr("residual"), tr("kernel map from"), tr("outputs"), tr("ms")}, {}};
  std::vector<std::array<QStringList, 4>> sources_of(graph_.nodes.size());
  for (const GraphLink& link : graph_.shape.links) {
    sources_of.at(static_cast<std::size_t>(link.to)).at(static_cast<std::size_t>(link.kind)) +=
        graph_.nodes[static_cast<std::size_t>(link.from)].name;
  }
  for (std::size_t node = 1; node < graph_.nodes.size(); ++node) {
    const auto& sources = sources_of[node];
    const GraphValue& value = graph_.values.at(node);
    table.rows.push_back({graph_.nodes[node].name, (sources[0] + sources[1]).join(", "),
                          sources[2].join(", "), sources[3].join(", "),
                          value.voxels < 0 ? QVariant(QString()) : QVariant(value.voxels),
                          value.ms < 0 ? QVariant(QString()) : QVariant(value.ms)});
  }
  return table;
}

int GraphChart::nodeAt(const QPointF& at) const {
  if (!canvas_.contains(at)) return -1;
  const QPointF point = (at - offset_) / scale_;
  const auto found = std::find_if(layout_.nodes.begin(), layout_.nodes.end(),
                                  [&point](const QRectF& rect) { return rect.contains(point); });
  return found == layout_.nodes.end() ? -1 : static_cast<int>(found - layout_.nodes.begin());
}

bool GraphChart::isSkipped(int layer) const {
  const auto node = static_cast<std::size_t>(layer + 1);
  return node < graph_.nodes.size() && graph_.nodes[node].skipped;
}

int GraphChart::rowAt(const QPointF& at) const {
  const int layer = std::max(0, nodeAt(at)) - 1;
  return isSkipped(layer) ? -1 : layer;
}

MeasuredSubject GraphChart::subjectOf(int row) const {
  MeasuredSubject subject;
  if (isSkipped(row)) return subject;
  subject.layer = row;
  if (row >= 0) subject.kind = MeasuredSubject::Kind::layer;
  return subject;
}

std::unique_ptr<Chart> GraphChart::twin(Theme* theme) const {
  auto other = std::make_unique<GraphChart>(theme);
  other->colour_ = colour_;
  other->setGraph(graph_);
  return other;
}

void GraphChart::restyle() {
  layOut();
  update();
}

int GraphChart::heightForWidth(int width) const {
  if (!hasContent() || !theme_->paper()) return -1;
  const QRectF all = layout_graph(graph_.shape, metrics(), GraphDirection::down).bounds;
  const double scale = std::min(1.0, (width - (2 * margin)) / all.width());
  double legend = 0;
  for (const QRectF& area : entryAreas(shownEntries(), width - (2 * padding)))
    legend = std::max(legend, area.bottom());
  return static_cast<int>(std::ceil((all.height() * scale) + (2 * margin) + legend + 5));
}

void GraphChart::chooseRow(int row) {
  if (row < 0) return;
  isSkipped(row) ? emit skippedClicked(row) : emit layerClicked(row);
}

void GraphChart::paintEvent(QPaintEvent*) {
  QCPPainter painter(this);
  painter.fillRect(rect(), theme_->palette().panel);
  paintChart(painter);
  paintFocus(painter);
}

void GraphChart::paintChart(QCPPainter& painter) {
  if (!hasContent()) return;
  painter.setFont(font());
  painter.setAntialiasing(true);
  painter.save();
  if (!theme_->paper()) painter.setClipRect(canvas_);
  painter.translate(offset_);
  painter.scale(scale_, scale_);
  const QRectF visible((canvas_.topLeft() - offset_) / scale_, canvas_.size() / scale_);
  paintLinks(painter, visible);
  for (std::size_t node = 0; node < layout_.nodes.size(); ++node) {
    if (layout_.nodes[node].intersects(visible)) paintNode(painter, node);
  }
  painter.restore();
  paintLegend(painter);
}

QPen GraphChart::penOf(LinkKind kind, bool marked) const {
  const Palette& colours = theme_->palette();
  QPen pen(marked ? colours.accent : colours.faint_text, marked ? 2.4 : 1.4);
  pen.setCapStyle(Qt::FlatCap);
  if (kind == LinkKind::concat) pen.setDashPattern({7, 3});
  if (kind == LinkKind::residual) pen.setDashPattern({3, 2.5});
  if (kind == LinkKind::map) pen.setDashPattern({1, 2.5});
  return pen;
}

namespace {

/// Returns the rectangle of a line or of a curve between two points.
QRectF around(const QPointF& a, const QPointF& b) {
  return QRectF(a, b).normalized().adjusted(-2, -2, 2, 2);
}

/// Returns the part of a line along an axis that is near `visible`. Dashes outside of the view would take
/// most of the time.
QLineF clipped(const QPointF& from, const QPointF& to, const QRectF& visible) {
  const QRectF near = visible.adjusted(-20, -20, 20, 20);
  const auto inside = [&near](const QPointF& at) {
    return QPointF(std::clamp(at.x(), near.left(), near.right()),
                   std::clamp(at.y(), near.top(), near.bottom()));
  };
  return {inside(from), inside(to)};
}

}  // namespace

/// Draws the visible links. The links of the selected layer are drawn last. Without details, links are lines
/// of one pixel.
void GraphChart::paintLinks(QPainter& painter, const QRectF& visible) const {
  constexpr std::ptrdiff_t most_detailed = 1000;  // Drawing these links takes about 30 ms.
  const bool paper = theme_->paper();
  bool detailed = scale_ >= min_named_scale || paper;
  if (detailed && !paper) {
    const auto& routes = layout_.routes;
    detailed = std::count_if(routes.begin(), routes.end(), [&visible](const std::vector<QPointF>& route) {
                 return around(route[route.size() - 2], route.back()).intersects(visible);
               }) <= most_detailed;
  }
  painter.setRenderHint(QPainter::Antialiasing, detailed);
  paintTrunks(painter, visible, detailed);
  // If the gaps between the layers are narrower than two pixels, the boxes cover the ends of the links.
  constexpr double visible_gap = 2;
  if (paper || metrics().rank_gap * scale_ >= visible_gap) paintBranches(painter, visible, detailed);
  paintMarkedLinks(painter, visible, detailed);
  painter.setRenderHint(QPainter::Antialiasing, true);
}

void GraphChart::paintTrunks(QPainter& painter, const QRectF& visible, bool detailed) const {
  QList<QLineF> lines;
  for (const Trunk& trunk : trunks_) {
    const bool start = around(trunk.from, trunk.lane).intersects(visible);
    const bool lane = around(trunk.lane, trunk.end).intersects(visible);
    if (!detailed) {
      if (start) lines += QLineF(trunk.from, trunk.lane);
      if (lane) lines += clipped(trunk.lane, trunk.end, visible);
      continue;
    }
    const QPen pen = penOf(trunk.kind, false);
    if (start) painter.strokePath(path_of({trunk.from, trunk.lane}, direction_), pen);
    painter.setPen(pen);
    if (lane) painter.drawLine(clipped(trunk.lane, trunk.end, visible));
  }
  painter.setPen(QPen(penOf(LinkKind::flow, false).color(), 0));
  painter.drawLines(lines);
}

/// Draws the ends of the links: from the lane, or from the source, to the target.
void GraphChart::paintBranches(QPainter& painter, const QRectF& visible, bool detailed) const {
  QList<QLineF> lines;
  for (std::size_t at = 0; at < layout_.routes.size(); ++at) {
    const auto& route = layout_.routes[at];
    const QPointF &from = route[route.size() - 2], &to = route.back();
    if (!around(from, to).intersects(visible)) continue;
    if (!detailed) {
      lines += QLineF(from, to);
      continue;
    }
    const LinkKind kind = graph_.shape.links[at].kind;
    const QPen pen = penOf(kind, false);
    painter.strokePath(path_of({from, to}, direction_), pen);
    if (kind != LinkKind::map) painter.fillPath(arrow_at(to, direction_), pen.color());
  }
  painter.setPen(QPen(penOf(LinkKind::flow, false).color(), 0));
  painter.drawLines(lines);
}

void GraphChart::paintMarkedLinks(QPainter& painter, const QRectF& visible, bool detailed) const {
  if (chosen_ < 0) return;
  for (std::size_t at = 0; at < layout_.routes.size(); ++at) {
    const GraphLink& link = graph_.shape.links[at];
    if (link.from != chosen_ + 1 && link.to != chosen_ + 1) continue;
    const auto& route = layout_.routes[at];
    QPen pen = penOf(link.kind, true);
    if (!detailed) pen = QPen(pen.color(), 0);
    for (std::size_t part = 0; part + 1 < route.size(); ++part) {
      if (!around(route[part], route[part + 1]).intersects(visible)) continue;
      const bool curve = part % 2 == 0;
      if (curve) painter.strokePath(path_of({route[part], route[part + 1]}, direction_), pen);
      painter.setPen(pen);
      if (!curve) painter.drawLine(clipped(route[part], route[part + 1], visible));
    }
    if (detailed && link.kind != LinkKind::map)
      painter.fillPath(arrow_at(route.back(), direction_), pen.color());
  }
}

void GraphChart::paintNode(QPainter& painter, std::size_t node) const {
  const QRectF& rect = layout_.nodes[node];
  const Palette& colours = theme_->palette();
  painter.setOpacity(fades(node) ? 0.3 : 1);
  const QColor fill = colourOf(static_cast<int>(node) - 1);
  if (scale_ < min_named_scale && !theme_->paper()) {
    painter.fillRect(rect, fill);
    painter.setOpacity(1);
    return paintFrame(painter, node);
  }
  painter.setPen(QPen(colours.faint_text, 1));
  painter.setBrush(fill);
  painter.drawRoundedRect(rect, corner, corner);
  if (scale_ < min_readable_scale && !theme_->paper()) {
    paintShortName(painter, node);
  } else {
    const double line = QFontMetricsF(font()).height(), header = line + padding;
    QFont bold = font();
    bold.setBold(true);
    painter.setFont(bold);
    painter.setPen(text_on(fill));
    const QRectF title(rect.left() + padding, rect.top(), rect.width() - (2 * padding), header);
    const QFontMetricsF space(bold);
    const GraphNode& facts = graph_.nodes[node];
    const QString& name =
        space.horizontalAdvance(facts.name) <= title.width() ? facts.name : facts.short_name;
    painter.drawText(title, Qt::AlignLeft | Qt::AlignVCenter,
                     space.elidedText(name, Qt::ElideMiddle, title.width()));
    painter.setFont(font());
    const QRectF body(rect.left() + 0.5, rect.top() + header, rect.width() - 1, rect.height() - header - 0.5);
    painter.setPen(Qt::NoPen);
    painter.setBrush(colours.raised);
    painter.drawRoundedRect(body, corner, corner);
    painter.drawRect(QRectF(body.left(), body.top(), body.width(), corner + 1));
    paintLines(painter, node, body);
  }
  painter.setOpacity(1);
  paintFrame(painter, node);
}

/// Writes the facts of a layer, and its voxels and time if they are known.
void GraphChart::paintLines(QPainter& painter, std::size_t node, const QRectF& body) const {
  const Palette& colours = theme_->palette();
  const GraphValue& value = graph_.values[node];
  const double line = QFontMetricsF(font()).height();
  QRectF area(body.left() + padding, body.top() + (padding / 2), body.width() - (2 * padding), line);
  const QFontMetricsF space(font());
  const auto write = [&](const QString& left, const QString& right, const QColor& ink) {
    painter.setPen(ink);
    const double needed = right.isEmpty() ? 0 : space.horizontalAdvance(right) + padding;
    painter.drawText(area, Qt::AlignLeft | Qt::AlignVCenter,
                     space.elidedText(left, Qt::ElideRight, area.width() - needed));
    painter.drawText(area, Qt::AlignRight | Qt::AlignVCenter, right);
    area.translate(0, line);
  };
  for (const auto& [left, right] : graph_.nodes[node].lines)
    write(left, right, colours.faint_text);
  write(value.voxels_text, value.time_text, value.outdated ? colours.faint_text : colours.text);
}

/// Writes the name of a small box in the usual text size.
void GraphChart::paintShortName(QPainter& painter, std::size_t node) const {
  const QRectF& rect = layout_.nodes[node];
  painter.save();
  painter.translate(rect.topLeft());
  painter.scale(1 / scale_, 1 / scale_);
  const QRectF area(2, 0, (rect.width() * scale_) - 4, rect.height() * scale_);
  painter.setPen(text_on(colourOf(static_cast<int>(node) - 1)));
  painter.drawText(
      area, Qt::AlignCenter,
      QFontMetricsF(font()).elidedText(graph_.nodes[node].short_name, Qt::ElideMiddle, area.width()));
  painter.restore();
}

void GraphChart::paintFrame(QPainter& painter, std::size_t node) const {
  const int layer = static_cast<int>(node) - 1;
  const bool matches = !search_.isEmpty() && matching_[node];
  if (layer < 0 || (layer != chosen_ && layer != hovered_ && !matches)) return;
  const Palette& colours = theme_->palette();
  // On the screen, the frame has the same width at every scale.
  const double width = 2.5 / std::min(1.0, scale_);
  painter.setPen(layer == chosen_ ? QPen(colours.accent, width)
                 : matches        ? QPen(colours.drawn, width)
                                  : QPen(colours.text, width / 2, Qt::DotLine));
  painter.setBrush(Qt::NoBrush);
  painter.drawRoundedRect(layout_.nodes[node].adjusted(-width, -width, width, width), corner, corner);
}

std::vector<GraphChart::Entry> GraphChart::shownEntries() const {
  std::vector<Entry> entries{{std::nullopt, colour_ == GraphColour::time ? tr("Time, ms") : tr("Voxels")}};
  const std::array names{tr("input"), tr("concatenated input"), tr("residual"), tr("shared kernel map")};
  for (const LinkKind kind : {LinkKind::flow, LinkKind::concat, LinkKind::residual, LinkKind::map}) {
    if (std::any_of(graph_.shape.links.begin(), graph_.shape.links.end(),
                    [kind](const GraphLink& link) { return link.kind == kind; }))
      entries.push_back({kind, names.at(static_cast<std::size_t>(kind))});
  }
  return entries;
}

namespace {

constexpr double line_length = 26, strip_width = 130, entry_gap = 16;

}  // namespace

/// Returns the areas of the legend entries, relative to the top left corner of the legend.
std::vector<QRectF> GraphChart::entryAreas(const std::vector<Entry>& entries, double width) const {
  const QFontMetricsF text(font());
  const double line = text.height() + 4;
  double x = 0, y = 0;
  std::vector<QRectF> areas;
  for (const Entry& entry : entries) {
    const double wide = text.horizontalAdvance(entry.text) + (entry.link ? line_length : strip_width) + 6;
    if (x > 0 && x + wide > width) {
      x = 0;
      y += line;
    }
    areas.emplace_back(x, y, wide, line);
    x += wide + entry_gap;
  }
  return areas;
}

void GraphChart::paintLegend(QPainter& painter) const {
  const std::vector<Entry> entries = shownEntries();
  const std::vector<QRectF> areas = entryAreas(entries, legend_.width());
  for (std::size_t at = 0; at < entries.size(); ++at) {
    const QRectF area = areas[at].translated(legend_.topLeft());
    if (!entries[at].link) {
      paintScale(painter, area);
      continue;
    }
    painter.setPen(penOf(*entries[at].link, false));
    painter.drawLine(QPointF(area.left(), area.center().y()),
                     QPointF(area.left() + line_length, area.center().y()));
    painter.setPen(theme_->palette().text);
    painter.drawText(area.adjusted(line_length + 6, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
                     entries[at].text);
  }
}

/// Draws the title of the colour scale, and the scale with the smallest and the largest number on it.
void GraphChart::paintScale(QPainter& painter, const QRectF& area) const {
  const QRectF strip(area.right() - strip_width, area.top() + 1, strip_width, area.height() - 2);
  painter.setPen(theme_->palette().text);
  painter.drawText(area, Qt::AlignLeft | Qt::AlignVCenter, shownEntries().front().text);
  if (largest_ <= 0) {
    painter.fillRect(strip, theme_->palette().line);
    return painter.drawText(strip, Qt::AlignCenter, tr("not run yet"));
  }
  constexpr int steps = 64;
  for (int step = 0; step < steps; ++step)
    painter.fillRect(QRectF(strip.left() + (strip.width() * step / steps), strip.top(),
                            (strip.width() / steps) + 0.5, strip.height()),
                     heat((step + 0.5) / steps));
  const QRectF labels = strip.adjusted(4, 0, -4, 0);
  painter.setPen(text_on(heat(0.05)));
  painter.drawText(labels, Qt::AlignLeft | Qt::AlignVCenter, "0");
  painter.setPen(text_on(heat(0.95)));
  const int decimals = colour_ == GraphColour::voxels || largest_ >= 100 ? 0 : largest_ >= 10 ? 1 : 2;
  painter.drawText(labels, Qt::AlignRight | Qt::AlignVCenter, numberText(*theme_, largest_, 'f', decimals));
}

void GraphChart::resizeEvent(QResizeEvent* event) {
  const QPointF middle = canvas_.center();
  Chart::resizeEvent(event);
  if (!hasContent()) return;
  placeLegend();
  offset_ += canvas_.center() - middle;
  layOut();
  if (chosen_ >= 0) moveInto(chosen_);
}

void GraphChart::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton && canvas_.contains(event->position())) pressed_ = event->position();
}

void GraphChart::mouseMoveEvent(QMouseEvent* event) {
  if (!pressed_) return emit layerHovered(rowAt(event->position()));
  const QPointF moved = event->position() - *pressed_;
  if (!panning_ && moved.manhattanLength() < QApplication::startDragDistance()) return;
  if (!std::exchange(panning_, true)) setCursor(Qt::ClosedHandCursor);
  offset_ += moved;
  pressed_ = event->position();
  keepInView();
}

void GraphChart::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || !pressed_) return;
  pressed_.reset();
  unsetCursor();
  if (!std::exchange(panning_, false)) chooseRow(nodeAt(event->position()) - 1);
}

/// A double click next to the boxes shows the whole graph.
void GraphChart::mouseDoubleClickEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton && nodeAt(event->position()) < 0) fit();
}

void GraphChart::leaveEvent(QEvent*) {
  emit layerHovered(-1);
}

void GraphChart::wheelEvent(QWheelEvent* event) {
  constexpr double one_step = 120, factor_of_step = 1.2;
  const double steps = event->angleDelta().y() / one_step;
  if (hasContent() && steps != 0) zoom(std::pow(factor_of_step, steps), event->position());
  event->accept();
}

void GraphChart::keyPressEvent(QKeyEvent* event) {
  if (!hasContent() || !is_own_key(*event)) return Chart::keyPressEvent(event);
  const auto skipped = std::count_if(graph_.nodes.begin(), graph_.nodes.end(),
                                     [](const GraphNode& node) { return node.skipped; });
  const int last = static_cast<int>(std::ssize(graph_.nodes) - skipped) - 2;
  const int key = event->key();
  const int to = key == Qt::Key_Home                           ? 0
                 : key == Qt::Key_End                          ? last
                 : key == Qt::Key_Right || key == Qt::Key_Down ? chosen_ + 1
                                                               : chosen_ - 1;
  chooseRow(std::clamp(to, 0, std::max(0, last)));
}

bool GraphChart::event(QEvent* event) {
  // The window uses some of these keys as shortcuts. This chart uses them while it has the focus.
  if (event->type() == QEvent::ShortcutOverride && hasContent() &&
      is_own_key(*static_cast<QKeyEvent*>(event))) {
    event->accept();
    return true;
  }
  if (event->type() != QEvent::ToolTip || !hasContent()) return Chart::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const int node = nodeAt(help->pos());
  const QString tip = node >= 0 && tips_ ? tips_(node - 1) : QString();
  tip.isEmpty() ? QToolTip::hideText() : QToolTip::showText(help->globalPos(), tip, this);
  return true;
}

}  // namespace spira::ui
