// Mouse and keyboard input of the density chart: hit tests, dragging t, tooltips, and stepping through groups
// and offsets.
#include "engine/base/text.hpp"
#include "ui/charts/density_chart.hpp"
#include "ui/theme/screen_number.hpp"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace spira::ui {
namespace {

// Distance in pixels at which the cursor shape changes near the divider. A drag can start within half of this
// distance.
constexpr double divider_grip = 6;

bool is_arrow(const QKeyEvent& event) {
  const bool plain = (event.modifiers() & ~Qt::KeypadModifier) == Qt::NoModifier;
  return plain && event.key() >= Qt::Key_Left && event.key() <= Qt::Key_Down;
}

}  // namespace

const DensityChart::Bar* DensityChart::barAt(const QPointF& at) const {
  const auto found =
      std::find_if(bars_.begin(), bars_.end(), [&](const Bar& bar) { return bar.area.contains(at); });
  return found == bars_.end() ? nullptr : &*found;
}

void DensityChart::mousePressEvent(QMouseEvent* event) {
  if (!densities_ || event->button() != Qt::LeftButton || bars_.empty()) return;
  const QPointF at = event->position();
  const bool on_tag = flagOf(threshold_).contains(at);
  if (threshold_ >= 0 && (on_tag || std::abs(at.x() - dividerX(threshold_)) <= divider_grip / 2)) {
    dragged_ = threshold_;
    update();
    return;
  }
  const bool add = (event->modifiers() & Qt::ControlModifier) != 0;
  if (const Bar* bar = barAt(at)) {
    const bool again = chosen_ == std::vector<int>{bar->column};
    emit columnsChosen(again ? std::vector<int>{} : std::vector<int>{bar->column}, add);
    return;
  }
  const std::vector<int> group = groupAt(at);
  emit columnsChosen(group == chosen_ ? std::vector<int>{} : group, add && !group.empty());
}

std::vector<int> DensityChart::groupAt(const QPointF& at) const {
  for (const Group& group : groups_) {
    if (at.y() >= plot().bottom() && at.x() >= group.left - 6 && at.x() <= group.right + 6)
      return groupOf(group.l1);
  }
  return {};
}

std::vector<int> DensityChart::groupOf(int l1) const {
  std::vector<int> columns;
  for (const auto& column : densities_->columns) {
    if (column.l1 == l1) columns.push_back(column.column);
  }
  return columns;
}

/// Skips the group of the centre offset if no group is selected, because the density of this offset is always
/// 100 %.
std::vector<int> DensityChart::neighbouringGroup(int step) const {
  int at = step > 0 ? 0 : 1;
  if (!chosen_.empty()) {
    const int l1 = densities_->columns[static_cast<std::size_t>(chosen_.front())].l1;
    const auto found =
        std::find_if(groups_.begin(), groups_.end(), [&](const Group& group) { return group.l1 == l1; });
    at = static_cast<int>(found - groups_.begin());
  }
  at = std::clamp(at + step, 0, static_cast<int>(groups_.size()) - 1);
  return groupOf(groups_[static_cast<std::size_t>(at)].l1);
}

std::vector<int> DensityChart::neighbouringOffset(int step) const {
  const auto found = std::find_if(bars_.begin(), bars_.end(), [&](const Bar& bar) {
    return !chosen_.empty() && bar.column == chosen_.front();
  });
  if (found == bars_.end()) return {bars_.front().column};
  // If a group is selected, the first step to the right selects the first bar of this group.
  const int here = static_cast<int>(found - bars_.begin());
  const int at = chosen_.size() > 1 && step > 0 ? here : here + step;
  return {bars_[static_cast<std::size_t>(std::clamp(at, 0, static_cast<int>(bars_.size()) - 1))].column};
}

void DensityChart::keyPressEvent(QKeyEvent* event) {
  if (!is_arrow(*event) || !hasContent() || bars_.empty()) return Chart::keyPressEvent(event);
  const bool group = event->key() == Qt::Key_Left || event->key() == Qt::Key_Right;
  const int step = event->key() == Qt::Key_Right || event->key() == Qt::Key_Down ? 1 : -1;
  emit columnsChosen(group ? neighbouringGroup(step) : neighbouringOffset(step), false);
}

void DensityChart::hover(const std::vector<int>& columns) {
  if (columns == hovered_) return;
  setHovered(columns);
  emit columnsHovered(columns);
}

void DensityChart::leaveEvent(QEvent*) {
  hover({});
}

void DensityChart::mouseMoveEvent(QMouseEvent* event) {
  if (dragged_ >= 0) return drag(event->position().x(), event->globalPosition().toPoint());
  const bool near = threshold_ >= 0 && !groups_.empty() &&
                    std::abs(event->position().x() - dividerX(threshold_)) <= divider_grip;
  setCursor(near ? Qt::SplitHCursor : Qt::ArrowCursor);
  if (!densities_) return;
  const Bar* bar = near ? nullptr : barAt(event->position());
  hover(bar != nullptr ? std::vector<int>{bar->column} : groupAt(event->position()));
}

void DensityChart::drag(double x, const QPoint& global) {
  const int t = thresholdNear(x);
  if (t == dragged_) return;
  dragged_ = t;
  const QString why = divider_.why_not ? divider_.why_not(t) : QString();
  if (!why.isEmpty()) QToolTip::showText(global, why, this);
  emit thresholdTried(why.isEmpty() ? t : -1);
  update();
}

void DensityChart::endDrag() {
  if (dragged_ < 0) return;
  dragged_ = -1;
  emit thresholdTried(-1);
  update();
}

/// Emits thresholdDragged() before it calls endDrag(), so that the views never show the old t again.
void DensityChart::mouseReleaseEvent(QMouseEvent*) {
  const int t = dragged_;
  if (t >= 0 && t != threshold_ && (!divider_.why_not || divider_.why_not(t).isEmpty()))
    emit thresholdDragged(t);
  endDrag();
}

void DensityChart::resizeEvent(QResizeEvent* event) {
  Chart::resizeEvent(event);
  place();
}

bool DensityChart::event(QEvent* event) {
  // The arrow keys normally step through the frames of a sequence. This chart uses them while it has the
  // focus.
  if (event->type() == QEvent::ShortcutOverride && is_arrow(*static_cast<QKeyEvent*>(event)) &&
      hasContent()) {
    event->accept();
    return true;
  }
  if (event->type() != QEvent::ToolTip || !densities_) return Chart::event(event);
  auto* help = static_cast<QHelpEvent*>(event);
  const Bar* bar = barAt(help->pos());
  if (bar == nullptr) {
    QStringList legend;  // The legend of a narrow chart is shortened.
    for (const LegendEntry& key : legendEntries())
      legend += key.text;
    const bool on_legend = showsLegend() && help->pos().y() >= height() - legend_height;
    QToolTip::showText(help->globalPos(), on_legend ? legend.join('\n') : QString());
    return true;
  }
  QToolTip::showText(help->globalPos(), tipOf(bar->column));
  return true;
}

QString DensityChart::tipOf(int column) const {
  const auto share = [](const Densities& of, const ColumnDensity& c) {
    return counted(of.outputs, tr("%1 (%2 of 1 output has an input)"),
                   tr("%2 (%3 of %1 outputs have an input)"))
        .arg(onScreen(percent_text(c.density)), onScreen(count_text(c.matches)));
  };
  const ColumnDensity& c = densities_->columns[static_cast<std::size_t>(column)];
  QString text = tr("offset \u03b4 = (%1, %2, %3), L1 norm %4: %5")
                     .arg(c.offset[0])
                     .arg(c.offset[1])
                     .arg(c.offset[2])
                     .arg(c.l1)
                     .arg(share(*densities_, c));
  if (isNative())
    text += tr("\ngroups: %1, triplets: %2, fan-in %3")
                .arg(onScreen(count_text(c.matches)), onScreen(count_text(c.triplets)),
                     onScreen(fan_in_of(c), 'f', 2));
  if (showsVoxels())
    text += tr("\nvoxels: %1")
                .arg(share(*native_.voxels, native_.voxels->columns[static_cast<std::size_t>(column)]));
  if (showsSubset())
    text += QString("\n%1: %2")
                .arg(subset_name_, share(*subset_, subset_->columns[static_cast<std::size_t>(column)]));
  return text;
}

QPoint DensityChart::barCentre(int column) const {
  for (const Bar& bar : bars_) {
    if (bar.column == column) return bar.area.center().toPoint();
  }
  return {};
}

QPoint DensityChart::groupLabelCentre(int l1) const {
  for (const Group& group : groups_) {
    if (group.l1 == l1)
      return {static_cast<int>((group.left + group.right) / 2), static_cast<int>(plot().bottom()) + 10};
  }
  return {};
}

QPoint DensityChart::dividerAt(int threshold) const {
  return {static_cast<int>(std::lround(dividerX(threshold))), static_cast<int>(plot().top())};
}

}  // namespace spira::ui
