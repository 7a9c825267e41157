#include "ui/charts/histogram_chart.hpp"

#include "engine/measure/statistics.hpp"
#include "ui/charts/chart_theme.hpp"
#include "ui/theme/theme.hpp"

#include <QVBoxLayout>
#include <qcustomplot.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace spira::ui {
namespace {

constexpr int fewest_bins = 5, most_bins = 40;
constexpr double end_share = 0.05;

/// Of the series that is the narrowest, so that two runs far apart keep their shapes.
double bin_width(const std::vector<SampleSeries>& series) {
  double narrowest = 0;
  for (const SampleSeries& one : series) {
    if (one.ms.empty()) continue;
    const double width = 2 * statistics(one.ms).iqr() / std::cbrt(static_cast<double>(one.ms.size()));
    if (width > 0 && (narrowest <= 0 || width < narrowest)) narrowest = width;
  }
  return narrowest;
}

}  // namespace

std::vector<double> histogram_edges(const std::vector<SampleSeries>& series, bool middle) {
  std::vector<double> all;
  for (const SampleSeries& one : series)
    all.insert(all.end(), one.ms.begin(), one.ms.end());
  if (all.empty()) return {};
  std::sort(all.begin(), all.end());
  const double low = middle ? quantile(all, end_share) : all.front();
  double high = middle ? quantile(all, 1 - end_share) : all.back();
  if (high <= low) high = low + std::max(1e-6, low * 1e-3);
  const double width = bin_width(series);
  const int bins =
      width > 0
          ? static_cast<int>(std::clamp(std::ceil((high - low) / width), static_cast<double>(fewest_bins),
                                        static_cast<double>(most_bins)))
          : fewest_bins;
  std::vector<double> edges;
  for (int at = 0; at <= bins; ++at)
    edges.push_back(low + ((high - low) * at / bins));
  return edges;
}

std::vector<double> histogram_counts(const std::vector<double>& ms, const std::vector<double>& edges) {
  std::vector<double> counts(edges.empty() ? 0 : edges.size() - 1, 0.0);
  for (const double value : ms) {
    if (counts.empty() || value < edges.front() || value > edges.back()) continue;
    const auto above = std::upper_bound(edges.begin(), edges.end(), value) - edges.begin();
    counts[static_cast<std::size_t>(std::min<std::ptrdiff_t>(above - 1, std::ssize(counts) - 1))] += 1;
  }
  return counts;
}

void HistogramChart::resizeEvent(QResizeEvent*) {
  rebuild();
}

HistogramChart::HistogramChart(Theme* theme, QWidget* parent)
    : QWidget(parent), theme_(theme), plot_(new QCustomPlot(this)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(plot_);
  plot_->setMinimumSize(160, 56);
  plot_->setAccessibleName(tr("Histogram of samples"));
  plot_->plotLayout()->insertRow(0);
  plot_->plotLayout()->addElement(0, 0, plot_->legend);
  plot_->plotLayout()->setRowStretchFactor(0, 0.001);
  plot_->legend->setFillOrder(QCPLayoutGrid::foColumnsFirst);
  plot_->legend->setMargins(QMargins(4, 1, 4, 1));
  plot_->legend->setIconSize(14, 12);
  connect(theme_, &Theme::changed, this, &HistogramChart::rebuild);
  rebuild();
}

void HistogramChart::setSeries(std::vector<SampleSeries> series) {
  series_ = std::move(series);
  rebuild();
}

void HistogramChart::setShares(bool shares) {
  shares_ = shares;
  rebuild();
}

void HistogramChart::setMiddle(bool middle) {
  middle_ = middle;
  rebuild();
}

void HistogramChart::rebuild() {
  plot_->clearPlottables();
  plot_->clearItems();
  apply_theme(*plot_, *theme_);
  const std::vector<double> edges = histogram_edges(series_, middle_);
  constexpr int room_for_legend = 130;  // pixels
  plot_->legend->setVisible(series_.size() > 1 && height() > room_for_legend);
  plot_->xAxis->setLabel(tr("ms"));
  constexpr int room_for_axis = 110;  // pixels; below that the shapes are what can be seen
  const bool low = height() < room_for_axis;
  plot_->yAxis->setLabel(low ? QString() : shares_ ? tr("% of samples") : tr("samples"));
  plot_->yAxis->ticker()->setTickCount(low ? 1 : 4);
  if (edges.empty()) return plot_->replot(QCustomPlot::rpQueuedReplot);
  double highest = 0;
  for (std::size_t at = 0; at < series_.size(); ++at)
    highest = std::max(highest, addBars(at, edges));
  for (std::size_t at = 0; at < series_.size(); ++at)
    addMedian(at, highest);
  const double margin = 0.03 * (edges.back() - edges.front());
  plot_->xAxis->setRange(edges.front() - margin, edges.back() + margin);
  constexpr int room_for_numbers = 320;  // pixels
  plot_->xAxis->ticker()->setTickCount(width() < room_for_numbers ? 1 : 4);
  plot_->yAxis->setRange(0, highest > 0 ? highest * 1.12 : 1);
  plot_->replot(QCustomPlot::rpQueuedReplot);
}

double HistogramChart::addBars(std::size_t at, const std::vector<double>& edges) {
  const SampleSeries& one = series_[at];
  const std::vector<double> counts = histogram_counts(one.ms, edges);
  const double scale = shares_ && !one.ms.empty() ? 100.0 / static_cast<double>(one.ms.size()) : 1.0;
  QVector<double> x, y;
  for (std::size_t bin = 0; bin < counts.size(); ++bin) {
    x.append((edges[bin] + edges[bin + 1]) / 2);
    y.append(counts[bin] * scale);
  }
  const bool baseline = series_.size() > 1 && at == 0;
  auto* bars = new QCPBars(plot_->xAxis, plot_->yAxis);
  bars->setName(one.name);
  bars->setWidth(edges[1] - edges[0]);
  QColor colour = baseline ? theme_->palette().faint_text : theme_->palette().accent;
  bars->setPen(QPen(colour, 1));
  if (!baseline) colour.setAlphaF(0.45F);
  bars->setBrush(QBrush(colour, baseline ? Qt::BDiagPattern : Qt::SolidPattern));
  bars->setData(x, y, true);
  return y.isEmpty() ? 0 : *std::max_element(y.begin(), y.end());
}

void HistogramChart::addMedian(std::size_t at, double highest) {
  if (series_[at].ms.empty()) return;
  const double median = statistics(series_[at].ms).median;
  auto* line = new QCPItemLine(plot_);
  line->start->setCoords(median, 0);
  line->end->setCoords(median, highest * 1.08);
  const bool baseline = series_.size() > 1 && at == 0;
  line->setPen(QPen(theme_->palette().text, 1.5, baseline ? Qt::DashLine : Qt::SolidLine));
}

}  // namespace spira::ui
