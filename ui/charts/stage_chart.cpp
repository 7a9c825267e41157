#include "ui/charts/stage_chart.hpp"

#include "ui/charts/chart_theme.hpp"
#include "ui/theme/theme.hpp"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <qcustomplot.h>

#include <algorithm>
#include <array>
#include <utility>

namespace spira::ui {
namespace {

struct Part {
  StageGroup group;
  const char *name, *short_name;  // the short one where the legend is narrow
};
constexpr std::array<Part, 7> stack{{
    {StageGroup::voxelize, QT_TRANSLATE_NOOP("spira::ui::StageChart", "voxelize"),
     QT_TRANSLATE_NOOP("spira::ui::StageChart", "voxelize")},
    {StageGroup::downsample, QT_TRANSLATE_NOOP("spira::ui::StageChart", "down-sample"),
     QT_TRANSLATE_NOOP("spira::ui::StageChart", "down")},
    {StageGroup::search, QT_TRANSLATE_NOOP("spira::ui::StageChart", "map: search"),
     QT_TRANSLATE_NOOP("spira::ui::StageChart", "search")},
    {StageGroup::post_process, QT_TRANSLATE_NOOP("spira::ui::StageChart", "map: transpose, filter"),
     QT_TRANSLATE_NOOP("spira::ui::StageChart", "transpose")},
    {StageGroup::output_stationary, QT_TRANSLATE_NOOP("spira::ui::StageChart", "output-stationary"),
     QT_TRANSLATE_NOOP("spira::ui::StageChart", "output-st.")},
    {StageGroup::weight_stationary, QT_TRANSLATE_NOOP("spira::ui::StageChart", "weight-stationary"),
     QT_TRANSLATE_NOOP("spira::ui::StageChart", "weight-st.")},
    {StageGroup::epilogue, QT_TRANSLATE_NOOP("spira::ui::StageChart", "epilogue, rest"),
     QT_TRANSLATE_NOOP("spira::ui::StageChart", "rest")},
}};
constexpr int room_for_names = 1000, room_for_unit = 170;
constexpr double beside = 0.2;  // how far either bar of two stands from their middle

}  // namespace

StageChart::StageChart(Theme* theme, QWidget* parent)
    : PlotChart(theme, tr("Latency of each layer by stage"), QSize(200, 110), parent) {
  auto* legend_row = new QCPLayoutGrid;  // above the plot, so that it covers no bar
  plot_->plotLayout()->insertRow(0);
  plot_->plotLayout()->addElement(0, 0, legend_row);
  legend_row->addElement(0, 0, plot_->legend);
  plot_->legend->setFillOrder(QCPLayoutGrid::foColumnsFirst);
  plot_->legend->setWrap(0);
  plot_->plotLayout()->setRowStretchFactor(0, 0.001);
  plot_->plotLayout()->setRowSpacing(0);
  plot_->legend->setMargins(QMargins(4, 1, 4, 1));
  legend_row->setMinimumSize(0, plot_->fontMetrics().height() + 8);
  plot_->legend->setIconSize(14, 12);
  plot_->legend->setVisible(true);
  if (theme_->paper()) {  // the keys are written beside the chart, in rows
    plot_->legend->setVisible(false);
    legend_row->setMinimumSize(0, 0);
  }
  restyle();
}

void StageChart::setBars(std::vector<StageBar> bars, const QString& unit, const QString& samples) {
  bars_ = std::move(bars);
  unit_ = unit;
  samples_ = samples;
  contentChanged();
  rebuild();
}

void StageChart::setChosenLayer(int layer) {
  chosen_ = layer;
  rebuild();
}

void StageChart::setChosenPhase(std::optional<StageGroup> phase) {
  if (phase == phase_) return;
  phase_ = phase;
  rebuild();
}

ChartText StageChart::text() const {
  return {tr("Latency of each layer by stage"), unit_.section(", ", 0, 0), unit_.section(", ", 1), samples_};
}

bool StageChart::hasContent() const {
  return !bars_.empty();
}

bool StageChart::occurs(StageGroup group) const {
  return std::any_of(bars_.begin(), bars_.end(), [group](const StageBar& bar) {
    const auto part = bar.parts.find(group);
    return part != bar.parts.end() && part->second > 0;
  });
}

bool StageChart::compared() const {
  return std::any_of(bars_.begin(), bars_.end(), [](const StageBar& bar) { return bar.baseline_ms >= 0; });
}

std::vector<ChartKey> StageChart::keys() const {
  std::vector<ChartKey> all;
  if (compared()) all.push_back({theme_->palette().faint_text, tr("baseline, hatched")});
  for (const auto& [group, name, short_name] : stack) {
    if (occurs(group)) all.push_back({theme_->stage(group), tr(name)});
  }
  return all;
}

/// A column for each kind of stage that there is.
ChartTable StageChart::table() const {
  ChartTable table{{tr("Layer")}, {}};
  for (const auto& [group, name, short_name] : stack) {
    if (occurs(group)) table.header += tr("%1, ms").arg(tr(name));
  }
  table.header += tr("all, %1").arg(unit_);
  if (compared()) table.header += tr("baseline, %1").arg(unit_);
  for (const StageBar& bar : bars_) {
    QVariantList cells{bar.name};
    double sum = 0;
    for (const auto& [group, name, short_name] : stack) {
      const auto part = bar.parts.find(group);
      const bool has = part != bar.parts.end() && part->second > 0;
      if (has) sum += part->second;
      if (occurs(group)) cells.append(has ? QVariant(part->second) : QVariant(QString()));
    }
    cells.append(sum);
    if (compared()) cells.append(bar.baseline_ms >= 0 ? QVariant(bar.baseline_ms) : QVariant(QString()));
    table.rows.push_back(cells);
  }
  return table;
}

MeasuredSubject StageChart::subjectOf(int row) const {
  MeasuredSubject subject;
  if (row < 0) return subject;
  subject.layer = bars_[static_cast<std::size_t>(row)].layer;
  if (subject.layer >= 0) subject.kind = MeasuredSubject::Kind::layer;
  return subject;
}

std::unique_ptr<Chart> StageChart::twin(Theme* theme) const {
  auto other = std::make_unique<StageChart>(theme);
  other->setBars(bars_, unit_, samples_);
  return other;
}

void StageChart::rebuild() {
  plot_->clearPlottables();
  plot_->clearItems();
  const bool two = compared();
  QVector<double> at;
  for (int bar = 0; bar < static_cast<int>(bars_.size()); ++bar)
    at.append(two ? bar + beside : bar);
  if (two) addBaseline();
  QCPBars* below = nullptr;
  double highest = 0;
  std::vector<double> sums(bars_.size(), 0.0);
  for (const auto& [group, name, short_name] : stack) {
    QVector<double> values;
    bool any = false;
    for (std::size_t bar = 0; bar < bars_.size(); ++bar) {
      const auto part = bars_[bar].parts.find(group);
      values.append(part == bars_[bar].parts.end() ? 0.0 : part->second);
      any = any || values.back() > 0;
      sums[bar] += values.back();
      highest = std::max(highest, sums[bar]);
    }
    if (!any) continue;
    auto* bars = new QCPBars(plot_->xAxis, plot_->yAxis);
    bars->setName(tr(width() < room_for_names ? short_name : name));
    bars->setWidth(two ? 2 * beside : 0.8);
    const bool hatched = !bars_.empty() && bars_.front().in_situ;
    bars->setPen(hatched           ? QPen(theme_->stage(group), 1)
                 : theme_->paper() ? QPen(theme_->palette().text, 0.5)
                                   : QPen(Qt::NoPen));
    bars->setBrush(QBrush(theme_->stage(group), hatched ? Qt::BDiagPattern : Qt::SolidPattern));
    bars->setData(at, values, true);
    if (below != nullptr) bars->moveAbove(below);
    below = bars;
  }
  for (const StageBar& bar : bars_)
    highest = std::max(highest, bar.baseline_ms);
  for (std::size_t bar = 0; bar < bars_.size(); ++bar) {
    if (bars_[bar].other_ms < 0) continue;
    dot(bars_[bar], static_cast<double>(bar));
    highest = std::max(highest, bars_[bar].other_ms);
  }
  outline(sums);
  fillAxes(highest);
  plot_->replot(QCustomPlot::rpQueuedReplot);
}

/// At the left of each bar, in one piece: a bar of stages beside one of stages would hide which is which.
void StageChart::addBaseline() {
  QVector<double> at, ms;
  for (std::size_t bar = 0; bar < bars_.size(); ++bar) {
    if (bars_[bar].baseline_ms < 0) continue;
    at.append(static_cast<double>(bar) - beside);
    ms.append(bars_[bar].baseline_ms);
  }
  auto* bars = new QCPBars(plot_->xAxis, plot_->yAxis);
  bars->setName(tr("baseline"));
  bars->setWidth(2 * beside);
  bars->setPen(QPen(theme_->palette().text, 1));
  bars->setBrush(QBrush(theme_->palette().faint_text, Qt::Dense5Pattern));
  bars->setData(at, ms, true);
}

/// What another setting takes: dotted where a model says so.
void StageChart::dot(const StageBar& bar, double at) {
  frame(at, bar.other_ms, 0,
        QPen(theme_->palette().accent, 2, bar.other_modelled ? Qt::DotLine : Qt::SolidLine), 0.4);
}

void StageChart::setTint(const std::set<StageGroup>& parts, int layer) {
  if (parts == tinted_ && layer == hovered_) return;
  tinted_ = parts;
  hovered_ = layer;
  rebuild();
}

void StageChart::frame(double bar, double top, double bottom, const QPen& pen, double half_width) {
  auto* frame = new QCPItemRect(plot_);
  const double middle = compared() ? bar + beside : bar;
  if (compared()) half_width /= 2;
  frame->topLeft->setCoords(middle - half_width, top);
  frame->bottomRight->setCoords(middle + half_width, bottom);
  frame->setPen(pen);
  frame->setBrush(Qt::NoBrush);
}

void StageChart::outline(const std::vector<double>& sums) {
  for (std::size_t bar = 0; phase_ && bar < bars_.size(); ++bar)
    outlineParts(bar, {*phase_}, QPen(theme_->palette().text, 2));
  for (std::size_t bar = 0; bar < bars_.size(); ++bar) {
    if (bars_[bar].layer < 0 || bars_[bar].is_map) continue;
    const auto at = static_cast<double>(bar);
    if (bars_[bar].layer == hovered_ && hovered_ != chosen_)
      frame(at, sums[bar] * 1.01, 0, QPen(theme_->palette().text, 1.5, Qt::DotLine));
    if (bars_[bar].layer != chosen_) continue;
    frame(at, sums[bar] * 1.01, 0, QPen(theme_->palette().text, 2));
    outlineParts(bar, tinted_, QPen(theme_->palette().drawn, 3));
  }
}

void StageChart::outlineParts(std::size_t bar, const std::set<StageGroup>& parts, const QPen& pen) {
  double below = 0;
  for (const auto& [group, name, short_name] : stack) {
    const auto part = bars_[bar].parts.find(group);
    if (part == bars_[bar].parts.end()) continue;
    if (parts.count(group) > 0) frame(static_cast<double>(bar), below + part->second, below, pen);
    below += part->second;
  }
}

/// As many names and numbers as the plot has room for at its present size.
void StageChart::fillAxes(double highest) {
  constexpr double around = 80;  // pixels of the width that numbers and margins take
  const QSharedPointer<QCPAxisTickerText> ticker(new QCPAxisTickerText);
  const double pixels = std::max(1.0, width() - around);
  const auto each = static_cast<int>(static_cast<double>(bars_.size()) * 16.0 / pixels) +
                    1;  // a slanted label needs 16 pixels
  for (int bar = 0; bar < static_cast<int>(bars_.size()); bar += each)
    ticker->addTick(bar, bars_[static_cast<std::size_t>(bar)].name);
  plot_->xAxis->setTicker(ticker);
  plot_->xAxis->setTickLabelRotation(-55);
  plot_->xAxis->setRange(-0.6, static_cast<double>(bars_.size()) - 0.4);
  plot_->yAxis->setLabel(height() < room_for_unit ? unit_.section(',', 0, 0) : unit_);
  plot_->yAxis->ticker()->setTickCount(ticks_for(height()));
  plot_->yAxis->setRange(0, highest > 0 ? highest * 1.08 : 1.0);
}

int StageChart::labelsShown() const {
  return static_cast<int>(qSharedPointerCast<QCPAxisTickerText>(plot_->xAxis->ticker())->ticks().size());
}

int StageChart::rowAt(const QPointF& at) const {
  if (!plot_->axisRect()->rect().contains(at.toPoint())) return -1;
  const int bar = static_cast<int>(std::lround(plot_->xAxis->pixelToCoord(at.x())));
  return bar >= 0 && bar < static_cast<int>(bars_.size()) ? bar : -1;
}

void StageChart::chooseRow(int row) {
  if (row < 0) return;
  if (const int layer = bars_[static_cast<std::size_t>(row)].layer; layer >= 0) emit layerClicked(layer);
  emit barClicked(row);
}

void StageChart::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  const int bar = rowAt(event->position());
  chooseRow(bar);
  if (bar >= 0) emit phaseClicked(partAt(event->position()));
}

std::optional<StageGroup> StageChart::partAt(const QPointF& at) const {
  const int bar = rowAt(at);
  if (bar < 0) return std::nullopt;
  const double ms = plot_->yAxis->pixelToCoord(at.y());
  const auto& parts = bars_[static_cast<std::size_t>(bar)].parts;
  double below = 0;
  for (const auto& [group, name, short_name] : stack) {
    const auto part = parts.find(group);
    if (part == parts.end()) continue;
    if (ms >= below && ms < below + part->second) return group;
    below += part->second;
  }
  return std::nullopt;
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
  QToolTip::showText(help->globalPos(), bar < 0 ? QString() : bars_[static_cast<std::size_t>(bar)].tip, this);
  return true;
}

}  // namespace spira::ui
