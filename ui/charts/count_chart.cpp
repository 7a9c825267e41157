#include "ui/charts/count_chart.hpp"

#include "engine/base/text.hpp"
#include "ui/theme/screen_number.hpp"
#include "ui/theme/theme.hpp"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <qcustomplot.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace spira::ui {
namespace {

constexpr double percent = 100;
/// The lower end of a logarithmic axis. A count of 1 must have a visible bar.
constexpr double log_floor = 0.5;
constexpr double max_tick = 1e10;  // A graph has fewer triples.
constexpr int low_chart = 130;     // Height of a chart with fewer texts, in pixels.

}  // namespace

CountChart::CountChart(CountSubject subject, Theme* theme, QWidget* parent)
    : PlotChart(theme, subject.title, QSize(160, 80), parent), subject_(std::move(subject)) {
  plot_->yAxis->setScaleType(QCPAxis::stLogarithmic);
  restyle();
}

void CountChart::setBars(std::vector<CountBar> bars) {
  bars_ = std::move(bars);
  chosen_ = -1;
  contentChanged();
  rebuild();
}

void CountChart::setChosen(int bar) {
  if (bar == chosen_) return;
  chosen_ = bar;
  rebuild();
}

ChartText CountChart::text() const {
  return {subject_.title, subject_.counted, tr("exact counts; logarithmic axis"), {}};
}

ChartTable CountChart::table() const {
  ChartTable table{{subject_.bars, subject_.counted}, {}};
  if (!subject_.share.isEmpty()) table.header += tr("%1, %").arg(subject_.share);
  for (const CountBar& bar : bars_) {
    table.rows.push_back({bar.name, QVariant(static_cast<qlonglong>(bar.count))});
    if (!subject_.share.isEmpty())
      table.rows.back().append(bar.share ? QVariant(*bar.share * percent) : QVariant(QString()));
  }
  return table;
}

int CountChart::rowAt(const QPointF& at) const {
  if (!plot_->axisRect()->rect().contains(at.toPoint())) return -1;
  const auto bar = static_cast<int>(std::lround(plot_->xAxis->pixelToCoord(at.x())));
  return bar >= 0 && bar < static_cast<int>(bars_.size()) ? bar : -1;
}

std::unique_ptr<Chart> CountChart::twin(Theme* theme) const {
  auto other = std::make_unique<CountChart>(subject_, theme);
  other->setBars(bars_);
  other->setChosen(chosen_);
  return other;
}

void CountChart::rebuild() {
  plot_->clearPlottables();
  plot_->xAxis->setLabel(subject_.bars);
  plot_->yAxis->setLabel(subject_.counted);
  constexpr double ten = 10, hundred = 100;
  auto ticker = QSharedPointer<QCPAxisTickerText>::create();
  for (double tick = 1; tick < max_tick; tick *= height() < low_chart ? hundred : ten)
    ticker->addTick(tick, onScreen(count_text(static_cast<std::int64_t>(tick))));
  plot_->yAxis->setTicker(ticker);
  double highest = 1;
  for (const bool marked : {false, true}) {
    auto* bars = new QCPBars(plot_->xAxis, plot_->yAxis);
    bars->setWidth(0.8);
    bars->setBaseValue(log_floor);
    const QColor colour = marked ? theme_->palette().accent : theme_->palette().faint_text;
    bars->setPen(QPen(colour, 1));
    bars->setBrush(colour);
    for (std::size_t at = 0; at < bars_.size(); ++at) {
      if ((static_cast<int>(at) == chosen_) != marked) continue;
      const auto count = static_cast<double>(bars_[at].count);
      highest = std::max(highest, count);
      // A bar is drawn from the base value to the base value plus its data.
      if (count > 0) bars->addData(static_cast<double>(at), count - bars->baseValue());
    }
  }
  constexpr double room_above = 2;
  plot_->xAxis->setRange(-0.6, static_cast<double>(bars_.size()) - 0.4);
  plot_->yAxis->setRange(log_floor, highest * room_above);
  labelBars();
  plot_->replot(QCustomPlot::rpQueuedReplot);
}

/// Labels the bars below the axis. If the names do not fit next to each other, they are rotated, and if the
/// bars are narrower than a line of text, only every second or third bar is labelled. IRIs differ at their
/// end, so a long IRI is cut at its start.
void CountChart::labelBars() {
  const QFontMetrics metrics(plot_->xAxis->tickLabelFont());
  constexpr int gap = 8, left_axis = 70;
  int widest = 0;
  for (const CountBar& bar : bars_)
    widest = std::max(widest, metrics.horizontalAdvance(bar.name) + gap);
  const int bars = std::max(1, static_cast<int>(bars_.size())), space = std::max(1, width() - left_axis);
  const bool side_by_side = widest * bars < space;
  const bool named = side_by_side || height() >= low_chart;
  const int longest = side_by_side ? widest : height() * 2 / 5;
  const int step = side_by_side ? 1 : ((bars * (metrics.ascent() + 1)) + space - 1) / space;
  auto ticker = QSharedPointer<QCPAxisTickerText>::create();
  for (int at = 0; named && at < static_cast<int>(bars_.size()); at += step) {
    const QString& name = bars_[static_cast<std::size_t>(at)].name;
    ticker->addTick(at,
                    metrics.elidedText(name, name.contains("://") ? Qt::ElideLeft : Qt::ElideRight, longest));
  }
  plot_->xAxis->setTicker(ticker);
  plot_->xAxis->setTickLabelRotation(side_by_side ? 0 : -90);
  plot_->xAxis->setTickLabels(named);
}

QString CountChart::tipOf(int bar) const {
  const CountBar& here = bars_.at(static_cast<std::size_t>(bar));
  QString text = tr("%1: %2 %3").arg(here.name, onScreen(count_text(here.count)), subject_.counted);
  if (here.share) text += tr("\n%1: %2").arg(subject_.share, onScreen(percent_text(*here.share, 1)));
  return text;
}

void CountChart::chooseRow(int row) {
  if (row < 0 || row >= static_cast<int>(bars_.size())) return;
  setChosen(row);
  emit barChosen(row);
}

bool CountChart::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return PlotChart::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const int bar = rowAt(help->pos());
  bar < 0 ? QToolTip::hideText() : QToolTip::showText(help->globalPos(), tipOf(bar), this);
  return true;
}

void CountChart::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) chooseRow(rowAt(event->pos()));
  PlotChart::mousePressEvent(event);
}

void CountChart::keyPressEvent(QKeyEvent* event) {
  const int step = event->key() == Qt::Key_Right ? 1 : event->key() == Qt::Key_Left ? -1 : 0;
  if (step == 0 || bars_.empty()) return PlotChart::keyPressEvent(event);
  chooseRow(std::clamp(chosen_ + step, 0, static_cast<int>(bars_.size()) - 1));
}

}  // namespace spira::ui
