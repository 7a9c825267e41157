#include "ui/charts/sweep_chart.hpp"

#include "ui/charts/chart_theme.hpp"
#include "ui/theme/theme.hpp"

#include <QVBoxLayout>
#include <qcustomplot.h>

#include <algorithm>

namespace spira::ui {

SweepChart::SweepChart(Theme* theme, QWidget* parent)
    : QWidget(parent), theme_(theme), plot_(new QCustomPlot(this)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(plot_);
  plot_->setMinimumSize(180, 110);
  plot_->setAccessibleName(tr("Median and spread of each setting"));
  plot_->yAxis->setLabel(tr("ms, median and IQR"));
  connect(theme_, &Theme::changed, this, &SweepChart::rebuild);
  rebuild();
}

void SweepChart::setSweep(std::shared_ptr<const Sweep> sweep, int now) {
  sweep_ = std::move(sweep);
  now_ = now;
  rebuild();
}

void SweepChart::rebuild() {
  plot_->clearPlottables();
  plot_->clearItems();
  apply_theme(*plot_, *theme_);
  if (!sweep_) return plot_->replot(QCustomPlot::rpQueuedReplot);
  const QSharedPointer<QCPAxisTickerText> ticker(new QCPAxisTickerText);
  QVector<double> x, median, below, above;
  double highest = 0;
  for (int at = 0; at < static_cast<int>(sweep_->rows.size()); ++at) {
    const SweepRow& row = sweep_->rows[static_cast<std::size_t>(at)];
    ticker->addTick(at, QString::fromStdString(row.label));
    if (row.wall.ms.empty()) continue;
    const Statistics s = row.wall.stats();
    x.append(at);
    median.append(s.median);
    below.append(s.median - s.q1);
    above.append(s.q3 - s.median);
    highest = std::max(highest, s.q3);
  }
  auto* bars = new QCPBars(plot_->xAxis, plot_->yAxis);
  QColor fill = theme_->palette().accent;
  fill.setAlphaF(0.3F);
  bars->setWidth(0.6);
  bars->setPen(Qt::NoPen);
  bars->setBrush(fill);
  bars->setData(x, median, true);
  auto* dots = plot_->addGraph();
  dots->setLineStyle(QCPGraph::lsNone);
  dots->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssDisc, theme_->palette().accent, 8));
  dots->setData(x, median, true);
  auto* spread = new QCPErrorBars(plot_->xAxis, plot_->yAxis);
  spread->setDataPlottable(dots);
  spread->setPen(QPen(theme_->palette().text, 1.5));
  spread->setWhiskerWidth(10);
  spread->setData(below, above);
  const auto mark = [&](int row, const QString& text, bool on_top) {
    if (row < 0 || row >= static_cast<int>(sweep_->rows.size()) ||
        sweep_->rows[static_cast<std::size_t>(row)].wall.ms.empty())
      return;
    auto* label = new QCPItemText(plot_);
    label->setText(text);
    label->setColor(theme_->palette().text);
    label->setFont(plot_->font());
    label->setPositionAlignment(Qt::AlignBottom | Qt::AlignHCenter);
    label->position->setCoords(
        row, on_top ? sweep_->rows[static_cast<std::size_t>(row)].wall.stats().q3 + (0.02 * highest)
                    : 0.02 * highest);
  };
  for (int row = 0; row < static_cast<int>(sweep_->rows.size()); ++row)
    mark(row, QString::fromStdString(sweep_->standing(row)), true);
  mark(now_, tr("in use"), false);
  plot_->xAxis->setTicker(ticker);
  plot_->xAxis->setRange(-0.6, static_cast<double>(sweep_->rows.size()) - 0.4);
  plot_->yAxis->setRange(0, highest > 0 ? highest * 1.18 : 1.0);
  plot_->replot(QCustomPlot::rpQueuedReplot);
}

}  // namespace spira::ui
