#include "ui/features/layout/dock_layout.hpp"

#include "ui/features/layout/left_side.hpp"
#include "ui/model/workspace.hpp"

#include <QDockWidget>
#include <QLayout>
#include <QMainWindow>
#include <QScreen>
#include <QTabBar>
#include <QTabWidget>

#include <algorithm>

namespace spira::ui {
namespace {

constexpr int narrow_below = 1200;  // Width of the window in pixels below which the left side becomes a rail.

QTabWidget* new_tabs(const QString& name) {
  auto* tabs = new QTabWidget;
  tabs->setAccessibleName(name);
  tabs->setDocumentMode(true);
  tabs->tabBar()->setDrawBase(false);
  return tabs;
}

/// Adds a dock without a title bar, because its tabs and headings name the content.
QDockWidget* add_dock(QMainWindow& window, const QString& title, const QString& name, QWidget* widget,
                      Qt::DockWidgetArea area) {
  auto* dock = new QDockWidget(title, &window);
  dock->setObjectName(name);
  dock->setWidget(widget);
  dock->setTitleBarWidget(new QWidget(dock));
  dock->setFeatures(QDockWidget::NoDockWidgetFeatures);
  window.addDockWidget(area, dock);
  return dock;
}

}  // namespace

DockLayout::DockLayout(QMainWindow& window, const Workspace& workspace, Theme& theme, QWidget* scenes,
                       QWidget* network, const std::vector<Tab>& tabs)
    : window_(window),
      workspace_(workspace),
      left_(new LeftSide(scenes, network, &theme)),
      right_tabs_(new_tabs(tr("Views of the selection"))),
      bottom_tabs_(new_tabs(tr("Results"))) {
  window.setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
  window.setCorner(Qt::BottomRightCorner, Qt::BottomDockWidgetArea);
  right_tabs_->setStyleSheet("QTabBar::tab { padding: 6px 8px; }");  // All tabs fit into the narrowest dock.
  left_dock_ = add_dock(window, tr("Scenes and network"), "left", left_, Qt::LeftDockWidgetArea);
  right_ = add_dock(window, tr("Density and voxel"), "right", right_tabs_, Qt::RightDockWidgetArea);
  bottom_ = add_dock(window, tr("Results"), "bottom", bottom_tabs_, Qt::BottomDockWidgetArea);
  for (const Tab& tab : tabs)
    addTab(tab);
  const auto widen = [this] {
    if (left_->folded()) return;
    for (QLayout* limits : {left_dock_->layout(), window_.layout()})
      limits->activate();  // The dock may now be wider than the rail.
    window_.resizeDocks({left_dock_, right_}, {sideWidth(), right_->width()}, Qt::Horizontal);
  };
  // Queued, so that the window has its new size.
  connect(left_, &LeftSide::roomChanged, this, widen, Qt::QueuedConnection);
}

QSize DockLayout::firstSize(const QSize& available, const QSize& frame) {
  return QSize(1440, 900).boundedTo(available - frame).expandedTo(QSize(1024, 640));
}

void DockLayout::addTab(const Tab& tab) {
  by_name_[tab.name] = tab;
  tabs(tab.side).addTab(tab.panel, tab.title);
}

void DockLayout::show(const QString& name) {
  const Tab& tab = by_name_.at(name);
  tabs(tab.side).setCurrentWidget(tab.panel);
}

void DockLayout::enter(const QString& name) {
  const Side side = by_name_.at(name).side;
  dock(side).show();
  show(name);
  tabs(side).setFocus(Qt::ShortcutFocusReason);
}

bool DockLayout::shows(const QString& name) const {
  const Tab& tab = by_name_.at(name);
  return tabs(tab.side).currentWidget() == tab.panel;
}

void DockLayout::followWidth() {
  left_->setNarrow(window_.width() < narrow_below);
}

void DockLayout::arrange(const QString& layout) {
  name_ = layout;
  if (layout == "explore") return explore();
  if (layout == "compare") return compare();
  if (layout == "learn") return learn();
  name_ = "profile";
  profile();
}

void DockLayout::makeRoomForResults() {
  name_ == "compare" ? compare() : profile();
}

/// Returns a width at which the centre keeps half of a narrow window.
int DockLayout::sideWidth() const {
  return std::clamp(window_.width() / 4, 280, 368);
}

void DockLayout::explore() {
  emit besideRequested(false);
  followWidth();
  left_dock_->show();
  right_->show();
  bottom_->hide();
  window_.resizeDocks({left_dock_, right_}, {sideWidth(), sideWidth()}, Qt::Horizontal);
}

void DockLayout::profile() {
  explore();
  bottom_->show();
  // Percent of the height. The share is larger for a recorded run, which has no voxels to draw.
  const int share = workspace_.report() ? 55 : 30;
  constexpr int least = 232;  // Minimum height for the charts, in pixels.
  window_.resizeDocks({bottom_}, {std::max(least, window_.height() * share / 100)}, Qt::Vertical);
}

/// Shows both scenes with one camera, and the table of the comparison below them.
void DockLayout::compare() {
  profile();
  left_dock_->hide();
  right_->hide();
  emit besideRequested(true);
  show("compare");
  constexpr int share = 50;  // Percent of the height.
  window_.resizeDocks({bottom_}, {window_.height() * share / 100}, Qt::Vertical);
}

/// Shows only the picture and, next to it, the panel for one offset or one voxel.
void DockLayout::learn() {
  emit besideRequested(false);
  left_dock_->hide();
  bottom_->hide();
  right_->show();
  constexpr int wide = 440;
  window_.resizeDocks({right_}, {std::min(wide, window_.width() * 2 / 5)}, Qt::Horizontal);
}

void DockLayout::hideAll() {
  emit besideRequested(false);
  for (QDockWidget* dock : {left_dock_, right_, bottom_})
    dock->hide();
}

void DockLayout::restoreDefault() {
  if (window_.isFullScreen() || window_.isMaximized()) window_.showNormal();
  window_.resize(
      firstSize(window_.screen()->availableSize(), window_.frameGeometry().size() - window_.size()));
  right_tabs_->setCurrentIndex(0);
  bottom_tabs_->setCurrentIndex(0);
  left_->fold();
  arrange("profile");
}

DockLayout::State DockLayout::state() const {
  return {window_.saveState(docks_version), name_, right_tabs_->currentIndex(), bottom_tabs_->currentIndex()};
}

bool DockLayout::restore(const State& state) {
  name_ = state.layout;
  emit besideRequested(name_ == "compare");
  const bool restored = window_.restoreState(state.docks, docks_version);
  right_tabs_->setCurrentIndex(std::clamp(state.right_tab, 0, right_tabs_->count() - 1));
  bottom_tabs_->setCurrentIndex(std::clamp(state.bottom_tab, 0, bottom_tabs_->count() - 1));
  return restored;
}

}  // namespace spira::ui
