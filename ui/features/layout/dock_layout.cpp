#include "ui/features/layout/dock_layout.hpp"

#include "ui/features/layout/left_side.hpp"
#include "ui/model/workspace.hpp"

#include <QDockWidget>
#include <QLayout>
#include <QMainWindow>
#include <QMouseEvent>
#include <QScreen>
#include <QStyle>
#include <QTabBar>
#include <QTabWidget>

#include <algorithm>
#include <utility>

namespace spira::ui {
namespace {

// Window width in pixels. In a narrower window, the left side shows only the scenes, only the network, or
// nothing.
constexpr int narrow_below = 1200;

/// Returns the width of the left dock. In a window of 1366 pixels, the columns of the layer list then fit:
/// kernel size, channels, pairs, voxels, time and dataflow. In a window of 1440 pixels, the stride also fits.
/// In a narrow window, the compact form of the other columns fits.
int leftWidth(int window_width) {
  constexpr int narrow_width = 334;
  constexpr int wide_from = 1440, wide_width = 448;
  if (window_width >= wide_from) return wide_width;
  return window_width < narrow_below ? narrow_width : window_width * 2 / 7;
}

QTabWidget* new_tabs(const QString& name) {
  auto* tabs = new QTabWidget;
  tabs->setAccessibleName(name);
  tabs->setDocumentMode(true);
  tabs->tabBar()->setDrawBase(false);
  return tabs;
}

/// Adds a dock without a title bar, because the tabs and headings of the dock name its content.
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
  // This padding makes all tabs fit into the narrowest dock.
  right_tabs_->setStyleSheet("QTabBar::tab { padding: 6px 8px; }");
  left_dock_ = add_dock(window, tr("Scenes and network"), "left", left_, Qt::LeftDockWidgetArea);
  right_ = add_dock(window, tr("Density and voxel views"), "right", right_tabs_, Qt::RightDockWidgetArea);
  bottom_ = add_dock(window, tr("Results"), "bottom", bottom_tabs_, Qt::BottomDockWidgetArea);
  for (QTabWidget* group : {right_tabs_, bottom_tabs_}) {
    connect(group, &QTabWidget::currentChanged, this, [this, group](int at) {
      group->setTabVisible(at, true);
      fitTabs();
      followMinimumWidth(*group);
      fitHeight();
    });
  }
  for (const Tab& tab : tabs)
    addTab(tab);
  const auto widen = [this](int right_width) {
    if (left_dock_->isHidden()) return;
    // Update the width limits. Without this, the dock could not become wider than the buttons.
    for (QLayout* limits : {left_dock_->layout(), window_.layout()})
      limits->activate();
    const int left_width = leftWidthNow();
    if (right_->isHidden()) return window_.resizeDocks({left_dock_}, {left_width}, Qt::Horizontal);
    // The layer list of a narrow window needs the width more than the views of the selection.
    if (left_->narrow() && !left_->folded()) right_width = std::min(right_width, sideWidth());
    window_.resizeDocks({left_dock_, right_}, {left_width, right_width}, Qt::Horizontal);
  };
  window.installEventFilter(this);  // Detects when the user drags the edge of a dock.
  bottom_tabs_->installEventFilter(this);
  // The call is queued, so that the window has its new size when the function runs. The right side keeps its
  // width.
  connect(left_, &LeftSide::roomChanged, this, [this, widen] {
    const auto later = [widen, right_width = right_->width()] { widen(right_width); };
    QMetaObject::invokeMethod(this, later, Qt::QueuedConnection);
  });
}

QSize DockLayout::firstSize(const QSize& available, const QSize& frame) {
  return QSize(1440, 900).boundedTo(available - frame).expandedTo(QSize(1024, 640));
}

void DockLayout::addTab(const Tab& tab) {
  by_name_[tab.name] = tab;
  const int at = tabs(tab.side).addTab(tab.panel, tab.title);
  // Hide the tab instead of removing it, so that the numbers of the other tabs in saved layouts stay valid.
  if (tab.has_content) tabs(tab.side).setTabVisible(at, tab.has_content());
  followMinimumWidth(tabs(tab.side));
}

/// Lets only the front tab limit the width of a dock. In a narrow window, a wide hidden tab would otherwise
/// take width from the layer list.
void DockLayout::followMinimumWidth(QTabWidget& group) {
  for (int at = 0; at < group.count(); ++at) {
    QSizePolicy policy = group.widget(at)->sizePolicy();
    policy.setHorizontalPolicy(at == group.currentIndex() ? QSizePolicy::Preferred : QSizePolicy::Ignored);
    group.widget(at)->setSizePolicy(policy);
  }
  if (&group == bottom_tabs_) QMetaObject::invokeMethod(this, &DockLayout::fitLeft, Qt::QueuedConnection);
}

/// Returns the width of the left dock next to the front tab of the bottom dock. QMainWindow does not make the
/// left dock narrower if a wide tab needs the space.
int DockLayout::leftWidthNow() const {
  if (left_->folded()) return left_->maximumWidth();
  const int wanted = leftWidth(window_.width());
  if (!left_->narrow() || bottom_->isHidden()) return wanted;
  const int separator = window_.style()->pixelMetric(QStyle::PM_DockWidgetSeparatorExtent, nullptr, &window_);
  return std::min(wanted, window_.width() - separator - bottom_->minimumSizeHint().width());
}

/// Makes the left dock of a narrow window narrower while a wide tab is in front, and wide again afterwards.
void DockLayout::fitLeft() {
  if (!left_->narrow() || left_->folded() || left_dock_->isHidden()) return;
  const int now = leftWidthNow();
  const bool was_squeezed = std::exchange(squeezed_, now < leftWidth(window_.width()));
  if (left_dock_->width() > now || was_squeezed) window_.resizeDocks({left_dock_}, {now}, Qt::Horizontal);
}

void DockLayout::showTabsWithContent() {
  for (const auto& [name, tab] : by_name_) {
    if (!tab.has_content || !tab.has_content()) continue;
    QTabWidget& group = tabs(tab.side);
    group.setTabVisible(group.indexOf(tab.panel), true);
  }
  fitTabs();
}

/// Reduces the padding of the bottom tabs if they would not fit next to each other. Tabs that do not fit even
/// then are reached with the arrow buttons of the tab bar.
void DockLayout::fitTabs() {
  constexpr int least = 4, most = 12;  // in pixels
  QTabBar& bar = *bottom_tabs_->tabBar();
  int texts = 0, count = 0;
  for (int at = 0; at < bar.count(); ++at) {
    if (!bar.isTabVisible(at)) continue;
    texts += bar.fontMetrics().horizontalAdvance(bar.tabText(at)) + 1;
    ++count;
  }
  const int padding = std::clamp((bottom_tabs_->width() - texts) / std::max(1, 2 * count), least, most);
  // The style sheet of the bar does not affect the panels.
  if (std::exchange(tab_padding_, padding) != padding)
    bar.setStyleSheet(QString("QTabBar::tab { padding: 6px %1px; }").arg(padding));
}

void DockLayout::show(const QString& name) {
  const Tab& tab = by_name_.at(name);
  tabs(tab.side).setCurrentWidget(tab.panel);
  if (name == "tune") left_->propose(LeftSide::Part::network);  // Its rows are layers.
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

void DockLayout::followGraph() {
  if (!graphOpen()) {
    if (std::exchange(hidden_for_graph_, false)) right_->show();
  } else if (!right_->isHidden()) {
    hidden_for_graph_ = true;
    right_->hide();
  }
}

bool DockLayout::graphOpen() const {
  const auto& report = workspace_.results().report();
  return report && report->scene.triples;
}

void DockLayout::followWidth() {
  left_->setNarrow(window_.width() < narrow_below);
  fitHeight();
}

/// The call is queued, because the panel does not have its final layout yet.
void DockLayout::fitHeight() {
  QMetaObject::invokeMethod(this, &DockLayout::fitHeightNow, Qt::QueuedConnection);
}

bool DockLayout::eventFilter(QObject* watched, QEvent* event) {
  if (watched == bottom_tabs_ && (event->type() == QEvent::Resize || event->type() == QEvent::FontChange))
    QMetaObject::invokeMethod(this, &DockLayout::fitTabs, Qt::QueuedConnection);
  if (watched == &window_ && event->type() == QEvent::MouseButtonPress &&
      window_.isSeparator(static_cast<QMouseEvent*>(event)->position().toPoint())) {
    bottom_height_.pressed = bottom_->height();
  } else if (watched == &window_ && event->type() == QEvent::MouseButtonRelease && bottom_height_.pressed) {
    // The call is queued, because the window moves the edge after this event.
    const auto released = [this, before = *bottom_height_.pressed] {
      bottom_height_.own = bottom_height_.own || bottom_->height() != before;
    };
    QMetaObject::invokeMethod(this, released, Qt::QueuedConnection);
    bottom_height_.pressed.reset();
  }
  return QObject::eventFilter(watched, event);
}

void DockLayout::fitHeightNow() {
  if (bottom_->isHidden() || bottom_height_.own || name_ == "compare") return;
  const auto selected = std::find_if(by_name_.begin(), by_name_.end(), [this](const auto& one) {
    return one.second.panel == bottom_tabs_->currentWidget();
  });
  if (selected == by_name_.end() || !selected->second.missing_height) {
    // Keep the height if the user changed it.
    const bool grown = bottom_height_.before_growth > 0 && bottom_->height() > bottom_height_.before_growth &&
                       bottom_->height() <= bottom_height_.after_growth;
    if (grown) window_.resizeDocks({bottom_}, {bottom_height_.before_growth}, Qt::Vertical);
    bottom_height_.before_growth = bottom_height_.after_growth = 0;
    return;
  }
  constexpr int min_centre = 110;  // in pixels
  const int spare = window_.centralWidget()->height() - std::max(min_centre, window_.height() / 4);
  const int missing = selected->second.missing_height();
  // A tab that needed more height before, for example because another part was visible, gives it back.
  const int grown = bottom_height_.before_growth > 0 ? bottom_->height() - bottom_height_.before_growth : 0;
  const int more = missing < 0 ? std::max(missing, -std::max(0, grown)) : std::min(missing, spare);
  if (more == 0 || (missing > 0 && more < 0)) return;
  if (bottom_height_.before_growth == 0) bottom_height_.before_growth = bottom_->height();
  bottom_height_.after_growth = bottom_->height() + more;
  window_.resizeDocks({bottom_}, {bottom_height_.after_growth}, Qt::Vertical);
}

void DockLayout::arrange(const QString& layout) {
  name_ = layout;
  bottom_height_.own = false;
  if (layout == "explore") return explore();
  if (layout == "compare") return compare();
  if (layout == "learn") return learn();
  name_ = "profile";
  profile();
}

void DockLayout::makeRoomForResults() {
  name_ == "compare" ? compare() : profile();
}

/// Returns the width of one side dock: a quarter of the window, within limits. The centre then keeps half of
/// the window.
int DockLayout::sideWidth() const {
  return std::clamp(window_.width() / 4, 272, 368);
}

void DockLayout::explore() {
  emit sideBySideRequested(false);
  followWidth();
  left_dock_->show();
  right_->show();
  bottom_->hide();
  followGraph();
  if (right_->isHidden())
    return window_.resizeDocks({left_dock_}, {leftWidth(window_.width())}, Qt::Horizontal);
  window_.resizeDocks({left_dock_, right_}, {leftWidth(window_.width()), sideWidth()}, Qt::Horizontal);
}

void DockLayout::profile() {
  explore();
  bottom_->show();
  fitLeft();
  if (bottom_height_.own) return;
  // Height of the results in percent of the window height. It is larger for a recorded run, because there are
  // no voxels to draw. The page of a graph has its own charts.
  const bool recorded = workspace_.results().report() != nullptr;
  const int share = graphOpen() ? 43 : recorded ? 55 : 36;
  // Minimum height of the charts, in pixels. The layers and stages of a recorded run are in the centre.
  const int least = recorded ? 208 : 232;
  // The density panel, the menus and the toolbar above the results need this height, in pixels.
  constexpr int above = 420;
  const int height = std::min(window_.height() * share / 100, window_.height() - above);
  window_.resizeDocks({bottom_}, {std::max(least, height)}, Qt::Vertical);
  bottom_height_.before_growth = bottom_height_.after_growth = 0;
  fitHeight();
}

/// Arranges the "compare" layout: both scenes, sharing one camera, and the comparison table below them.
void DockLayout::compare() {
  profile();
  left_dock_->hide();
  right_->hide();
  hidden_for_graph_ = false;
  emit sideBySideRequested(true);
  show("compare");
  constexpr int share = 50;  // Height of the results in percent of the window height.
  window_.resizeDocks({bottom_}, {window_.height() * share / 100}, Qt::Vertical);
}

/// Arranges the "learn" layout: the 3D view, and the panel for one offset or one voxel next to it.
void DockLayout::learn() {
  emit sideBySideRequested(false);
  left_dock_->hide();
  bottom_->hide();
  right_->show();
  constexpr int wide = 440;
  window_.resizeDocks({right_}, {std::min(wide, window_.width() * 2 / 5)}, Qt::Horizontal);
}

void DockLayout::hideAll() {
  emit sideBySideRequested(false);
  for (QDockWidget* dock : {left_dock_, right_, bottom_})
    dock->hide();
}

void DockLayout::restoreDefault() {
  if (window_.isFullScreen() || window_.isMaximized()) window_.showNormal();
  window_.resize(
      firstSize(window_.screen()->availableSize(), window_.frameGeometry().size() - window_.size()));
  right_tabs_->setCurrentIndex(0);
  bottom_tabs_->setCurrentIndex(0);
  left_->setOpened("network");
  arrange("profile");
}

DockLayout::State DockLayout::state() const {
  return {window_.saveState(docks_version),
          name_,
          right_tabs_->currentIndex(),
          bottom_tabs_->currentIndex(),
          bottom_height_.own,
          hidden_for_graph_ && right_->isHidden()};
}

bool DockLayout::restore(const State& state) {
  name_ = state.layout;
  bottom_height_.own = state.own_height;
  emit sideBySideRequested(name_ == "compare");
  const bool restored = window_.restoreState(state.docks, docks_version);
  if (state.hidden_for_graph) right_->show();
  followGraph();
  right_tabs_->setCurrentIndex(std::clamp(state.right_tab, 0, right_tabs_->count() - 1));
  bottom_tabs_->setCurrentIndex(std::clamp(state.bottom_tab, 0, bottom_tabs_->count() - 1));
  return restored;
}

}  // namespace spira::ui
