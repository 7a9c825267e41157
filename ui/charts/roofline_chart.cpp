#include "ui/charts/roofline_chart.hpp"

#include "engine/base/text.hpp"
#include "engine/measure/statistics.hpp"
#include "ui/theme/screen_number.hpp"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <qcustomplot.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>
#include <utility>

namespace spira::ui {
namespace {

constexpr double giga = 1e9, mega = 1e6;
/// Difference of the diameters of a ring and its point, in pixels.
constexpr double ring_width = 7;
constexpr std::array dataflows{Dataflow::output_stationary, Dataflow::hybrid, Dataflow::weight_stationary};

QString text_of(Dataflow dataflow) {
  switch (dataflow) {
    case Dataflow::output_stationary:
      return RooflineChart::tr("output-stationary (OS)");
    case Dataflow::weight_stationary:
      return RooflineChart::tr("weight-stationary (WS)");
    default:
      return RooflineChart::tr("hybrid");
  }
}

/// Returns the unit of the arithmetic rates of a chart. It suits the arithmetic roof, or the fastest layer if
/// there is no roof, so that the axis and all texts have the same unit.
FlopRateUnit unit_of(const std::vector<RooflinePoint>& points, const std::optional<DeviceRates>& rates) {
  double largest = rates && rates->flops.per_second ? *rates->flops.per_second : 0;
  for (const RooflinePoint& point : largest > 0 ? std::vector<RooflinePoint>{} : points)
    largest = std::max(largest, point.features.flops_per_s());
  // Rates of at least `rounds_up` have the unit TFLOP/s. scaled_text() changes the unit at the same rate.
  constexpr double tera = 1e12, rounds_up = 999.5e9;
  return largest >= rounds_up ? FlopRateUnit{tera, "TFLOP/s"} : FlopRateUnit{giga, "GFLOP/s"};
}

QString scaled(double value, const char* unit) {
  return onScreen(scaled_text(value, unit));
}

/// Returns an arithmetic rate with three digits.
QString rate_text(double flops_per_s, const FlopRateUnit& unit) {
  constexpr int digits = 3;
  const double value = flops_per_s / unit.flops_per_s;
  const int before_point = value >= 1 ? static_cast<int>(std::floor(std::log10(value))) + 1 : 1;
  return QString("%1 %2").arg(onScreen(value, 'f', std::max(0, digits - before_point)), unit.name);
}

/// Returns the name of a stage, and what its time contains.
QString content_of(const StageWork& stage) {
  if (stage.stage == "features")
    return RooflineChart::tr("feature computation (without building the map and ordering its rows)");
  if (stage.stage == "map") return RooflineChart::tr("map (including the sorting of its rows)");
  return QString::fromUtf8(stage.stage.data(), static_cast<qsizetype>(stage.stage.size()));
}

/// Returns one line of the tooltip for a stage of the layer.
QString stage_line(const StageWork& stage, const FlopRateUnit& unit) {
  const Statistics s = statistics(stage.samples_ms);
  const QString rates = stage.work.flops > 0 ? QString("%1, %2").arg(rate_text(stage.flops_per_s(), unit),
                                                                     scaled(stage.bytes_per_s(), "B/s"))
                                             : scaled(stage.bytes_per_s(), "B/s");
  return RooflineChart::tr("%1: %2, n = %3, IQR %4; %5")
      .arg(content_of(stage), onScreen(ms_text(s.median)))
      .arg(s.n)
      .arg(onScreen(ms_text(s.iqr())), rates);
}

const StageWork* stage_named(const RooflinePoint& point, std::string_view name) {
  const auto found = std::find_if(point.stages.begin(), point.stages.end(),
                                  [name](const StageWork& stage) { return stage.stage == name; });
  return found == point.stages.end() ? nullptr : &*found;
}

/// Ticks of a logarithmic axis. Uses powers of ten if the range contains at least three of them, otherwise
/// also their multiples.
class RoundTicker : public QCPAxisTicker {
 public:
  QVector<double> createTickVector(double step, const QCPRange& range) override {
    static const std::array<std::vector<double>, 4> multiples{
        std::vector<double>{1}, {1, 3}, {1, 2, 5}, {1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9}};
    for (const std::vector<double>& factors : multiples) {
      QVector<double> ticks;
      for (double decade = std::pow(10, std::floor(std::log10(range.lower))); decade <= range.upper;
           decade *= 10) {
        for (const double factor : factors) {
          if (factor * decade >= range.lower && factor * decade <= range.upper) ticks.append(factor * decade);
        }
      }
      if (ticks.size() >= fewest) return thinned(std::move(ticks));
    }
    return QCPAxisTicker::createTickVector(step, range);
  }

 private:
  static constexpr int fewest = 3;
  /// Removes every second tick until the labels fit, but keeps at least three ticks.
  [[nodiscard]] QVector<double> thinned(QVector<double> ticks) const {
    while (ticks.size() > tickCount() && (ticks.size() + 1) / 2 >= fewest) {
      QVector<double> fewer;
      for (int at = 0; at < ticks.size(); at += 2)
        fewer.append(ticks[at]);
      ticks = std::move(fewer);
    }
    return ticks;
  }
};

}  // namespace

QString RooflinePoint::tip(const std::optional<DeviceRates>& rates, const FlopRateUnit& unit) const {
  QStringList lines{QString("%1 (%2)").arg(name, dataflow_text),
                    RooflineChart::tr("%1 at %2 FLOP per byte (useful work: %3; memory traffic: at least %4)")
                        .arg(rate_text(features.flops_per_s(), unit),
                             onScreen(scaled_text(features.work.intensity(), "")).trimmed(),
                             scaled(features.work.flops, "FLOP"), scaled(features.work.bytes, "B")),
                    stage_line(features, unit)};
  for (const StageWork& stage : stages)
    lines += stage_line(stage, unit);
  lines += RooflineChart::tr("%1 of the total time of all stages").arg(onScreen(percent_text(share)));
  if (const auto ratio = features.times_floor(rates)) {
    const Floors floors = floors_of(features.work, *rates);
    const bool memory = floors.bytes_ms && *floors.bytes_ms == *floors.larger_ms();
    lines += (memory ? RooflineChart::tr("%1 times the minimum time of %2 (set by the memory rate)")
                     : RooflineChart::tr("%1 times the minimum time of %2 (set by the arithmetic rate)"))
                 .arg(onScreen(fixed(*ratio, 2)), onScreen(ms_text(*floors.larger_ms())));
  }
  return lines.join('\n');
}

RooflineChart::RooflineChart(Theme* theme, QWidget* parent)
    : PlotChart(theme, tr("Roofline: arithmetic rate and intensity of each layer"), QSize(200, 110), parent) {
  plot_->setAutoAddPlottableToLegend(false);
  addLegendAbove();
  // The positions of the texts depend on the size of the axes, which is known only after the layout.
  connect(plot_, &QCustomPlot::afterLayout, this, &RooflineChart::placeTexts);
  restyle();
}

void RooflineChart::setPoints(std::vector<RooflinePoint> points, std::optional<DeviceRates> rates,
                              const QString& samples) {
  points_ = std::move(points);
  rates_ = std::move(rates);
  unit_ = unit_of(points_, rates_);
  places_.clear();
  for (const RooflinePoint& point : points_)
    places_.emplace_back(point.features.work.intensity(), point.features.flops_per_s() / unit_.flops_per_s);
  samples_ = samples;
  contentChanged();
  rebuild();
}

void RooflineChart::setChosenLayer(int layer) {
  if (layer == chosen_) return;
  chosen_ = layer;
  rebuild();
}

void RooflineChart::setHoveredLayer(int layer) {
  if (layer == hovered_) return;
  hovered_ = layer;
  rebuild();
}

ChartText RooflineChart::text() const {
  return {tr("Roofline of the layers"), tr("%1 over FLOP per byte").arg(unit_.name),
          tr("median; the area of a point shows its share of the time"), samples_};
}

bool RooflineChart::occurs(Dataflow dataflow) const {
  return std::any_of(points_.begin(), points_.end(),
                     [dataflow](const RooflinePoint& point) { return point.dataflow == dataflow; });
}

QColor RooflineChart::colourOf(Dataflow dataflow) const {
  const Palette& p = theme_->palette();
  switch (dataflow) {
    case Dataflow::output_stationary:
      return p.dense;
    case Dataflow::weight_stationary:
      return p.sparse;
    default:
      return p.faint_text;
  }
}

std::vector<LegendEntry> RooflineChart::legendEntries() const {
  std::vector<LegendEntry> all;
  for (const Dataflow dataflow : dataflows) {
    if (occurs(dataflow)) all.push_back({colourOf(dataflow), text_of(dataflow)});
  }
  return all;
}

ChartTable RooflineChart::table() const {
  ChartTable table{
      {tr("Layer"), tr("Dataflow"), tr("Share of the time, %"), tr("Median, ms"), tr("IQR, ms"), tr("n"),
       tr("GFLOP"), tr("MB moved"), tr("FLOP per byte"), unit_.name, tr("GB/s"), tr("Time / minimum time"),
       tr("OS, %1").arg(unit_.name), tr("WS, %1").arg(unit_.name), tr("Map, GB/s")},
      {}};
  const auto or_empty = [](const std::optional<double>& value) {
    return value ? QVariant(*value) : QVariant(QString());
  };
  constexpr double percent = 100;
  for (const RooflinePoint& point : points_) {
    const StageWork& all = point.features;
    const Statistics s = statistics(all.samples_ms);
    const auto rate = [&](std::string_view stage, double (StageWork::*per_s)() const, double unit) {
      const StageWork* found = stage_named(point, stage);
      return or_empty(found != nullptr ? std::optional((found->*per_s)() / unit) : std::nullopt);
    };
    const double flops = unit_.flops_per_s;
    table.rows.push_back({point.name, point.dataflow_text, percent * point.share, s.median, s.iqr(),
                          static_cast<int>(s.n), all.work.flops / giga, all.work.bytes / mega,
                          all.work.intensity(), all.flops_per_s() / flops, all.bytes_per_s() / giga,
                          or_empty(all.times_floor(rates_)), rate("os", &StageWork::flops_per_s, flops),
                          rate("ws", &StageWork::flops_per_s, flops),
                          rate("map", &StageWork::bytes_per_s, giga)});
  }
  return table;
}

MeasuredSubject RooflineChart::subjectOf(int row) const {
  MeasuredSubject subject;
  if (row < 0 || row >= static_cast<int>(points_.size())) return subject;
  subject.kind = MeasuredSubject::Kind::layer;
  subject.layer = points_[static_cast<std::size_t>(row)].layer;
  return subject;
}

std::unique_ptr<Chart> RooflineChart::twin(Theme* theme) const {
  auto other = std::make_unique<RooflineChart>(theme);
  other->setPoints(points_, rates_, samples_);
  return other;
}

std::optional<double> RooflineChart::roofAt(double intensity) const {
  if (!rates_) return std::nullopt;
  const auto memory =
      rates_->bytes.per_second ? std::optional(*rates_->bytes.per_second * intensity) : std::nullopt;
  const auto& products = rates_->flops.per_second;
  if (memory && products) return std::min(*memory, *products);
  return memory ? memory : products;
}

/// Returns the diameter of a point in pixels. The area is proportional to the share of the time. The diameter
/// is limited to 6 to 30 pixels.
double RooflineChart::diameterOf(const RooflinePoint& point) const {
  constexpr double least = 6, largest = 30, of_everything = 70;
  return std::clamp(of_everything * std::sqrt(std::max(0.0, point.share)), least, largest);
}

QPointF RooflineChart::positionOf(std::size_t point) const {
  const QPointF& place = places_.at(point);
  return {plot_->xAxis->coordToPixel(place.x()), plot_->yAxis->coordToPixel(place.y())};
}

void RooflineChart::rebuild() {
  plot_->clearPlottables();
  // If all layers have the same dataflow, a very low chart has no legend.
  constexpr int room_for_legend = 120;
  plot_->legend->setVisible(!theme_->paper() && (legendEntries().size() > 1 || height() >= room_for_legend));
  fillAxes();
  if (!points_.empty()) {
    addRoofs();
    addPoints();
    if (hovered_ != chosen_) addRing(hovered_, Qt::DotLine);
    addRing(chosen_, Qt::SolidLine);
  }
  plot_->replot(QCustomPlot::rpQueuedReplot);
}

/// Sets the ranges of the axes so that all points and the corner of the roofs are visible.
void RooflineChart::fillAxes() {
  Range x{1e300, 0}, y{1e300, 0};
  const auto take = [](Range& range, double value) {
    if (value <= 0) return;
    range = {std::min(range.low, value), std::max(range.high, value)};
  };
  for (const QPointF& place : places_) {
    take(x, place.x());
    take(y, place.y() * unit_.flops_per_s);
    if (const auto roof = roofAt(place.x())) take(y, *roof);
  }
  if (rates_ && rates_->bytes.per_second && rates_->flops.per_second) {
    take(x, *rates_->flops.per_second / *rates_->bytes.per_second);
    take(y, *rates_->flops.per_second);
  }
  if (x.high <= 0) x = {1, 100};
  if (y.high <= 0) y = {giga, 100 * giga};
  constexpr double air_x = 1.6, air_y = 1.8;
  intensities_ = {x.low / air_x, x.high * air_x};
  flop_rates_ = {y.low / air_y, y.high * air_y};
  for (QCPAxis* axis : {plot_->xAxis, plot_->yAxis}) {
    axis->setScaleType(QCPAxis::stLogarithmic);
    axis->setTicker(QSharedPointer<RoundTicker>::create());
    axis->setSubTicks(false);  // Sub-ticks would be evenly spaced, which is wrong on a logarithmic axis.
    axis->setNumberFormat("g");
    axis->setNumberPrecision(9);
    axis->grid()->setVisible(true);
  }
  plot_->xAxis->setRange(intensities_.low, intensities_.high);
  plot_->yAxis->setRange(flop_rates_.low / unit_.flops_per_s, flop_rates_.high / unit_.flops_per_s);
  plot_->yAxis->ticker()->setTickCount(ticks_for(height()));
  constexpr int width_of_tick = 60;
  plot_->xAxis->ticker()->setTickCount(std::max(3, width() / width_of_tick));
  plot_->xAxis->setLabel(tr("FLOP per byte"));
  plot_->yAxis->setLabel(unit_.name);
}

std::vector<double> RooflineChart::labelsOf(Qt::Orientation axis) const {
  const QCPAxis* of = axis == Qt::Horizontal ? plot_->xAxis : plot_->yAxis;
  const QVector<double> ticks = of->tickVector();
  std::vector<double> labels;
  std::copy_if(ticks.begin(), ticks.end(), std::back_inserter(labels),
               [of](double tick) { return of->range().contains(tick); });
  return labels;
}

/// Draws the memory roof up to the corner, then the arithmetic roof. A missing rate has no line.
void RooflineChart::addRoofs() {
  if (!roofAt(1)) return;
  const auto& memory = rates_->bytes.per_second;
  const auto& products = rates_->flops.per_second;
  const double corner = memory && products
                            ? std::clamp(*products / *memory, intensities_.low, intensities_.high)
                            : (memory ? intensities_.high : intensities_.low);
  const QVector<double> x{intensities_.low, corner, intensities_.high};
  QVector<double> y;
  for (const double at : x)
    y.append(*roofAt(at) / unit_.flops_per_s);
  auto* line = new QCPGraph(plot_->xAxis, plot_->yAxis);
  line->setPen(QPen(theme_->palette().text, 1.5));
  line->setData(x, y, true);
}

void RooflineChart::placeTexts() {
  plot_->clearItems();
  named_.clear();
  taken_.clear();
  if (points_.empty()) return;
  addRoofLabels();
  addNames();
}

void RooflineChart::addText(const QString& text, const QRectF& place, bool opaque) {
  auto* label = new QCPItemText(plot_);
  label->setText(text);
  if (opaque) {
    QColor behind = theme_->palette().panel;
    constexpr float see_through = 0.8F;
    behind.setAlphaF(see_through);
    label->setBrush(behind);
  }
  label->setFont(plot_->font());
  label->setColor(theme_->palette().text);
  label->setPositionAlignment(Qt::AlignCenter);
  label->position->setCoords(plot_->xAxis->pixelToCoord(place.center().x()),
                             plot_->yAxis->pixelToCoord(place.center().y()));
  taken_.push_back(place);
}

/// Writes the rate of each roof: above the left end of the slope, and above the right end of the flat roof.
void RooflineChart::addRoofLabels() {
  if (!rates_) return;
  const QRectF inside(plot_->axisRect()->rect());
  const QFontMetricsF metrics(plot_->font());
  constexpr double gap = 4;
  const auto size_of = [&](const QString& text) {
    return QSizeF(metrics.horizontalAdvance(text) + gap, metrics.height());
  };
  if (const auto& memory = rates_->bytes.per_second) {
    const QString text = tr("memory %1").arg(numberText(*theme_, scaled_text(*memory, "B/s")));
    const QSizeF size = size_of(text);
    const double start = plot_->xAxis->coordToPixel(std::max(intensities_.low, flop_rates_.low / *memory));
    const double right = std::max(start, inside.left()) + size.width() + gap;
    const double line =
        plot_->yAxis->coordToPixel(*memory * plot_->xAxis->pixelToCoord(right) / unit_.flops_per_s) - gap;
    addText(text, {QPointF(right - size.width(), std::max(line - size.height(), inside.top())), size});
  }
  if (const auto& products = rates_->flops.per_second) {
    const QString text = tr("arithmetic %1").arg(numberText(*theme_, scaled_text(*products, "FLOP/s")));
    const QSizeF size = size_of(text);
    const double line = plot_->yAxis->coordToPixel(*products / unit_.flops_per_s);
    // If the chart is low, there may be no space above the roof.
    const bool above = line - 1 - size.height() >= inside.top();
    addText(text, {QPointF(inside.right() - size.width() - gap, above ? line - 1 - size.height() : line + 2),
                   size});
  }
}

/// Adds one graph for each dataflow and size, because all points of a QCPGraph have the same size.
void RooflineChart::addPoints() {
  for (const Dataflow dataflow : dataflows) {
    std::map<int, std::pair<QVector<double>, QVector<double>>> by_size;
    for (std::size_t at = 0; at < points_.size(); ++at) {
      if (points_[at].dataflow != dataflow || places_[at].y() <= 0) continue;
      auto& [x, y] = by_size[static_cast<int>(std::lround(diameterOf(points_[at])))];
      x.append(places_[at].x());
      y.append(places_[at].y());
    }
    QColor fill = colourOf(dataflow);
    constexpr float see_through = 0.6F;
    fill.setAlphaF(see_through);
    // Draw large points first, so that they do not hide small points.
    for (auto size = by_size.rbegin(); size != by_size.rend(); ++size) {
      auto* graph = new QCPGraph(plot_->xAxis, plot_->yAxis);
      graph->setLineStyle(QCPGraph::lsNone);
      graph->setScatterStyle({QCPScatterStyle::ssCircle, QPen(colourOf(dataflow), 1), QBrush(fill),
                              static_cast<double>(size->first)});
      graph->setData(size->second.first, size->second.second);
      graph->setName(text_of(dataflow));
      // Add only the smallest points to the legend, because larger ones do not fit into its icon.
      if (std::next(size) == by_size.rend()) graph->addToLegend();
    }
  }
}

/// Returns a position at which the name of a point covers no other point and no text. Returns an empty value
/// if no such position exists.
std::optional<QRectF> RooflineChart::freePlaceFor(std::size_t point) const {
  const QRectF inside(plot_->axisRect()->rect());
  for (const QRectF& place : placesFor(point)) {
    bool free = inside.contains(place) && std::none_of(taken_.begin(), taken_.end(),
                                                       [&](auto& other) { return other.intersects(place); });
    for (std::size_t other = 0; free && other < points_.size(); ++other) {
      const double radius = diameterOf(points_[other]) / 2;
      const QPointF corner = positionOf(other) - QPointF(radius, radius);
      free = places_[other].y() <= 0 || !QRectF(corner, QSizeF(2 * radius, 2 * radius)).intersects(place);
    }
    if (free) return place;
  }
  return std::nullopt;
}

/// Returns the positions of a name next to its point: right, left, below and above.
std::array<QRectF, 4> RooflineChart::placesFor(std::size_t point) const {
  const QFontMetricsF metrics(plot_->font());
  const QSizeF size(metrics.horizontalAdvance(points_[point].short_name) + 4, metrics.height());
  const double half = size.height() / 2;
  const double ring = isMarked(point) ? ring_width / 2 : 0;
  const double away = (diameterOf(points_[point]) / 2) + 2 + ring;
  const QPointF centre = positionOf(point);
  return {QRectF(centre + QPointF(away, -half), size),
          QRectF(centre + QPointF(-away - size.width(), -half), size),
          QRectF(centre + QPointF(-size.width() / 2, away), size),
          QRectF(centre + QPointF(-size.width() / 2, -away - size.height()), size)};
}

bool RooflineChart::isMarked(std::size_t point) const {
  const int layer = points_[point].layer;
  return layer >= 0 && (layer == chosen_ || layer == hovered_);
}

/// Writes the names of the selected layer and of the hovered layer. Then writes the names of the layers with
/// the longest times if there is space for them.
void RooflineChart::addNames() {
  constexpr std::size_t most = 6;
  std::vector<std::size_t> order(points_.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) {
    return std::pair(isMarked(a), points_[a].share) > std::pair(isMarked(b), points_[b].share);
  });
  const QRectF inside(plot_->axisRect()->rect());
  for (std::size_t at = 0; at < std::min(most, order.size()); ++at) {
    const std::size_t point = order[at];
    if (places_[point].y() <= 0) continue;
    auto place = freePlaceFor(point);
    if (!place && isMarked(point)) {
      const auto all = placesFor(point);
      const auto* fits =
          std::find_if(all.begin(), all.end(), [&](auto& one) { return inside.contains(one); });
      place = fits == all.end() ? all.front() : *fits;
    }
    if (!place) continue;
    addText(points_[point].short_name, *place, isMarked(point));
    named_.push_back(point);
  }
}

/// Draws a ring around the point of a layer. Does nothing if `layer` is -1.
void RooflineChart::addRing(int layer, Qt::PenStyle style) {
  for (std::size_t at = 0; at < points_.size(); ++at) {
    if (layer < 0 || points_[at].layer != layer || places_[at].y() <= 0) continue;
    auto* ring = new QCPGraph(plot_->xAxis, plot_->yAxis);
    ring->setLineStyle(QCPGraph::lsNone);
    ring->setScatterStyle({QCPScatterStyle::ssCircle, QPen(theme_->palette().text, 2, style), Qt::NoBrush,
                           diameterOf(points_[at]) + ring_width});
    ring->addData(places_[at].x(), places_[at].y());
  }
}

int RooflineChart::rowAt(const QPointF& at) const {
  int nearest = -1;
  double best = 0;
  for (std::size_t point = 0; point < points_.size(); ++point) {
    if (places_[point].y() <= 0) continue;
    constexpr double easy_to_hit = 4;
    const QPointF away = positionOf(point) - at;
    const double distance = std::hypot(away.x(), away.y());
    const double reach = (diameterOf(points_[point]) / 2) + easy_to_hit;
    if (distance > reach || (nearest >= 0 && distance >= best)) continue;
    nearest = static_cast<int>(point);
    best = distance;
  }
  return nearest;
}

void RooflineChart::chooseRow(int row) {
  if (const int layer = subjectOf(row).layer; layer >= 0) emit layerClicked(layer);
}

void RooflineChart::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) chooseRow(rowAt(event->position()));
}

void RooflineChart::mouseMoveEvent(QMouseEvent* event) {
  emit layerHovered(subjectOf(rowAt(event->position())).layer);
}

void RooflineChart::leaveEvent(QEvent*) {
  emit layerHovered(-1);
}

bool RooflineChart::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return PlotChart::event(event);
  auto* help = static_cast<QHelpEvent*>(event);
  const int row = rowAt(help->pos());
  QToolTip::showText(help->globalPos(),
                     row < 0 ? QString() : points_[static_cast<std::size_t>(row)].tip(rates_, unit_), this);
  return true;
}

}  // namespace spira::ui
