#include "ui/charts/histogram_chart.hpp"

#include "engine/measure/statistics.hpp"
#include "ui/theme/theme.hpp"

#include <qcustomplot.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace spira::ui {
namespace {

constexpr int fewest_bins = 5, max_bins = 40;
constexpr double end_share = 0.05;

/// Returns the bin width for all series. It suits the series with the smallest spread. With wider bins, the
/// shape of this series would not be visible if the times of two runs differ greatly.
double bin_width(const std::vector<SampleSeries>& series) {
  double narrowest = 0;
  for (const SampleSeries& one : series) {
    if (one.ms.empty()) continue;
    const double width = 2 * statistics(one.ms).iqr() / std::cbrt(static_cast<double>(one.ms.size()));
    if (width > 0 && (narrowest <= 0 || width < narrowest)) narrowest = width;
  }
  return narrowest;
}

/// Returns the number of decimals that are needed to show a tenth of the range.
int decimals_of(double range) {
  constexpr int most = 6;
  return std::clamp(static_cast<int>(std::ceil(-std::log10(range))) + 1, 0, most);
}

/// Returns a ticker with ticks at integers only, because sample counts are integers.
QSharedPointer<QCPAxisTicker> whole_numbers() {
  auto ticker = QSharedPointer<QCPAxisTickerFixed>::create();
  ticker->setTickStep(1);
  ticker->setScaleStrategy(QCPAxisTickerFixed::ssMultiples);
  return ticker;
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
                                        static_cast<double>(max_bins)))
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

HistogramChart::HistogramChart(Theme* theme, QWidget* parent)
    : PlotChart(theme, tr("Histogram of samples"), QSize(160, 56), parent) {
  plot_->plotLayout()->insertRow(0);
  plot_->plotLayout()->addElement(0, 0, plot_->legend);
  plot_->plotLayout()->setRowStretchFactor(0, 0.001);
  plot_->legend->setFillOrder(QCPLayoutGrid::foColumnsFirst);
  plot_->legend->setMargins(QMargins(4, 1, 4, 1));
  plot_->legend->setIconSize(14, 12);
  restyle();
}

void HistogramChart::setSeries(std::vector<SampleSeries> series) {
  series_ = std::move(series);
  contentChanged();
  rebuild();
}

void HistogramChart::setBaselineColour(int colour) {
  if (colour == baseline_colour_) return;
  baseline_colour_ = colour;
  rebuild();
}

void HistogramChart::setShares(bool shares) {
  shares_ = shares;
  contentChanged();
  rebuild();
}

void HistogramChart::setMiddle(bool middle) {
  middle_ = middle;
  contentChanged();
  rebuild();
}

ChartText HistogramChart::text() const {
  QStringList names, counts;
  for (const SampleSeries& one : series_) {
    names += one.name;
    counts += QString::number(one.ms.size());
  }
  return {tr("Samples of %1").arg(names.join(tr(" and "))), shares_ ? tr("% of samples") : tr("samples"),
          middle_ ? tr("histogram of the middle 90 % of the samples; lines: medians")
                  : tr("histogram; lines: medians"),
          tr("n = %1").arg(counts.join(tr(" and ")))};
}

bool HistogramChart::hasContent() const {
  return !histogram_edges(series_, middle_).empty();
}

std::vector<LegendEntry> HistogramChart::legendEntries() const {
  std::vector<LegendEntry> all;
  for (std::size_t at = 0; series_.size() > 1 && at < series_.size(); ++at)
    all.push_back({colourOf(at), at == 0 ? tr("%1 (hatched)").arg(series_[at].name) : series_[at].name});
  return all;
}

ChartTable HistogramChart::table() const {
  ChartTable table{{tr("From, ms"), tr("To, ms")}, {}};
  const std::vector<double> edges = histogram_edges(series_, middle_);
  for (std::size_t bin = 0; bin + 1 < edges.size(); ++bin)
    table.rows.push_back({edges[bin], edges[bin + 1]});
  for (const SampleSeries& one : series_) {
    table.header += shares_ ? tr("%1, %").arg(one.name) : one.name;
    const std::vector<double> counts = histogram_counts(one.ms, edges);
    for (std::size_t bin = 0; bin < counts.size(); ++bin)
      table.rows[bin].append(shares_ ? QVariant(counts[bin] * scaleOf(one))
                                     : QVariant(static_cast<int>(counts[bin])));
  }
  return table;
}

int HistogramChart::rowAt(const QPointF& at) const {
  const std::vector<double> edges = histogram_edges(series_, middle_);
  const double ms = plot_->xAxis->pixelToCoord(at.x());
  if (edges.empty() || ms < edges.front() || ms >= edges.back()) return -1;
  return static_cast<int>(std::upper_bound(edges.begin(), edges.end(), ms) - edges.begin()) - 1;
}

std::unique_ptr<Chart> HistogramChart::twin(Theme* theme) const {
  auto other = std::make_unique<HistogramChart>(theme);
  other->shares_ = shares_;
  other->middle_ = middle_;
  other->baseline_colour_ = baseline_colour_;
  other->setSeries(series_);
  return other;
}

/// Returns the colour of a series. If there are two series, the first is the baseline.
QColor HistogramChart::colourOf(std::size_t at) const {
  const bool baseline = series_.size() > 1 && at == 0;
  return baseline ? baselineColour(*theme_, baseline_colour_) : theme_->palette().accent;
}

double HistogramChart::scaleOf(const SampleSeries& one) const {
  constexpr double percent = 100;
  return shares_ && !one.ms.empty() ? percent / static_cast<double>(one.ms.size()) : 1.0;
}

void HistogramChart::rebuild() {
  plot_->clearPlottables();
  plot_->clearItems();
  const std::vector<double> edges = histogram_edges(series_, middle_);
  // Minimum height of a chart with a legend, in pixels.
  constexpr int room_for_legend = 130;
  plot_->legend->setVisible(series_.size() > 1 && height() > room_for_legend && !theme_->paper());
  plot_->xAxis->setLabel(tr("ms"));
  // Minimum height of a chart with an axis label, in pixels. In a lower chart, the bars need the space.
  constexpr int room_for_axis = 150;
  const bool low = height() < room_for_axis;
  plot_->yAxis->setLabel(low ? QString() : shares_ ? tr("% of samples") : tr("samples"));
  plot_->yAxis->setTicker(shares_ ? QSharedPointer<QCPAxisTicker>::create() : whole_numbers());
  plot_->yAxis->ticker()->setTickCount(low ? 1 : 4);
  if (edges.empty()) return plot_->replot(QCustomPlot::rpQueuedReplot);
  double highest = 0;
  for (std::size_t at = 0; at < series_.size(); ++at)
    highest = std::max(highest, addBars(at, edges));
  for (std::size_t at = 0; at < series_.size(); ++at)
    addMedian(at, highest);
  const double margin = 0.03 * (edges.back() - edges.front());
  plot_->xAxis->setRange(edges.front() - margin, edges.back() + margin);
  labelTimes(edges);
  plot_->yAxis->setRange(0, highest > 0 ? highest * 1.12 : 1);
  plot_->replot(QCustomPlot::rpQueuedReplot);
}

/// If the chart is narrow, labels only the two ends of the range and widens the margins. QCustomPlot would
/// omit a label that crosses the edge of the plot.
void HistogramChart::labelTimes(const std::vector<double>& edges) {
  // Minimum width in pixels of a chart with more labels than the two ends of the range.
  constexpr int room_for_numbers = 320, usual_margin = 15;
  int side_margin = usual_margin;
  if (width() < room_for_numbers) {
    const auto ends = QSharedPointer<QCPAxisTickerText>::create();
    for (const double ms : {edges.front(), edges.back()}) {
      const QString label = plot_->locale().toString(ms, 'f', decimals_of(edges.back() - edges.front()));
      ends->addTick(ms, label);
      const QFontMetrics metrics(plot_->xAxis->tickLabelFont());
      side_margin = std::max(side_margin, (metrics.horizontalAdvance(label) / 2) + 3);
    }
    plot_->xAxis->setTicker(ends);
  } else {
    const auto ticker = QSharedPointer<QCPAxisTicker>::create();
    ticker->setTickCount(4);
    plot_->xAxis->setTicker(ticker);
  }
  plot_->axisRect()->setMinimumMargins({side_margin, usual_margin, side_margin, usual_margin});
}

double HistogramChart::addBars(std::size_t at, const std::vector<double>& edges) {
  const SampleSeries& one = series_[at];
  const std::vector<double> counts = histogram_counts(one.ms, edges);
  const double scale = scaleOf(one);
  QVector<double> x, y;
  for (std::size_t bin = 0; bin < counts.size(); ++bin) {
    x.append((edges[bin] + edges[bin + 1]) / 2);
    y.append(counts[bin] * scale);
  }
  const bool baseline = series_.size() > 1 && at == 0;
  auto* bars = new QCPBars(plot_->xAxis, plot_->yAxis);
  bars->setName(one.name);
  bars->setWidth(edges[1] - edges[0]);
  QColor colour = colourOf(at);
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
