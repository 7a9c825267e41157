#include "ui/charts/stage_chart.hpp"

#include "ui/charts/chart_theme.hpp"
#include "ui/theme/theme.hpp"

#include <QEvent>
#include <QHelpEvent>
#include <QMouseEvent>
#include <QResizeEvent>
#include <QToolTip>
#include <QVBoxLayout>
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
    {StageGroup::voxelize, QT_TRANSLATE_NOOP("StageChart", "voxelize"),
     QT_TRANSLATE_NOOP("StageChart", "voxelize")},
    {StageGroup::downsample, QT_TRANSLATE_NOOP("StageChart", "down-sample"),
     QT_TRANSLATE_NOOP("StageChart", "down")},
    {StageGroup::search, QT_TRANSLATE_NOOP("StageChart", "map: search"),
     QT_TRANSLATE_NOOP("StageChart", "search")},
    {StageGroup::post_process, QT_TRANSLATE_NOOP("StageChart", "map: transpose, filter"),
     QT_TRANSLATE_NOOP("StageChart", "transpose")},
    {StageGroup::output_stationary, QT_TRANSLATE_NOOP("StageChart", "output-stationary"),
     QT_TRANSLATE_NOOP("StageChart", "output-st.")},
    {StageGroup::weight_stationary, QT_TRANSLATE_NOOP("StageChart", "weight-stationary"),
     QT_TRANSLATE_NOOP("StageChart", "weight-st.")},
    {StageGroup::epilogue, QT_TRANSLATE_NOOP("StageChart", "epilogue, rest"),
     QT_TRANSLATE_NOOP("StageChart", "rest")},
}};
constexpr int room_for_names = 1000, room_for_unit = 170;

}  // namespace

StageChart::StageChart(Theme* theme, QWidget* parent)
    : Chart(parent), theme_(theme), plot_(new QCustomPlot(this)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(plot_);
  plot_->setAccessibleName(tr("Latency of each layer by stage"));
  plot_->setMinimumSize(200, 110);
  plot_->installEventFilter(this);
  plot_->setMouseTracking(true);
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
  connect(theme_, &Theme::changed, this, &StageChart::retheme);
  retheme();
}

void StageChart::setBars(std::vector<StageBar> bars, const QString& unit, const QString& samples) {
  bars_ = std::move(bars);
  unit_ = unit;
  samples_ = samples;
  rebuild();
}

void StageChart::setChosenLayer(int layer) {
  chosen_ = layer;
  rebuild();
}

ChartText StageChart::text() const {
  return {tr("Latency of each layer by stage"), unit_.section(", ", 0, 0), unit_.section(", ", 1), samples_};
}

bool StageChart::hasContent() const {
  return !bars_.empty();
}

std::vector<ChartKey> StageChart::keys() const {
  std::vector<ChartKey> all;
  for (const auto& [group, name, short_name] : stack) {
    const bool any = std::any_of(bars_.begin(), bars_.end(), [wanted = group](const StageBar& bar) {
      const auto part = bar.parts.find(wanted);
      return part != bar.parts.end() && part->second > 0;
    });
    if (any) all.push_back({theme_->stage(group), tr(name)});
  }
  return all;
}

MeasuredSubject StageChart::subjectAt(const QPointF& at) const {
  MeasuredSubject subject;
  const int bar = barAt(plot_->mapFromParent(at.toPoint()));
  if (bar < 0) return subject;
  subject.layer = bars_[static_cast<std::size_t>(bar)].layer;
  if (subject.layer >= 0) subject.kind = MeasuredSubject::Kind::layer;
  return subject;
}

std::unique_ptr<Chart> StageChart::twin(Theme* theme) const {
  auto other = std::make_unique<StageChart>(theme);
  other->setBars(bars_, unit_, samples_);
  return other;
}

void StageChart::paintChart(QCPPainter& painter) {
  plot_->toPainter(&painter, width(), height());
}

void StageChart::restyle() {
  retheme();
}

void StageChart::retheme() {
  apply_theme(*plot_, *theme_);
  rebuild();
}

void StageChart::rebuild() {
  plot_->clearPlottables();
  plot_->clearItems();
  QVector<double> at;
  for (int bar = 0; bar < static_cast<int>(bars_.size()); ++bar)
    at.append(bar);
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
    bars->setName(tr(room_.width() < room_for_names ? short_name : name));
    bars->setWidth(0.8);
    const bool hatched = !bars_.empty() && bars_.front().in_situ;
    bars->setPen(hatched           ? QPen(theme_->stage(group), 1)
                 : theme_->paper() ? QPen(theme_->palette().text, 0.5)
                                   : QPen(Qt::NoPen));
    bars->setBrush(QBrush(theme_->stage(group), hatched ? Qt::BDiagPattern : Qt::SolidPattern));
    bars->setData(at, values, true);
    if (below != nullptr) bars->moveAbove(below);
    below = bars;
  }
  for (std::size_t bar = 0; bar < bars_.size(); ++bar) {
    if (bars_[bar].other_ms < 0) continue;
    dot(bars_[bar], static_cast<double>(bar));
    highest = std::max(highest, bars_[bar].other_ms);
  }
  outline(sums);
  fillAxes(highest);
  plot_->replot(QCustomPlot::rpQueuedReplot);
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
  frame->topLeft->setCoords(bar - half_width, top);
  frame->bottomRight->setCoords(bar + half_width, bottom);
  frame->setPen(pen);
  frame->setBrush(Qt::NoBrush);
}

void StageChart::outline(const std::vector<double>& sums) {
  for (std::size_t bar = 0; bar < bars_.size(); ++bar) {
    if (bars_[bar].layer < 0 || bars_[bar].is_map) continue;
    const auto at = static_cast<double>(bar);
    if (bars_[bar].layer == hovered_ && hovered_ != chosen_)
      frame(at, sums[bar] * 1.01, 0, QPen(theme_->palette().text, 1.5, Qt::DotLine));
    if (bars_[bar].layer != chosen_) continue;
    frame(at, sums[bar] * 1.01, 0, QPen(theme_->palette().text, 2));
    outlineParts(bar);
  }
}

/// The dataflows that hold the offsets which are chosen or under the pointer.
void StageChart::outlineParts(std::size_t bar) {
  double below = 0;
  for (const auto& [group, name, short_name] : stack) {
    const auto part = bars_[bar].parts.find(group);
    if (part == bars_[bar].parts.end()) continue;
    if (tinted_.count(group) > 0)
      frame(static_cast<double>(bar), below + part->second, below, QPen(theme_->palette().drawn, 3));
    below += part->second;
  }
}

/// As many names and numbers as the plot has room for at its present size.
void StageChart::fillAxes(double highest) {
  constexpr double around = 80;  // pixels of the width that numbers and margins take
  const QSharedPointer<QCPAxisTickerText> ticker(new QCPAxisTickerText);
  const double pixels = std::max(1.0, room_.width() - around);
  const auto each = static_cast<int>(static_cast<double>(bars_.size()) * 16.0 / pixels) +
                    1;  // a slanted label needs 16 pixels
  for (int bar = 0; bar < static_cast<int>(bars_.size()); bar += each)
    ticker->addTick(bar, bars_[static_cast<std::size_t>(bar)].name);
  plot_->xAxis->setTicker(ticker);
  plot_->xAxis->setTickLabelRotation(-55);
  plot_->xAxis->setRange(-0.6, static_cast<double>(bars_.size()) - 0.4);
  plot_->yAxis->setLabel(room_.height() < room_for_unit ? unit_.section(',', 0, 0) : unit_);
  plot_->yAxis->ticker()->setTickCount(ticks_for(room_.height()));
  plot_->yAxis->setRange(0, highest > 0 ? highest * 1.08 : 1.0);
}

int StageChart::labelsShown() const {
  return static_cast<int>(qSharedPointerCast<QCPAxisTickerText>(plot_->xAxis->ticker())->ticks().size());
}

int StageChart::barAt(const QPointF& at) const {
  if (!plot_->axisRect()->rect().contains(at.toPoint())) return -1;
  const int bar = static_cast<int>(std::lround(plot_->xAxis->pixelToCoord(at.x())));
  return bar >= 0 && bar < static_cast<int>(bars_.size()) ? bar : -1;
}

bool StageChart::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Resize) {
    room_ = static_cast<QResizeEvent*>(event)->size();
    rebuild();
  }
  if (event->type() == QEvent::MouseMove || event->type() == QEvent::Leave) {
    const int bar = event->type() == QEvent::Leave ? -1 : barAt(static_cast<QMouseEvent*>(event)->position());
    emit layerHovered(bar < 0 ? -1 : bars_[static_cast<std::size_t>(bar)].layer);
  } else if (event->type() == QEvent::MouseButtonPress) {
    const int bar = barAt(static_cast<QMouseEvent*>(event)->position());
    if (bar >= 0 && bars_[static_cast<std::size_t>(bar)].layer >= 0)
      emit layerClicked(bars_[static_cast<std::size_t>(bar)].layer);
    if (bar >= 0) emit barClicked(bar);
  } else if (event->type() == QEvent::ToolTip) {
    auto* help = static_cast<QHelpEvent*>(event);
    const int bar = barAt(help->pos());
    QToolTip::showText(help->globalPos(), bar < 0 ? QString() : bars_[static_cast<std::size_t>(bar)].tip,
                       plot_);
    return true;
  }
  return Chart::eventFilter(watched, event);
}

}  // namespace spira::ui
