#include "ui/charts/stage_chart.hpp"

#include "engine/base/text.hpp"
#include "engine/measure/statistics.hpp"
#include "ui/charts/chart.hpp"
#include "ui/model/measured/measured_here.hpp"
#include "ui/model/tables/timeline_area.hpp"
#include "ui/theme/screen_number.hpp"
#include "ui/theme/theme.hpp"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <qcustomplot.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

namespace spira::ui {
namespace {

/// The parts in drawing order, from the bottom of a bar to its top.
constexpr std::array<BarPart, 19> stack{StageGroup::voxelize,
                                        StageGroup::downsample,
                                        StageGroup::search,
                                        StageGroup::transpose,
                                        StageGroup::filter,
                                        StageGroup::order,
                                        PassPart::voxels,
                                        PassPart::maps,
                                        PassPart::orders,
                                        PassPart::repack,
                                        PassPart::forward,
                                        PassPart::dgrad,
                                        PassPart::wgrad,
                                        PassPart::reduce,
                                        StageGroup::output_stationary,
                                        StageGroup::weight_stationary,
                                        StageGroup::epilogue,
                                        StageGroup::other,
                                        StageGroup::residual};
constexpr int room_for_names = 1000, room_for_unit = 170;
constexpr double pair_offset = 0.2;  // Distance of each bar of a pair from the middle of the pair.

double ms_of(const StageBar& bar, const BarPart& group) {
  const auto part = bar.parts.find(group);
  return part == bar.parts.end() ? 0.0 : part->second;
}

/// Returns the number of parts that are drawn. A negative residual appears only in the table.
int parts_drawn(const StageBar& bar) {
  return static_cast<int>(
      std::count_if(bar.parts.begin(), bar.parts.end(), [](const auto& part) { return part.second > 0; }));
}

}  // namespace

QString StageBar::tip() const {
  QString text = head;
  for (const SampleSeries& stage : samples) {
    const Statistics s = statistics(stage.ms);
    text += QString("\n%1: %2, n = %3, IQR %4, %5")
                .arg(stage.name, onScreen(ms_text(s.median)))
                .arg(s.n)
                .arg(onScreen(ms_text(s.iqr())), percentilesText(stage.ms));
    if (stage.peak_bytes)
      text += StageChart::tr(", peak memory %1").arg(onScreen(bytes_text(*stage.peak_bytes)));
  }
  return text + notes;
}

double StageBar::sum_ms() const noexcept {
  double sum = 0;
  for (const auto& [group, ms] : parts)
    sum += ms;
  return sum;
}

double StageBar::drawn_ms() const noexcept {
  double sum = 0;
  for (const auto& [group, ms] : parts)
    sum += std::max(ms, 0.0);
  return sum;
}

StageChart::StageChart(Theme* theme, QWidget* parent)
    : PlotChart(theme, tr("Latency of each layer by stage"), QSize(200, 110), parent) {
  addLegendAbove();
  restyle();
}

void StageChart::setBars(std::vector<StageBar> bars, const QString& statistic, const QString& samples) {
  bars_ = std::move(bars);
  compared_ =
      std::any_of(bars_.begin(), bars_.end(), [](const StageBar& bar) { return bar.baseline_ms >= 0; });
  max_parts_ = 1;
  for (const StageBar& bar : bars_)
    max_parts_ = std::max(max_parts_, parts_drawn(bar));
  statistic_ = statistic;
  samples_ = samples;
  contentChanged();
  rebuild();
}

void StageChart::setLogarithmic(bool logarithmic) {
  if (logarithmic == logarithmic_) return;
  logarithmic_ = logarithmic;
  rebuild();
}

void StageChart::setChosenLayer(int layer) {
  if (layer == chosen_) return;
  chosen_ = layer;
  rebuild();
}

void StageChart::setChosenPhase(std::optional<StageGroup> phase) {
  if (phase == phase_) return;
  phase_ = phase;
  rebuild();
}

ChartText StageChart::text() const {
  return {ofPasses() ? tr("Latency of each layer by pass") : tr("Latency of each layer by stage"), tr("ms"),
          statistic_, samples_};
}

bool StageChart::ofPasses() const {
  return occurs(PassPart::forward);
}

QString StageChart::unitText() const {
  return statistic_.isEmpty() ? tr("ms") : tr("ms, %1").arg(statistic_);
}

bool StageChart::hasContent() const {
  return !bars_.empty();
}

bool StageChart::occurs(const BarPart& group) const {
  return std::any_of(bars_.begin(), bars_.end(),
                     [&group](const StageBar& bar) { return ms_of(bar, group) != 0; });
}

std::vector<LegendEntry> StageChart::legendEntries() const {
  std::vector<LegendEntry> all;
  if (compared_) all.push_back({theme_->palette().faint_text, tr("baseline (hatched)")});
  for (const BarPart& group : stack) {
    if (!occurs(group)) continue;
    all.push_back({partColour(*theme_, group), partText(group)});
  }
  return all;
}

/// Returns a table with one column per stage group that occurs. The last row is the total of all bars.
ChartTable StageChart::table() const {
  ChartTable table{{tr("Layer")}, {}};
  for (const BarPart& group : stack) {
    if (occurs(group)) table.header += tr("%1, ms").arg(partText(group));
  }
  table.header += tr("all stages, %1").arg(unitText());
  if (compared_) table.header += tr("baseline, %1").arg(unitText());
  StageBar total{tr("total"), {}};
  for (const StageBar& bar : bars_) {
    for (const auto& [group, ms] : bar.parts)
      total.parts[group] += ms;
    if (bar.baseline_ms >= 0) total.baseline_ms = std::max(0.0, total.baseline_ms) + bar.baseline_ms;
  }
  const auto add = [&](const StageBar& bar) {
    QVariantList cells{bar.name};
    for (const BarPart& group : stack) {
      if (!occurs(group)) continue;
      const double ms = ms_of(bar, group);
      cells.append(ms != 0 ? QVariant(ms) : QVariant(QString()));
    }
    cells.append(bar.sum_ms());
    if (compared_) cells.append(bar.baseline_ms >= 0 ? QVariant(bar.baseline_ms) : QVariant(QString()));
    table.rows.push_back(cells);
  };
  std::for_each(bars_.begin(), bars_.end(), add);
  if (hasContent()) add(total);
  return table;
}

MeasuredSubject StageChart::subjectOf(int row) const {
  MeasuredSubject subject;
  if (row < 0 || row >= static_cast<int>(bars_.size())) return subject;
  subject.layer = bars_[static_cast<std::size_t>(row)].layer;
  if (subject.layer >= 0) subject.kind = MeasuredSubject::Kind::layer;
  return subject;
}

std::unique_ptr<Chart> StageChart::twin(Theme* theme) const {
  auto other = std::make_unique<StageChart>(theme);
  other->setBars(bars_, statistic_, samples_);
  other->setLogarithmic(logarithmic_);
  return other;
}

double StageChart::middleOf(std::size_t bar) const {
  return static_cast<double>(bar) + (compared_ ? pair_offset : 0);
}

double StageChart::halfWidth() const {
  return compared_ ? pair_offset : 0.4;
}

/// Returns the width of a part. All parts have the same width. On a logarithmic axis, the parts of the bar
/// with the most parts fit side by side.
double StageChart::partWidth() const {
  return 2 * halfWidth() / (logarithmic_ ? max_parts_ : 1);
}

std::optional<StageChart::Place> StageChart::placeOf(std::size_t bar, const BarPart& group) const {
  const StageBar& of = bars_[bar];
  if (ms_of(of, group) <= 0) return std::nullopt;
  double below = 0;
  int before = 0;
  for (const BarPart& other : stack) {
    if (other == group) break;
    below += std::max(0.0, ms_of(of, other));
    before += ms_of(of, other) > 0 ? 1 : 0;
  }
  const double middle = middleOf(bar);
  if (!logarithmic_)
    return Place{middle - halfWidth(), middle + halfWidth(), below, below + ms_of(of, group)};
  const double width = partWidth(), left = middle + width * (before - parts_drawn(of) / 2.0);
  return Place{left, left + width, lowest_, ms_of(of, group)};
}

void StageChart::rebuild() {
  plot_->clearPlottables();
  plot_->clearItems();
  double highest = 0, least = 0;
  for (const StageBar& bar : bars_) {
    highest = std::max({highest, bar.drawn_ms(), bar.baseline_ms, bar.other_ms});
    for (const auto& [group, ms] : bar.parts) {
      if (ms > 0) least = least > 0 ? std::min(least, ms) : ms;
    }
  }
  // The axis extends about five decades below the highest bar. Smaller parts are not visible.
  constexpr double decades = 1e-5;
  lowest_ = logarithmic_ && least > 0
                ? std::pow(10.0, std::floor(std::log10(std::max(least, highest * decades) / 2)))
                : 0.0;
  if (compared_) addBaseline();
  if (logarithmic_) addSums();
  addParts();
  for (std::size_t bar = 0; bar < bars_.size(); ++bar) {
    if (bars_[bar].other_ms >= 0) dot(bars_[bar], bar);
  }
  outline();
  fillAxes(highest);
  plot_->replot(QCustomPlot::rpQueuedReplot);
}

std::map<BarPart, QString> StageChart::legendNames() const {
  std::map<BarPart, QString> names;
  for (const BarPart& group : stack) {
    if (!occurs(group)) continue;
    names[group] = width() < room_for_names ? shortPartText(group) : partText(group);
  }
  return names;
}

void StageChart::addParts() {
  const std::map<BarPart, QString> names = legendNames();
  QCPBars* below = nullptr;
  for (const BarPart& group : stack) {
    if (!occurs(group)) continue;
    QVector<double> at, values;
    for (std::size_t bar = 0; bar < bars_.size(); ++bar) {
      const auto place = placeOf(bar, group);
      if (logarithmic_ && !place) continue;
      at.append(place ? (place->left + place->right) / 2 : middleOf(bar));
      values.append(std::max(0.0, ms_of(bars_[bar], group)));
    }
    auto* bars = new QCPBars(plot_->xAxis, plot_->yAxis);
    bars->setName(names.at(group));
    bars->setWidth(partWidth());
    bars->setBaseValue(lowest_);
    const Qt::BrushStyle pattern = bars_.front().in_situ ? Qt::BDiagPattern : partPattern(group);
    const bool hatched = pattern != Qt::SolidPattern;
    bars->setPen(hatched           ? QPen(partColour(*theme_, group), 1)
                 : theme_->paper() ? QPen(theme_->palette().text, 0.5)
                                   : QPen(Qt::NoPen));
    bars->setBrush(QBrush(partColour(*theme_, group), pattern));
    bars->setData(at, values, true);
    if (below != nullptr && !logarithmic_) bars->moveAbove(below);
    below = bars;
  }
}

/// Draws the sum of each bar behind its parts.
void StageChart::addSums() {
  QVector<double> at, ms;
  for (std::size_t bar = 0; bar < bars_.size(); ++bar) {
    if (bars_[bar].sum_ms() <= 0) continue;
    at.append(middleOf(bar));
    ms.append(bars_[bar].sum_ms());
  }
  auto* bars = new QCPBars(plot_->xAxis, plot_->yAxis);
  bars->setName(tr("all"));
  bars->setWidth(2 * halfWidth());
  bars->setBaseValue(lowest_);
  bars->setPen(QPen(theme_->palette().faint_text, 1));
  bars->setBrush(theme_->palette().line);
  bars->setData(at, ms, true);
}

/// Draws the baseline to the left of each bar. Its stages are not drawn, because two stacked bars would look
/// alike.
void StageChart::addBaseline() {
  QVector<double> at, ms;
  for (std::size_t bar = 0; bar < bars_.size(); ++bar) {
    if (bars_[bar].baseline_ms < 0) continue;
    at.append(static_cast<double>(bar) - pair_offset);
    ms.append(bars_[bar].baseline_ms);
  }
  auto* bars = new QCPBars(plot_->xAxis, plot_->yAxis);
  bars->setName(tr("baseline"));
  bars->setWidth(2 * pair_offset);
  bars->setBaseValue(lowest_);
  bars->setPen(QPen(theme_->palette().text, 1));
  bars->setBrush(QBrush(theme_->palette().faint_text, Qt::Dense5Pattern));
  bars->setData(at, ms, true);
}

/// Draws a frame whose height is the time with a different setting. The frame is dotted if this time is an
/// estimate.
void StageChart::dot(const StageBar& bar, std::size_t at) {
  frame({middleOf(at) - halfWidth(), middleOf(at) + halfWidth(), lowest_, bar.other_ms},
        QPen(theme_->palette().accent, 2, bar.other_modelled ? Qt::DotLine : Qt::SolidLine));
}

void StageChart::setTint(const std::set<StageGroup>& parts, int layer) {
  if (parts == tinted_ && layer == hovered_) return;
  tinted_ = parts;
  hovered_ = layer;
  rebuild();
}

void StageChart::frame(const Place& place, const QPen& pen) {
  auto* frame = new QCPItemRect(plot_);
  frame->topLeft->setCoords(place.left, place.top);
  frame->bottomRight->setCoords(place.right, place.bottom);
  frame->setPen(pen);
  frame->setBrush(Qt::NoBrush);
}

void StageChart::outline() {
  // A frame around a whole bar is wider than the bar by this factor. Otherwise, it would touch the frames of
  // the parts.
  constexpr double around = 1.15;
  for (std::size_t bar = 0; phase_ && bar < bars_.size(); ++bar)
    outlineParts(bar, {*phase_}, QPen(theme_->palette().text, 2));
  for (std::size_t bar = 0; bar < bars_.size(); ++bar) {
    if (bars_[bar].layer < 0 || bars_[bar].is_map) continue;
    const Place whole{middleOf(bar) - around * halfWidth(), middleOf(bar) + around * halfWidth(), lowest_,
                      bars_[bar].drawn_ms() * 1.01};
    if (bars_[bar].layer == hovered_ && hovered_ != chosen_)
      frame(whole, QPen(theme_->palette().text, 1.5, Qt::DotLine));
    if (bars_[bar].layer != chosen_) continue;
    frame(whole, QPen(theme_->palette().text, 2));
    outlineParts(bar, tinted_, QPen(theme_->palette().drawn, 3));
  }
}

void StageChart::outlineParts(std::size_t bar, const std::set<StageGroup>& parts, const QPen& pen) {
  for (const StageGroup group : parts) {
    if (const auto place = placeOf(bar, group)) frame(*place, pen);
  }
}

/// Writes the names of the bars. Names are slanted if there is space for all of them, otherwise vertical and,
/// if necessary, smaller. If not even small vertical names fit, only every n-th bar has a name.
void StageChart::nameBars() {
  constexpr double around = 80;  // Width of the axis numbers and the margins, in pixels.
  constexpr double slanted = 16;
  constexpr double names_share = 0.5;  // Maximum share of the height that names may use.
  constexpr double min_share_of_font = 0.75;
  const QSharedPointer<QCPAxisTickerText> ticker(new QCPAxisTickerText);
  const double each_px = std::max(1.0, width() - around) / std::max(1.0, static_cast<double>(bars_.size()));
  QFont names = plot_->font();
  const double line = QFontMetricsF(names).height();
  const bool vertical = each_px < slanted;
  if (vertical && each_px < line)
    names.setPointSizeF(names.pointSizeF() * std::max(min_share_of_font, each_px / line));
  const QFontMetricsF metrics(names);
  const int each = vertical ? std::max(1, static_cast<int>(std::ceil((metrics.height() - 1) / each_px))) : 1;
  for (int bar = 0; bar < static_cast<int>(bars_.size()); bar += each)
    ticker->addTick(bar, metrics.elidedText(bars_[static_cast<std::size_t>(bar)].name, Qt::ElideRight,
                                            names_share * height()));
  plot_->xAxis->setTicker(ticker);
  plot_->xAxis->setTickLabelFont(names);
  plot_->xAxis->setTickLabelRotation(vertical ? -90 : -55);
  plot_->xAxis->setLabel(each > 1 && !theme_->paper() ? tr("Point at a bar to see its name") : QString());
}

/// Labels the axes. Omits names and numbers that do not fit at the current size.
void StageChart::fillAxes(double highest) {
  nameBars();
  plot_->xAxis->setRange(-0.6, static_cast<double>(bars_.size()) - 0.4);
  plot_->yAxis->setLabel(height() < room_for_unit ? tr("ms") : unitText());
  plot_->yAxis->setScaleType(lowest_ > 0 ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
  plot_->yAxis->setTicker(lowest_ > 0 ? QSharedPointer<QCPAxisTicker>(new QCPAxisTickerLog)
                                      : QSharedPointer<QCPAxisTicker>(new QCPAxisTicker));
  plot_->yAxis->ticker()->setTickCount(ticks_for(height()));
  // Upper ends of a linear axis and of a logarithmic axis, divided by the height of the highest bar.
  constexpr double air = 1.08, air_of_decades = 1.5;
  plot_->yAxis->setRange(lowest_, highest <= 0 ? 1.0 : highest * (lowest_ > 0 ? air_of_decades : air));
}

int StageChart::labelsShown() const {
  return static_cast<int>(qSharedPointerCast<QCPAxisTickerText>(plot_->xAxis->ticker())->ticks().size());
}

QString StageChart::axisHint() const {
  return plot_->xAxis->label();
}

int StageChart::plotHeight() const {
  plot_->replot(QCustomPlot::rpQueuedRefresh);  // Updates the layout.
  return plot_->axisRect()->height();
}

std::optional<StageGroup> StageChart::partAt(const QPointF& at) const {
  const int bar = rowAt(at);
  if (bar < 0) return std::nullopt;
  const double along = plot_->xAxis->pixelToCoord(at.x()), ms = plot_->yAxis->pixelToCoord(at.y());
  for (const BarPart& group : stack) {
    const auto place = placeOf(static_cast<std::size_t>(bar), group);
    if (!place || ms < place->bottom || ms >= place->top) continue;
    if (!logarithmic_ || (along >= place->left && along < place->right))
      return std::holds_alternative<StageGroup>(group) ? std::optional(std::get<StageGroup>(group))
                                                       : std::nullopt;
  }
  return std::nullopt;
}

int StageChart::rowAt(const QPointF& at) const {
  if (!plot_->axisRect()->rect().contains(at.toPoint())) return -1;
  const int bar = static_cast<int>(std::lround(plot_->xAxis->pixelToCoord(at.x())));
  return bar >= 0 && bar < static_cast<int>(bars_.size()) ? bar : -1;
}

void StageChart::chooseRow(int row) {
  if (row < 0 || row >= static_cast<int>(bars_.size())) return;  // The last row of the table is the total.
  if (const int layer = bars_[static_cast<std::size_t>(row)].layer; layer >= 0) emit layerClicked(layer);
  emit barClicked(row);
}

void StageChart::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  const int bar = rowAt(event->position());
  chooseRow(bar);
  if (bar >= 0) emit phaseClicked(partAt(event->position()));
}

void StageChart::mouseMoveEvent(QMouseEvent* event) {
  emit layerHovered(subjectOf(rowAt(event->position())).layer);
}

void StageChart::leaveEvent(QEvent*) {
  emit layerHovered(-1);
}

bool StageChart::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return PlotChart::event(event);
  auto* help = static_cast<QHelpEvent*>(event);
  const int bar = rowAt(help->pos());
  QString tip;
  if (bar >= 0) {
    tip = bars_[static_cast<std::size_t>(bar)].tip();
  } else if (occurs(StageGroup::residual) && plot_->legend->outerRect().contains(help->pos())) {
    tip = residualTip();
  }
  QToolTip::showText(help->globalPos(), tip, this);
  return true;
}

}  // namespace spira::ui
