#include "ui/charts/sweep_chart.hpp"

#include "ui/charts/chart.hpp"
#include "ui/model/tables/layer_table_model.hpp"
#include "ui/theme/theme.hpp"

#include <QCoreApplication>
#include <QMouseEvent>
#include <qcustomplot.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace spira::ui {
namespace {

/// Returns true if a row of the sweep contains the number of slots per pair. `sweep` may be `nullptr`.
bool has_slots(const Sweep* sweep) {
  return sweep != nullptr && std::any_of(sweep->rows.begin(), sweep->rows.end(),
                                         [](const SweepRow& row) { return row.slots_per_pair.has_value(); });
}

}  // namespace

SweepChart::SweepChart(Theme* theme, QWidget* parent)
    : PlotChart(theme, tr("Median and spread of each setting"), QSize(180, 90), parent) {
  plot_->setAutoAddPlottableToLegend(false);
  addLegendAbove();
  restyle();
}

void SweepChart::setSweep(std::shared_ptr<const Sweep> sweep, int now) {
  sweep_ = std::move(sweep);
  now_ = now;
  parts_.clear();
  for (std::size_t row = 0; sweep_ && row < sweep_->rows.size(); ++row)
    parts_.push_back(partsOfMedian(sweep_->rows[row]));
  contentChanged();
  rebuild();
}

/// Returns the parts of a row, scaled so that their sum equals the median of the row. The parts are scaled
/// because they come from isolated passes, which the timers between stages make longer.
SweepParts SweepChart::partsOfMedian(const SweepRow& row) {
  SweepParts parts = sweep_parts(row.stages);
  const double sum = std::accumulate(parts.begin(), parts.end(), 0.0);
  if (row.wall.ms.empty() || sum <= 0) return SweepParts{};
  for (double& ms : parts)
    ms *= row.wall.stats().median / sum;
  return parts;
}

void SweepChart::setTuned(int threshold) {
  if (threshold == tuned_) return;
  tuned_ = threshold;
  contentChanged();
  rebuild();
}

bool SweepChart::occurs(std::size_t part) const {
  return std::any_of(parts_.begin(), parts_.end(),
                     [part](const SweepParts& row) { return row.at(part) > 0; });
}

void SweepChart::setBaseline(std::shared_ptr<const Sweep> sweep) {
  if (sweep == baseline_) return;
  baseline_ = std::move(sweep);
  contentChanged();
  rebuild();
}

const SweepRow* SweepChart::before(const SweepRow& row) const {
  if (!baseline_) return nullptr;
  const auto found = std::find_if(baseline_->rows.begin(), baseline_->rows.end(), [&](const SweepRow& old) {
    const bool same = row.threshold >= 0 ? old.threshold == row.threshold : old.pack == row.pack;
    return same && !old.wall.ms.empty();
  });
  return found == baseline_->rows.end() ? nullptr : &*found;
}

std::vector<LegendEntry> SweepChart::legendEntries() const {
  std::vector<LegendEntry> all;
  for (std::size_t part = 0; part < sweep_part_groups.size(); ++part) {
    const StageGroup group = sweep_part_groups.at(part);
    if (occurs(part)) all.push_back({theme_->stage(group), sweepPartText(group, false)});
  }
  if (!baseline_) return all;
  all.push_back({theme_->palette().text, tr("current")});
  all.push_back({theme_->palette().drawn, tr("baseline (dashed)")});
  return all;
}

void SweepChart::setMarked(const std::set<int>& thresholds) {
  if (thresholds == marked_) return;
  marked_ = thresholds;
  rebuild();
}

void SweepChart::setTried(int threshold) {
  if (threshold == tried_) return;
  tried_ = threshold;
  rebuild();
}

int SweepChart::triedRow() const {
  return rowOf(tried_);
}

int SweepChart::rowOf(int threshold) const {
  if (!sweep_ || threshold < 0) return -1;
  const auto found = std::find_if(sweep_->rows.begin(), sweep_->rows.end(),
                                  [threshold](const SweepRow& row) { return row.threshold == threshold; });
  return found == sweep_->rows.end() ? -1 : static_cast<int>(found - sweep_->rows.begin());
}

QString SweepChart::name() const {
  if (sweep_ && sweep_->of_dataflows) return "dataflows";
  const bool packings = sweep_ && !sweep_->rows.empty() && sweep_->rows.front().threshold < 0;
  return packings ? "packings" : "thresholds";
}

ChartText SweepChart::text() const {
  if (!sweep_) return {};
  return {(sweep_->of_dataflows   ? tr("Dataflows: %1")
           : name() == "packings" ? tr("Packings: %1")
                                  : tr("Thresholds t: %1"))
              .arg(QString::fromStdString(sweep_->subject)),
          tr("ms"), tr("median and IQR of interleaved samples"), sweepSamplesText(*sweep_)};
}

bool SweepChart::hasContent() const {
  return sweep_ && sweep_->fastest() >= 0;
}

MeasuredSubject SweepChart::subjectOf(int row) const {
  MeasuredSubject subject;
  if (!sweep_ || row < 0 || row >= static_cast<int>(sweep_->rows.size())) return subject;
  const SweepRow& facts = sweep_->rows[static_cast<std::size_t>(row)];
  const bool packing = facts.threshold < 0;
  subject.kind = packing ? MeasuredSubject::Kind::packing : MeasuredSubject::Kind::threshold;
  if (sweep_->of_dataflows)
    subject.kind = sweep_->layer < 0 ? MeasuredSubject::Kind::run : MeasuredSubject::Kind::layer;
  subject.layer = sweep_->layer;
  subject.threshold = facts.threshold;
  subject.pack = facts.pack;
  subject.repetitions = static_cast<int>(facts.wall.ms.size());
  return subject;
}

int SweepChart::rowAt(const QPointF& at) const {
  const auto row = std::lround(plot_->xAxis->pixelToCoord(at.x()));
  return sweep_ && row >= 0 && row < std::ssize(sweep_->rows) ? static_cast<int>(row) : -1;
}

void SweepChart::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) chooseRow(rowAt(event->position()));
}

void SweepChart::chooseRow(int row) {
  if (row >= 0) emit rowClicked(row);
}

ChartTable SweepChart::table() const {
  ChartTable table{{tr("Setting"), tr("Median, ms"), tr("IQR, ms"), tr("n"), tr("Verdict")}, {}};
  for (std::size_t part = 0; part < sweep_part_groups.size(); ++part) {
    if (occurs(part)) table.header += tr("%1, ms").arg(sweepPartText(sweep_part_groups.at(part), false));
  }
  table.header += tr("Mark");
  const bool with_slots = has_slots(sweep_.get());
  if (with_slots) table.header += tr("Slots per pair");
  if (baseline_) table.header += tr("Baseline median, ms");
  const auto add_parts = [&](std::size_t row) {
    for (std::size_t part = 0; part < sweep_part_groups.size(); ++part) {
      const double ms = parts_[row].at(part);
      if (occurs(part)) table.rows.back().append(ms > 0 ? QVariant(ms) : QVariant(QString()));
    }
    table.rows.back().append(marksOf(static_cast<int>(row)));
    const auto& per_pair = sweep_->rows[row].slots_per_pair;
    if (with_slots) table.rows.back().append(per_pair ? QVariant(*per_pair) : QVariant(QString()));
  };
  const auto add_baseline = [&](const SweepRow& row) {
    if (!baseline_) return;
    const SweepRow* old = before(row);
    table.rows.back().append(old != nullptr ? QVariant(old->wall.stats().median) : QVariant(QString()));
  };
  for (std::size_t at = 0; sweep_ && at < sweep_->rows.size(); ++at) {
    const SweepRow& row = sweep_->rows[at];
    const QString label = sweepRowText(*sweep_, row);
    if (row.wall.ms.empty()) {
      table.rows.push_back({label, QString(), QString(), 0, QString::fromStdString(row.why_not)});
      add_parts(at);
      add_baseline(row);
      continue;
    }
    const Statistics s = row.wall.stats();
    table.rows.push_back(
        {label, s.median, s.iqr(), static_cast<int>(s.n), QString::fromStdString(row.standing)});
    add_parts(at);
    add_baseline(row);
  }
  return table;
}

std::unique_ptr<Chart> SweepChart::twin(Theme* theme) const {
  auto other = std::make_unique<SweepChart>(theme);
  other->setSweep(sweep_, now_);
  other->setTuned(tuned_);
  other->setBaseline(baseline_);
  return other;
}

void SweepChart::rebuild() {
  plot_->clearPlottables();
  plot_->clearItems();
  if (!sweep_) return plot_->replot(QCustomPlot::rpQueuedReplot);
  const QSharedPointer<QCPAxisTickerText> ticker(new QCPAxisTickerText);
  for (int at = 0; at < static_cast<int>(sweep_->rows.size()); ++at)
    ticker->addTick(at, labelOf(at));
  const bool tight = narrow();
  constexpr int keys_of_narrow_row = 4;
  plot_->legend->setWrap(tight ? keys_of_narrow_row : 0);
  if (plot_->legend->visible())
    plot_->plotLayout()->element(0, 0)->setMinimumSize(0,
                                                       (plot_->fontMetrics().height() + 8) * (tight ? 2 : 1));
  plot_->legend->setIconSize(tight ? 9 : 14, 12);
  plot_->legend->setIconTextPadding(tight ? 2 : 7);
  plot_->legend->setColumnSpacing(tight ? 2 : 8);
  const double pile = addParts();
  const double highest = std::max({pile, addMedians(), addBaseline()});
  for (int row = 0; row < static_cast<int>(sweep_->rows.size()); ++row)
    markStanding(row, highest);
  addMarks(highest);
  addRedundancy();
  addCursor();
  plot_->xAxis->setTicker(ticker);
  // A sweep of dataflows has more rows than other sweeps, so its labels are slanted.
  plot_->xAxis->setTickLabelRotation(sweep_->of_dataflows ? -55 : 0);
  plot_->xAxis->setRange(-0.6, static_cast<double>(sweep_->rows.size()) - 0.4);
  constexpr double text = 30;  // Height of the texts above the bars, in pixels.
  // Height of the names, the margins and the legend, in pixels.
  const double around = (theme_->paper() ? 46 : 66) + (sweep_->of_dataflows ? 40 : 0);
  const double plot_px = std::max(2.0 * text, height() - around);
  plot_->yAxis->setLabel(height() < 150 ? tr("ms") : tr("ms, median and IQR"));
  plot_->yAxis->ticker()->setTickCount(ticks_for(height()));
  plot_->yAxis->setRange(0, highest > 0 ? highest * plot_px / (plot_px - text) : 1.0);
  plot_->replot(QCustomPlot::rpQueuedReplot);
}

bool SweepChart::narrow() const {
  constexpr int room_for_names = 560;
  return width() < room_for_names;
}

double SweepChart::addParts() {
  double highest = 0;
  QCPBars* below = nullptr;
  for (std::size_t part = 0; part < sweep_part_groups.size(); ++part) {
    if (!occurs(part)) continue;
    QVector<double> x, ms;
    for (std::size_t row = 0; row < parts_.size(); ++row) {
      x.append(static_cast<double>(row));
      ms.append(parts_[row].at(part));
    }
    QColor fill = theme_->stage(sweep_part_groups.at(part));
    // Make the bars translucent, so that the median and its error bar stay visible.
    if (!theme_->paper()) fill.setAlphaF(0.62F);
    auto* bars = new QCPBars(plot_->xAxis, plot_->yAxis);
    bars->setName(sweepPartText(sweep_part_groups.at(part), narrow()));
    bars->setWidth(0.6);
    bars->setPen(theme_->paper() ? QPen(theme_->palette().text, 0.5) : QPen(Qt::NoPen));
    bars->setBrush(fill);
    bars->setData(x, ms, true);
    if (below != nullptr) bars->moveAbove(below);
    below = bars;
    bars->addToLegend();
  }
  for (const SweepParts& row : parts_)
    highest = std::max(highest, std::accumulate(row.begin(), row.end(), 0.0));
  return highest;
}

double SweepChart::addMedians() {
  QVector<double> x, median, below, above;
  double highest = 0;
  for (int at = 0; at < static_cast<int>(sweep_->rows.size()); ++at) {
    const SweepRow& row = sweep_->rows[static_cast<std::size_t>(at)];
    if (row.wall.ms.empty()) continue;
    const Statistics s = row.wall.stats();
    x.append(at);
    median.append(s.median);
    below.append(s.median - s.q1);
    above.append(s.q3 - s.median);
    highest = std::max(highest, s.q3);
  }
  const Palette& p = theme_->palette();
  auto* dots = plot_->addGraph();
  dots->setName(narrow() ? tr("median") : tr("median, IQR"));
  dots->setPen(QPen(p.text, 1.5));
  dots->setLineStyle(QCPGraph::lsNone);
  dots->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssCircle, QPen(p.panel, 1), p.text, 9));
  dots->setData(x, median, true);
  dots->addToLegend();
  auto* spread = new QCPErrorBars(plot_->xAxis, plot_->yAxis);
  spread->setDataPlottable(dots);
  spread->setPen(QPen(p.text, 1.5));
  spread->setWhiskerWidth(10);
  spread->setData(below, above);
  return highest;
}

QString SweepChart::marksOf(int row) const {
  QStringList marks;
  if (row == now_) marks += tr("in use");
  if (row >= 0 && row == rowOf(tuned_)) marks += tr("tuned");
  return marks.join(tr(", "));
}

/// Returns the label of a row. On screen, the legend explains the marks of a row. On paper, the label
/// contains words instead of marks.
QString SweepChart::labelOf(int row) const {
  // The number of t = max is on a second line, so that the labels of narrow bars do not overlap.
  const SweepRow& facts = sweep_->rows[static_cast<std::size_t>(row)];
  const QString label = sweep_->of_dataflows ? shortDataflowText(facts.label)
                                             : sweepRowText(*sweep_, facts).replace(" (", "\n(");
  const bool marked = theme_->paper() && !marksOf(row).isEmpty();
  return marked ? label + "\n" + marksOf(row) : label;
}

/// Draws the marks of the rows near the bottom of the bars. The legend explains the marks.
void SweepChart::addMarks(double highest) {
  if (theme_->paper()) return;
  const Palette& p = theme_->palette();
  const auto add = [&](int row, double offset, QCPScatterStyle::ScatterShape shape, const QString& name) {
    if (row < 0) return;
    auto* mark = plot_->addGraph();
    mark->setName(name);
    mark->setLineStyle(QCPGraph::lsNone);
    mark->setScatterStyle(QCPScatterStyle(shape, QPen(p.panel, 1), p.text, 11));
    mark->setData({row + offset}, {0.08 * highest}, true);
    mark->addToLegend();
  };
  const bool both = now_ >= 0 && now_ == rowOf(tuned_);
  add(now_, both ? -0.1 : 0, QCPScatterStyle::ssTriangle, tr("in use"));
  add(rowOf(tuned_), both ? 0.1 : 0, QCPScatterStyle::ssDiamond, tr("tuned"));
}

void SweepChart::addRedundancy() {
  const bool any = has_slots(sweep_.get());
  plot_->yAxis2->setVisible(any);
  if (!any) return;
  QVector<double> x, per_pairs;
  for (int at = 0; at < static_cast<int>(sweep_->rows.size()); ++at) {
    const auto& per_pair = sweep_->rows[static_cast<std::size_t>(at)].slots_per_pair;
    if (!per_pair) continue;
    x.append(at + 0.2);
    per_pairs.append(*per_pair);
  }
  const Palette& p = theme_->palette();
  auto* marks = plot_->addGraph(plot_->xAxis, plot_->yAxis2);
  marks->setName(narrow() ? tr("slots") : tr("slots per pair (right axis)"));
  marks->setLineStyle(QCPGraph::lsNone);
  marks->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssDiamond, QPen(p.panel, 1), p.drawn, 10));
  marks->setData(x, per_pairs, true);
  marks->addToLegend();
  plot_->yAxis2->setTickLabels(true);
  plot_->yAxis2->setTickLabelColor(p.drawn);
  plot_->yAxis2->setTickLabelFont(plot_->yAxis->tickLabelFont());
  plot_->yAxis2->setBasePen(plot_->yAxis->basePen());
  plot_->yAxis2->setTickPen(plot_->yAxis->tickPen());
  plot_->yAxis2->setSubTickPen(Qt::NoPen);
  plot_->yAxis2->ticker()->setTickCount(ticks_for(height()));
  constexpr double air = 1.25;
  plot_->yAxis2->setRange(0, air * *std::max_element(per_pairs.begin(), per_pairs.end()));
}

double SweepChart::addBaseline() {
  QVector<double> x, median, below, above;
  double highest = 0;
  for (int at = 0; at < static_cast<int>(sweep_->rows.size()); ++at) {
    const SweepRow* old = before(sweep_->rows[static_cast<std::size_t>(at)]);
    if (old == nullptr) continue;
    const Statistics s = old->wall.stats();
    x.append(at + 0.12);  // Draws the baseline next to the dot of the current run.
    median.append(s.median);
    below.append(s.median - s.q1);
    above.append(s.q3 - s.median);
    highest = std::max(highest, s.q3);
  }
  if (x.isEmpty()) return 0;
  auto* curve = plot_->addGraph();
  curve->setPen(QPen(theme_->palette().drawn, 1.5, Qt::DashLine));
  curve->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssSquare, QPen(theme_->palette().drawn, 2),
                                         theme_->palette().panel, 8));
  curve->setData(x, median, true);
  auto* spread = new QCPErrorBars(plot_->xAxis, plot_->yAxis);
  spread->setDataPlottable(curve);
  spread->setPen(QPen(theme_->palette().drawn, 1.5));
  spread->setWhiskerWidth(8);
  spread->setData(below, above);
  return highest;
}

/// Draws a vertical line over the full height of the chart, at the row of the t that the user tries.
void SweepChart::addCursor() {
  const int row = triedRow();
  if (row < 0) return;
  const Palette& p = theme_->palette();
  auto* line = new QCPItemLine(plot_);
  for (QCPItemPosition* end : {line->start, line->end})
    end->setTypeY(QCPItemPosition::ptAxisRectRatio);
  line->start->setCoords(row, 0);
  line->end->setCoords(row, 1);
  line->setPen(QPen(p.text, 2));
  auto* label = new QCPItemText(plot_);
  label->position->setTypeY(QCPItemPosition::ptAxisRectRatio);
  label->position->setCoords(row, 0);
  label->setPositionAlignment(Qt::AlignTop | Qt::AlignHCenter);
  label->setText(tr("trial: %1").arg(sweepRowText(*sweep_, sweep_->rows[static_cast<std::size_t>(row)])));
  label->setFont(plot_->font());
  label->setColor(p.panel);
  label->setBrush(p.text);
  label->setPadding(QMargins(4, 1, 4, 1));
}

/// Writes the verdict of a row above its bar. If a setting cannot be measured, writes a note instead of
/// drawing a bar.
void SweepChart::markStanding(int row, double highest) {
  const SweepRow& facts = sweep_->rows[static_cast<std::size_t>(row)];
  const auto add = [&](const QString& text, double at, const QColor& colour) {
    if (text.isEmpty()) return;
    auto* label = new QCPItemText(plot_);
    label->setText(text);
    label->setColor(colour);
    label->setFont(plot_->font());
    label->setPositionAlignment(Qt::AlignBottom | Qt::AlignHCenter);
    label->position->setCoords(row, at);
  };
  const Palette& p = theme_->palette();
  if (facts.wall.ms.empty()) {
    const bool packing = facts.threshold < 0 && !sweep_->of_dataflows;
    if (!facts.why_not.empty() && sweep_->of_dataflows)
      return add(QString(QChar(0x2013)), 0.02 * highest, p.warning);  // The table contains the reason.
    if (!facts.why_not.empty())
      add(packing ? tr("does not fit") : tr("not possible"), 0.02 * highest, p.warning);
    return;
  }
  const SweepParts& parts = parts_[static_cast<std::size_t>(row)];
  const double top = std::max(facts.wall.stats().q3, std::accumulate(parts.begin(), parts.end(), 0.0));
  // The bars of dataflows are narrow, so a chart without space leaves the verdicts to the table.
  if (!sweep_->of_dataflows || !narrow())
    add(QString::fromStdString(facts.standing), top + (0.02 * highest), p.text);
  if (marked_.count(facts.threshold) == 0) return;
  auto* band = new QCPItemRect(plot_);
  band->topLeft->setCoords(row - 0.42, 1.3 * highest);
  band->bottomRight->setCoords(row + 0.42, 0);
  band->setPen(QPen(p.drawn, 1.5, Qt::DashLine));
  band->setBrush(Qt::NoBrush);
}

namespace {

enum Part : std::size_t { levels, maps, orders, output_stationary, weight_stationary, other };

struct Range {
  std::size_t fewest = 0, most = 0;
  void take(std::size_t count) {
    if (count == 0) return;
    fewest = fewest == 0 ? count : std::min(fewest, count);
    most = std::max(most, count);
  }
};

QString passesText(const Range& passes) {
  if (passes.most == 0) return {};
  if (passes.most == 1)
    return QCoreApplication::translate("SweepPart", "; parts of the bars: one isolated pass");
  if (passes.fewest == passes.most)
    return QCoreApplication::translate("SweepPart", "; parts of the bars: medians of %1 isolated passes")
        .arg(passes.most);
  return QCoreApplication::translate("SweepPart", "; parts of the bars: medians of %1 to %2 isolated passes")
      .arg(passes.fewest)
      .arg(passes.most);
}

/// Returns false if the parent of the stage belongs to the same group. The time of the parent then already
/// includes the time of the stage.
bool outermost(const StageTree& stages, int node, StageGroup group) {
  const int parent = stages.nodes[static_cast<std::size_t>(node)].parent;
  return parent < 0 || stages.key(parent).group() != group;
}

}  // namespace

SweepParts sweep_parts(const StageTree& stages) {
  SweepParts parts{};
  double all = 0;
  for (int node = 0; node < static_cast<int>(stages.nodes.size()); ++node) {
    const StageGroup group = stages.key(node).group();
    const double ms = stages.median_ms(node);
    const bool top = stages.nodes[static_cast<std::size_t>(node)].parent < 0;
    if (top) all += ms;
    if (group == StageGroup::order && outermost(stages, node, group)) {
      parts[Part::orders] += ms;
    } else if (group == StageGroup::output_stationary && outermost(stages, node, group)) {
      parts[Part::output_stationary] += ms;
    } else if (group == StageGroup::weight_stationary && outermost(stages, node, group)) {
      parts[Part::weight_stationary] += ms;
    } else if (top && (group == StageGroup::voxelize || group == StageGroup::downsample)) {
      parts[Part::levels] += ms;
    }
  }
  parts[Part::maps] = std::max(0.0, stages.maps_ms() - parts[Part::orders]);
  const double known = std::accumulate(parts.begin(), parts.end(), 0.0);
  parts[Part::other] = std::max(0.0, all - known);
  return parts;
}

QString sweepPartText(StageGroup group, bool shortly) {
  switch (group) {
    case StageGroup::downsample:
      return QCoreApplication::translate("SweepPart", "levels");
    case StageGroup::search:
      return QCoreApplication::translate("SweepPart", "maps");
    case StageGroup::order:
      return QCoreApplication::translate("SweepPart", "row order");
    case StageGroup::output_stationary:
      return shortly ? QCoreApplication::translate("SweepPart", "OS")
                     : QCoreApplication::translate("SweepPart", "output-stationary");
    case StageGroup::weight_stationary:
      return shortly ? QCoreApplication::translate("SweepPart", "WS")
                     : QCoreApplication::translate("SweepPart", "weight-stationary");
    default:
      return QCoreApplication::translate("SweepPart", "other");
  }
}

QString sweepRowText(const Sweep& sweep, const SweepRow& row) {
  if (sweep.of_dataflows) return dataflowText(row.label);
  return row.threshold >= 0 && row.threshold == sweep.t_max
             ? QCoreApplication::translate("SweepPart", "t = max (%1)").arg(row.threshold)
             : QString::fromStdString(row.label);
}

QString sweepSubjectText(const Sweep& sweep, const Network* network) {
  const QString subject = QString::fromStdString(sweep.subject);
  if (sweep.layer >= 0) return QCoreApplication::translate("SweepPart", "%1: map and features").arg(subject);
  return network == nullptr || !network->skipped.empty()
             ? subject
             : QCoreApplication::translate("SweepPart", "%1, whole network").arg(networkText(*network));
}

QString sweepSamplesText(const Sweep& sweep) {
  Range samples, passes;
  for (const SweepRow& row : sweep.rows) {
    samples.take(row.wall.ms.size());
    for (const StageNode& stage : row.stages.nodes)
      passes.take(stage.samples_ms.size());
  }
  const QString wall =
      samples.fewest == samples.most
          ? QCoreApplication::translate("SweepPart", "n = %1 each").arg(samples.most)
          : QCoreApplication::translate("SweepPart", "n = %1 to %2").arg(samples.fewest).arg(samples.most);
  return wall + passesText(passes);
}

}  // namespace spira::ui
