#include "ui/charts/density_chart.hpp"

#include "engine/base/text.hpp"
#include "ui/charts/chart.hpp"
#include "ui/model/tables/layer_table_model.hpp"
#include "ui/theme/theme.hpp"

#include <QPainter>
#include <qcustomplot.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace spira::ui {
namespace {

constexpr double right_margin = 12, axis_height = 20, paper_bottom_margin = 40;
constexpr double title_left = 4, title_height = 18, means_height = 18, flag_height = 20, flag_half = 20;
constexpr double legend_icon = 13, legend_gap = 12;  // Widths of a coloured square, and between entries.
constexpr double min_log_density = 1e-4;

/// Returns the number of inputs at an offset, per output.
double per_output(const Densities& of, const ColumnDensity& column) {
  return of.outputs == 0 ? 0.0 : static_cast<double>(column.triplets) / static_cast<double>(of.outputs);
}

}  // namespace

double fan_in_of(const ColumnDensity& column) noexcept {
  return column.matches == 0 ? 1.0
                             : static_cast<double>(column.triplets) / static_cast<double>(column.matches);
}

DensityChart::DensityChart(Theme* theme, QWidget* parent)
    : Chart(theme, tr("Densities of the kernel map by L1 norm"), parent), subset_name_(tr("selection")) {}

void DensityChart::setDensities(std::shared_ptr<const Densities> densities, const QString& subject, int layer,
                                int level) {
  densities_ = std::move(densities);
  map_.subject = subject;
  map_.layer = layer;
  map_.level = level;
  native_.top = 1;
  for (std::size_t at = 0; isNative() && at < densities_->columns.size(); ++at)
    native_.top = std::max(native_.top, per_output(*densities_, densities_->columns[at]));
  place();
  if (groups_.empty()) endDrag();
  contentChanged();
}

void DensityChart::setThreshold(int threshold, DividerFacts facts) {
  threshold_ = threshold;
  divider_ = std::move(facts);
  if (threshold_ < 0) endDrag();
  place();
  update();
}

void DensityChart::setChosen(std::vector<int> columns) {
  chosen_ = std::move(columns);
  update();
}

void DensityChart::setSubset(std::shared_ptr<const Densities> subset) {
  subset_ = std::move(subset);
  contentChanged();
}

void DensityChart::setVoxels(std::shared_ptr<const Densities> voxels) {
  native_.voxels = std::move(voxels);
  contentChanged();
}

bool DensityChart::isNative() const {
  return densities_ && densities_->kernel.native();
}

bool DensityChart::showsVoxels() const {
  return isNative() && native_.voxels && native_.voxels->columns.size() == densities_->columns.size();
}

void DensityChart::setNames(const QString& chart, const QString& subset) {
  name_ = chart;
  subset_name_ = subset;
}

QColor DensityChart::subsetColour() const {
  return theme_->palette().drawn;
}

QColor DensityChart::colourOf(int l1, int threshold) const {
  const Palette& p = theme_->palette();
  if (threshold < 0 && !divider_.without_t.isEmpty()) return divider_.dense ? p.dense : p.sparse;
  if (threshold < 0) return p.faint_text;
  return l1 < threshold ? p.dense : p.sparse;
}

/// Returns true if the subset is drawn. A subset with a different number of offsets belongs to the previous
/// map and is not drawn.
bool DensityChart::showsSubset() const {
  return densities_ && subset_ && subset_->columns.size() == densities_->columns.size();
}

void DensityChart::setMarked(std::vector<int> columns) {
  marked_ = std::move(columns);
  update();
}

void DensityChart::setHovered(std::vector<int> columns) {
  hovered_ = std::move(columns);
  update();
}

void DensityChart::setLogarithmic(bool logarithmic) {
  logarithmic_ = logarithmic;
  update();
}

/// Returns the left margin. It grows with the font size, because the texts on the left must fit.
double DensityChart::leftMargin() const {
  constexpr double least = 46, air = 8;
  const auto width = [this](const QString& text) { return fontMetrics().horizontalAdvance(text); };
  return std::max(least, static_cast<double>(std::max(width(tr("mean")), width(tr("L1 norm"))) + air));
}

/// Returns true if the legend is below the axis. A low chart has no legend, because its bars need the height.
bool DensityChart::showsLegend() const {
  constexpr int low_below = 150;
  return height() >= low_below && !theme_->paper();
}

QRectF DensityChart::plot() const {
  const double left = leftMargin();
  const double flag = threshold_ < 0 || flagIsBesideTitle() ? 4 : flag_height;
  const double top = title_height + means_height + flag;
  const double bottom =
      theme_->paper() ? paper_bottom_margin : axis_height + (showsLegend() ? legend_height : 0);
  return {left, top, std::max(10.0, width() - left - right_margin), std::max(10.0, height() - top - bottom)};
}

void DensityChart::place() {
  bars_.clear();
  groups_.clear();
  if (!densities_ || densities_->columns.empty()) return;
  const QRectF area = plot();
  const auto groups = static_cast<double>(densities_->groups.size()),
             columns = static_cast<double>(densities_->columns.size());
  const double gap = std::min(16.0, area.width() * 0.25 / groups);
  // Each group is at least as wide as its label if the plot has enough space.
  const double least = std::min(26.0, (area.width() - (gap * groups)) / groups);
  double rest = area.width() - (gap * groups), wide = 0;
  for (const auto& group : densities_->groups) {
    if (group.offsets * rest / columns < least) {
      rest -= least;
    } else {
      wide += group.offsets;
    }
  }
  double x = area.left() + (gap / 2.0);
  for (const auto& group : densities_->groups) {
    const double fair = group.offsets * (area.width() - (gap * groups)) / columns;
    const double group_width = fair < least ? least : group.offsets * rest / std::max(1.0, wide);
    const double each = group_width / group.offsets;
    groups_.push_back({group.l1, x, x + group_width});
    for (const auto& column : densities_->columns) {
      if (column.l1 != group.l1) continue;
      bars_.push_back({column.column, QRectF(x, area.top(), each, area.height())});
      x += each;
    }
    x += gap;
  }
  for (Bar& bar : bars_)
    bar.area.setTop(plot().top());  // The place of the flag depends on the groups.
}

double DensityChart::heightOf(double density) const {
  if (!logarithmic_) return density / native_.top * plot().height();
  if (density <= min_log_density) return 0.0;
  return plot().height() *
         (1.0 - (std::log10(density / native_.top) / std::log10(min_log_density / native_.top)));
}

ChartText DensityChart::text() const {
  return {map_.subject.isEmpty() ? tr("Densities") : tr("Densities of %1").arg(map_.subject), tr("%"),
          tr("share of outputs that have an input at the offset (counted, not sampled); black lines: mean "
             "density of each L1 norm"),
          !densities_ ? QString()
          : densities_->outputs == 1
              ? tr("n = 1 output")
              : tr("n = %1 outputs").arg(numberText(*theme_, count_text(densities_->outputs)))};
}

bool DensityChart::hasContent() const {
  return densities_ && !densities_->columns.empty();
}

QString DensityChart::undividedText() const {
  if (divider_.without_t.isEmpty()) return tr("all offsets (no threshold t)");
  // A native layer runs with t = 0, which its measured times also name.
  return (isNative() ? tr("all offsets: %1 (only t = 0)") : tr("all offsets: %1 (no threshold t)"))
      .arg(divider_.without_t);
}

std::vector<LegendEntry> DensityChart::legendEntries() const {
  if (!hasContent()) return {};
  std::vector<LegendEntry> all;
  if (showsSubset()) all.push_back({subsetColour(), tr("outline: %1").arg(subset_name_)});
  for (const LegendEntry& entry : nativeEntries(false))
    all.push_back(entry);
  if (threshold_ < 0) {
    all.push_back({colourOf(0, threshold_), undividedText()});
    return all;
  }
  if (densities_->groups.front().l1 < threshold_)
    all.push_back({theme_->palette().dense, tr("output-stationary: L1 < %1").arg(threshold_)});
  if (densities_->groups.back().l1 >= threshold_)
    all.push_back({theme_->palette().sparse, tr("weight-stationary: L1 \u2265 %1").arg(threshold_)});
  return all;
}

std::vector<LegendEntry> DensityChart::nativeEntries(bool brief) const {
  if (!isNative()) return {};
  const Palette& p = theme_->palette();
  const double fan_in = densities_->pairs == 0 ? 1.0
                                               : static_cast<double>(densities_->triplets) /
                                                     static_cast<double>(densities_->pairs);
  const QString lines = brief ? tr("fan-in %1") : tr("line: inputs per output (fan-in %1)");
  std::vector<LegendEntry> all{{p.accent, lines.arg(numberText(*theme_, fan_in, 'f', 2)), LegendIcon::line}};
  if (showsVoxels()) all.push_back({p.text, brief ? tr("voxels") : tr("frame: voxels"), LegendIcon::frame});
  return all;
}

ChartTable DensityChart::table() const {
  ChartTable table{{tr("Offset"), tr("L1"), tr("Density, %"), isNative() ? tr("Groups") : tr("Pairs")}, {}};
  if (isNative()) table.header += {tr("Triplets"), tr("Fan-in")};
  if (showsVoxels()) table.header += tr("Density of voxels, %");
  if (showsSubset()) table.header += {tr("Density of the selection, %"), tr("Pairs of the selection")};
  if (!densities_) return table;
  constexpr double percent = 100;
  for (std::size_t at = 0; at < densities_->columns.size(); ++at) {
    const ColumnDensity& column = densities_->columns[at];
    QVariantList cells{
        QString("(%1, %2, %3)").arg(column.offset[0]).arg(column.offset[1]).arg(column.offset[2]), column.l1,
        percent * column.density, QVariant::fromValue<qlonglong>(column.matches)};
    if (isNative()) cells += {QVariant::fromValue<qlonglong>(column.triplets), fan_in_of(column)};
    if (showsVoxels()) cells += QVariant(percent * native_.voxels->columns[at].density);
    if (showsSubset())
      cells += {percent * subset_->columns[at].density,
                QVariant::fromValue<qlonglong>(subset_->columns[at].matches)};
    table.rows.push_back(cells);
  }
  return table;
}

int DensityChart::rowAt(const QPointF& at) const {
  const Bar* bar = barAt(at);
  return bar == nullptr ? -1 : bar->column;
}

void DensityChart::chooseRow(int row) {
  emit columnsChosen({row}, false);
}

MeasuredSubject DensityChart::subjectOf(int /*row*/) const {
  MeasuredSubject subject;
  subject.kind = MeasuredSubject::Kind::densities;
  subject.layer = map_.layer;
  if (densities_) {
    subject.kernel_size = densities_->kernel.size.largest();
    subject.stride = map_.level;
  }
  return subject;
}

std::unique_ptr<Chart> DensityChart::twin(Theme* theme) const {
  auto other = std::make_unique<DensityChart>(theme);
  other->setDensities(densities_, map_.subject, map_.layer, map_.level);
  other->setSubset(subset_);
  other->setVoxels(native_.voxels);
  other->setNames(name_, subset_name_);
  other->setThreshold(threshold_, {{}, divider_.without_t, divider_.dense});
  other->setChosen(chosen_);
  other->setLogarithmic(logarithmic_);
  return other;
}

void DensityChart::restyle() {
  place();
  update();
}

void DensityChart::paintEvent(QPaintEvent*) {
  QCPPainter painter(this);
  painter.fillRect(rect(), theme_->palette().panel);
  paintChart(painter);
  paintLegend(painter);
  paintFocus(painter);
}

void DensityChart::paintChart(QCPPainter& painter) {
  painter.setFont(font());
  paintAxes(painter);
  if (!densities_) return;
  paintBars(painter);
  if (showsVoxels()) paintVoxels(painter);
  if (isNative()) paintFanIn(painter);
  if (showsSubset()) paintSubset(painter);
  paintGroups(painter);
  paintDivider(painter);
}

void DensityChart::paintAxes(QPainter& painter) const {
  const QRectF area = plot();
  painter.setPen(theme_->palette().text);
  paintTitles(painter);
  if (!densities_) return;
  const std::vector<double> ticks = logarithmic_ ? std::vector<double>{1.0, 0.1, 0.01, 0.001, 0.0001}
                                                 : std::vector<double>{1.0, 0.75, 0.5, 0.25, 0};
  constexpr double room = 14;  // Minimum distance between tick labels, in pixels.
  double last = -room;
  for (const double tick : ticks) {
    const double y = area.bottom() - heightOf(tick);
    if (y - last < room) continue;
    last = y;
    painter.setPen(QPen(theme_->palette().line, 1, Qt::DotLine));
    painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
    painter.setPen(theme_->palette().faint_text);
    painter.drawText(QRectF(0, y - 9, leftMargin() - 8, 18), Qt::AlignRight | Qt::AlignVCenter,
                     numberText(*theme_, tick * 100, 'g', 6));
  }
}

QString DensityChart::title() const {
  const QString full = tr("Outputs with an input at the offset, %");
  const bool fits =
      (threshold_ < 0 || !isLow()) && fontMetrics().horizontalAdvance(full) <= width() - title_left;
  return fits ? full : tr("Outputs with an input, %");
}

bool DensityChart::isLow() const {
  constexpr int low_below = 130;
  return height() < low_below && !theme_->paper();
}

/// Returns true if the flag is next to the title instead of below it. The bars of a low chart need the
/// height.
bool DensityChart::flagIsBesideTitle() const {
  return isLow() && threshold_ >= 0 && !groups_.empty() &&
         flagLeft(threshold_) > title_left + fontMetrics().horizontalAdvance(title());
}

void DensityChart::paintTitles(QPainter& painter) const {
  const QRectF area = plot();
  painter.drawText(QRectF(title_left, 0, width() - title_left, title_height),
                   Qt::AlignLeft | Qt::AlignVCenter, title());
  if (theme_->paper())
    return painter.drawText(QRectF(area.left(), height() - 19.0, area.width(), 18), Qt::AlignCenter,
                            tr("L1 norm of the offset"));
  painter.drawText(QRectF(0, area.bottom() + 3, leftMargin() - 4, 17), Qt::AlignRight | Qt::AlignVCenter,
                   tr("L1 norm"));
}

/// Returns the entries of the legend below the axis. Their texts are shortened if the chart is narrow.
std::vector<LegendEntry> DensityChart::shownLegend(double room) const {
  const int t = dragged_ >= 0 ? dragged_ : threshold_;
  const QFontMetrics metrics = fontMetrics();
  const auto width = [&metrics](const QString& text) {
    return metrics.horizontalAdvance(text) + legend_icon;
  };
  if (t >= 0) {
    const std::array<QStringList, 2> texts{
        QStringList{tr("output-stationary: L1 < %1"), tr("weight-stationary: L1 \u2265 %1")},
        QStringList{tr("OS: L1 < %1"), tr("WS: L1 \u2265 %1")}};
    const bool full = width(texts[0][0].arg(t)) + width(texts[0][1].arg(t)) + legend_gap <= room;
    const QStringList& shown = texts.at(full ? 0 : 1);
    return {{colourOf(t, t), shown[1].arg(t)}, {colourOf(t - 1, t), shown[0].arg(t)}};
  }
  std::vector<LegendEntry> marks = nativeEntries(true);
  for (const LegendEntry& mark : marks)
    room -= width(mark.text) + legend_gap;
  const bool layer = !divider_.without_t.isEmpty();
  const QStringList texts{!layer ? tr("all offsets (the t of a layer divides its offsets into OS and WS)")
                          : isNative() ? undividedText()
                                       : tr("all offsets (%1 has no t)").arg(divider_.without_t),
                          undividedText(), layer ? divider_.without_t : tr("no t")};
  const auto fits =
      std::find_if(texts.begin(), texts.end(), [&](const QString& text) { return width(text) <= room; });
  marks.insert(marks.begin(), LegendEntry{colourOf(0, t), fits != texts.end() ? *fits : texts.back()});
  return marks;
}

/// Draws the colours of the dataflows with their L1 norms in the bottom right corner. Without a threshold,
/// explains the neutral colour.
void DensityChart::paintLegend(QPainter& painter) const {
  if (!hasContent() || !showsLegend()) return;
  constexpr double side = 9;
  double right = plot().right();
  for (const LegendEntry& key : shownLegend(right - 4)) {
    const double width = painter.fontMetrics().horizontalAdvance(key.text);
    const QRectF label(right - width, height() - legend_height, width, legend_height);
    painter.setPen(theme_->palette().faint_text);
    painter.drawText(label, Qt::AlignVCenter, key.text);
    paint_legend_icon(painter,
                      QRectF(label.left() - legend_icon, label.center().y() - (side / 2), side, side), key);
    right = label.left() - legend_icon - legend_gap;
  }
}

void DensityChart::paintBars(QPainter& painter) const {
  const int t = dragged_ >= 0 ? dragged_ : threshold_;
  for (const Bar& bar : bars_) {
    const ColumnDensity& column = densities_->columns[static_cast<std::size_t>(bar.column)];
    const bool chosen = std::find(chosen_.begin(), chosen_.end(), bar.column) != chosen_.end();
    QColor colour = colourOf(column.l1, t);
    if (!chosen_.empty() && !chosen) colour.setAlphaF(0.35F);
    const double height = std::max(1.0, heightOf(column.density));
    const double margin = std::min(1.0, bar.area.width() * 0.12);
    const QRectF body(bar.area.left() + margin, bar.area.bottom() - height,
                      std::max(1.0, bar.area.width() - (2 * margin)), height);
    painter.fillRect(body, colour);
    const bool hovered = std::find(hovered_.begin(), hovered_.end(), bar.column) != hovered_.end();
    if (chosen || hovered) {
      painter.setPen(QPen(theme_->palette().text, 1.5, chosen ? Qt::SolidLine : Qt::DotLine));
      painter.setBrush(Qt::NoBrush);
      painter.drawRect(body);
    }
    if (std::find(marked_.begin(), marked_.end(), bar.column) == marked_.end()) continue;
    painter.setPen(QPen(theme_->palette().panel, 1));
    painter.setBrush(theme_->palette().error);
    painter.drawEllipse(QPointF(bar.area.center().x(), bar.area.bottom() - 5), 3, 3);
  }
}

/// Draws the subset as a frame over each bar, so that it stays visible even with 125 bars.
void DensityChart::paintSubset(QPainter& painter) const {
  QColor inside = theme_->palette().drawn;
  inside.setAlphaF(0.45F);
  for (const Bar& bar : bars_) {
    const double height = heightOf(subset_->columns[static_cast<std::size_t>(bar.column)].density);
    const double bottom = bar.area.bottom(), top = bottom - height;
    const double margin = std::min(1.0, bar.area.width() * 0.12);
    const double left = bar.area.left() + margin, right = bar.area.right() - margin;
    const bool wide = right - left >= 10;
    painter.fillRect(QRectF((left + right) / 2, top, (right - left) / 2, height), inside);
    for (const QPen& pen : {QPen(theme_->palette().panel, 4), QPen(theme_->palette().drawn, 2)}) {
      painter.setPen(pen);
      painter.drawLine(QPointF(left, top), QPointF(right, top));
      if (!wide) continue;
      painter.drawLine(QPointF((left + right) / 2, top), QPointF((left + right) / 2, bottom));
      painter.drawLine(QPointF(right, top), QPointF(right, bottom));
    }
  }
}

void DensityChart::paintVoxels(QPainter& painter) const {
  QColor colour = theme_->palette().text;
  colour.setAlphaF(0.75F);
  painter.setPen(QPen(colour, 1));
  painter.setBrush(Qt::NoBrush);
  for (const Bar& bar : bars_) {
    const double height = heightOf(native_.voxels->columns[static_cast<std::size_t>(bar.column)].density);
    const double top = bar.area.bottom() - height;
    constexpr double narrow = 5;  // The sides of narrower frames would cover the bars.
    if (bar.area.width() >= narrow)
      painter.drawRect(QRectF(bar.area.left() + 0.5, top, bar.area.width() - 1.5, height));
    else
      painter.drawLine(QPointF(bar.area.left(), top), QPointF(bar.area.right(), top));
  }
}

void DensityChart::paintFanIn(QPainter& painter) const {
  for (const Bar& bar : bars_) {
    const ColumnDensity& column = densities_->columns[static_cast<std::size_t>(bar.column)];
    if (column.triplets == column.matches) continue;
    const double bar_top = bar.area.bottom() - heightOf(column.density);
    const double top = bar.area.bottom() - heightOf(per_output(*densities_, column));
    const double middle = bar.area.center().x(), half = std::max(1.5, bar.area.width() * 0.38);
    painter.setPen(QPen(theme_->palette().accent, 1));
    painter.drawLine(QPointF(middle, bar_top), QPointF(middle, top));
    painter.setPen(QPen(theme_->palette().accent, 2));
    painter.drawLine(QPointF(middle - half, top), QPointF(middle + half, top));
  }
}

void DensityChart::paintGroups(QPainter& painter) const {
  const QRectF area = plot();
  painter.setPen(theme_->palette().faint_text);
  painter.drawText(QRectF(0, title_height, leftMargin() - 8, 16), Qt::AlignRight | Qt::AlignVCenter,
                   tr("mean"));
  for (std::size_t at = 0; at < groups_.size(); ++at) {
    const Group& group = groups_[at];
    const double mean = densities_->groups[at].mean, y = area.bottom() - heightOf(mean);
    painter.setPen(QPen(theme_->palette().text, 2));
    painter.drawLine(QPointF(group.left - 2, y), QPointF(group.right + 2, y));
    // Write the mean of the group above all bars.
    const QRectF label(((group.left + group.right) / 2) - 24, title_height, 48, 16);
    painter.setPen(theme_->palette().text);
    painter.drawText(label, Qt::AlignCenter, numberText(*theme_, mean * 100, 'f', mean < 0.0995 ? 1 : 0));
    painter.setPen(theme_->palette().faint_text);
    painter.drawText(QRectF(group.left - 10, area.bottom() + 3, group.right - group.left + 20, 17),
                     Qt::AlignCenter, QString::number(group.l1));
  }
}

double DensityChart::dividerX(int threshold) const {
  // Place the divider before the first group whose L1 norm is at least t.
  for (std::size_t at = 0; at < groups_.size(); ++at) {
    if (groups_[at].l1 < threshold) continue;
    return at == 0 ? groups_[at].left - 4 : (groups_[at - 1].right + groups_[at].left) / 2;
  }
  return groups_.empty() ? 0.0 : groups_.back().right + 4;
}

void DensityChart::paintDivider(QPainter& painter) const {
  const int t = dragged_ >= 0 ? dragged_ : threshold_;
  if (t < 0 || groups_.empty()) return;
  const QRectF area = plot();
  const double x = dividerX(t);
  const bool allowed = dragged_ < 0 || !divider_.why_not || divider_.why_not(dragged_).isEmpty();
  painter.setPen(QPen(allowed ? theme_->palette().accent : theme_->palette().error, 2, Qt::DashLine));
  const QRectF flag = flagOf(t);
  painter.drawLine(QPointF(x, flag.bottom()), QPointF(x, area.bottom()));
  painter.setPen(Qt::NoPen);
  painter.setBrush(allowed ? theme_->palette().accent : theme_->palette().error);
  painter.drawRoundedRect(flag, 4, 4);
  painter.setPen(theme_->palette().panel);
  painter.drawText(flag, Qt::AlignCenter, thresholdText(densities_->kernel, t));
}

/// Returns half the width of the flag of a threshold.
double DensityChart::flagHalf(int threshold) const {
  constexpr double around = 6;
  const QString text = densities_ ? thresholdText(densities_->kernel, threshold) : QString();
  return std::max(flag_half, (fontMetrics().horizontalAdvance(text) / 2.0) + around);
}

/// Returns the left side of a flag. Moves the flag inwards if the border would clip it.
double DensityChart::flagLeft(int threshold) const {
  const double half = flagHalf(threshold);
  return std::clamp(dividerX(threshold), half + 1, std::max(half + 1, width() - half - 1)) - half;
}

/// Returns the rectangle of the divider's flag.
QRectF DensityChart::flagOf(int threshold) const {
  const double top = flagIsBesideTitle() ? 1 : title_height + means_height + 1;
  return {flagLeft(threshold), top, 2 * flagHalf(threshold), 17};
}

int DensityChart::thresholdNear(double x) const {
  int best = 0;
  for (int t = 0; t <= groups_.back().l1 + 1; ++t) {
    if (std::abs(dividerX(t) - x) < std::abs(dividerX(best) - x)) best = t;
  }
  return best;
}

}  // namespace spira::ui
