// Layouts of the docks, and restoring the window from the last run of the program.
#include "engine/network/weights.hpp"
#include "ui/features/compare/compare_panel.hpp"
#include "ui/features/compare/compared_scenes.hpp"
#include "ui/features/layout/layout_menu.hpp"
#include "ui/features/layout/left_side.hpp"
#include "ui/features/tune/profile_tools.hpp"
#include "ui/panels/profile/breakdown_bars.hpp"
#include "ui/panels/profile/breakdown_panel.hpp"
#include "ui/settings/settings.hpp"
#include "ui/theme/theme.hpp"
#include "ui/window/main_window.hpp"

#include <QCheckBox>
#include <QDockWidget>
#include <QFileInfo>
#include <QGuiApplication>
#include <QLayout>
#include <QScreen>
#include <QTabWidget>

#include <algorithm>
#include <array>

namespace spira::ui {
namespace {

constexpr int narrow_below = 1200;  // Width of the window in pixels below which the left side becomes a rail.

}  // namespace

void MainWindow::bindLayoutCommands() {
  commands_->bind("layout.explore", [this] { arrange("explore"); });
  commands_->bind("layout.profile", [this] { arrange("profile"); });
  commands_->bind("layout.compare", [this] { arrange("compare"); });
  commands_->bind("layout.learn", [this] { arrange("learn"); });
  commands_->bind("layout.restore", [this] { restoreDefaultLayout(); });
  own_layouts_->bindCommands();
  for (const auto& [id, dock] : {std::pair{"window.right", right_dock_}, {"window.bottom", bottom_dock_}}) {
    QAction* action = commands_->action(id);
    action->setCheckable(true);
    commands_->bind(id, [dock = dock] { dock->setVisible(dock->isHidden()); });
    connect(dock, &QDockWidget::visibilityChanged, action,
            [action, dock = dock] { action->setChecked(!dock->isHidden()); });
  }
  bindLeftSide();
  bindTabCommands();
}

/// In a narrow window, the left side folds to its rail instead of being hidden.
void MainWindow::bindLeftSide() {
  QAction* action = commands_->action("window.left");
  action->setCheckable(true);
  commands_->bind("window.left", [this] {
    const bool open = !left_dock_->isHidden() && !left_->folded();
    if (!left_->narrow()) return left_dock_->setVisible(!open);
    left_dock_->show();
    open ? left_->fold() : left_->openLast();
  });
  for (const auto& [id, part] : {std::pair{"window.show_scenes", LeftSide::Part::scenes},
                                 {"window.show_network", LeftSide::Part::network}}) {
    commands_->bind(id, [this, part = part] {
      left_dock_->show();
      left_->narrow() ? left_->open(part) : left_->enter(part);
    });
  }
  const auto follow = [this, action] { action->setChecked(!left_dock_->isHidden() && !left_->folded()); };
  connect(left_dock_, &QDockWidget::visibilityChanged, action, follow);
  connect(left_, &LeftSide::roomChanged, action, follow);
  const auto widen = [this] {
    if (left_->folded()) return;
    for (QLayout* limits : {left_dock_->layout(), layout()})
      limits->activate();  // The dock may now be wider than the rail.
    resizeDocks({left_dock_, right_dock_}, {sideWidth(), right_dock_->width()}, Qt::Horizontal);
  };
  // Queued, so that the window has its new size.
  connect(left_, &LeftSide::roomChanged, this, widen, Qt::QueuedConnection);
}

void MainWindow::resizeEvent(QResizeEvent* event) {
  QMainWindow::resizeEvent(event);
  left_->setNarrow(width() < narrow_below);
}

/// Sets the sizes of the docks after the first show event, because the window has no size before it.
void MainWindow::showEvent(QShowEvent* event) {
  QMainWindow::showEvent(event);
  if (!shown_ && !as_left_)
    QMetaObject::invokeMethod(
        this, [this] { arrange(layout_); }, Qt::QueuedConnection);
  shown_ = true;
}

/// Binds the commands that show a tab. The order of the names is the order of the tabs.
void MainWindow::bindTabCommands() {
  constexpr std::array right{"density", "voxel", "colour", "points"};
  constexpr std::array bottom{"summary", "breakdown", "sweeps", "timeline", "map",
                              "compare", "tune",      "log",    "survey"};
  const auto bind = [this](const auto& names, QDockWidget* dock, QTabWidget* tabs) {
    for (std::size_t at = 0; at < names.size(); ++at) {
      commands_->bind(QString("window.show_%1").arg(names[at]), [dock, tabs, at] {
        dock->show();
        tabs->setCurrentIndex(static_cast<int>(at));
        tabs->setFocus(Qt::ShortcutFocusReason);
      });
    }
  };
  bind(right, right_dock_, right_tabs_);
  bind(bottom, bottom_dock_, bottom_tabs_);
  commands_->bind(
      "view.in_situ", [this] { breakdown_->inSitu()->toggle(); },
      [this] { return in_situ_unavailable_reason(*workspace_); });
}

void MainWindow::arrange(const QString& layout) {
  layout_ = layout;
  if (layout == "explore") return explore();
  if (layout == "compare") return compare();
  if (layout == "learn") return learn();
  layout_ = "profile";
  profile();
}

/// At this width the centre keeps half of a narrow window.
int MainWindow::sideWidth() const {
  return std::clamp(width() / 4, 280, 368);
}

void MainWindow::explore() {
  compared_->setSideBySide(false);
  left_->setNarrow(width() < narrow_below);
  left_dock_->show();
  right_dock_->show();
  bottom_dock_->hide();
  resizeDocks({left_dock_, right_dock_}, {sideWidth(), sideWidth()}, Qt::Horizontal);
}

void MainWindow::profile() {
  explore();
  bottom_dock_->show();
  const int share = workspace_->report() ? 55 : 30;  // Percent of the height.
  constexpr int least = 232;                         // Minimum height for the charts, in pixels.
  resizeDocks({bottom_dock_}, {std::max(least, height() * share / 100)}, Qt::Vertical);
}

/// Shows both scenes with one camera, and the table of the comparison below them.
void MainWindow::compare() {
  profile();
  left_dock_->hide();
  right_dock_->hide();
  compared_->setSideBySide(true);
  bottom_tabs_->setCurrentWidget(profile_tools_->comparePanel());
  constexpr int share = 50;  // Percent of the height.
  resizeDocks({bottom_dock_}, {height() * share / 100}, Qt::Vertical);
}

/// Shows only the picture and, next to it, the panel for one offset or one voxel.
void MainWindow::learn() {
  compared_->setSideBySide(false);
  left_dock_->hide();
  bottom_dock_->hide();
  right_dock_->show();
  constexpr int wide = 440;
  resizeDocks({right_dock_}, {std::min(wide, width() * 2 / 5)}, Qt::Horizontal);
}

QSize MainWindow::firstSize(const QSize& available, const QSize& frame) {
  return QSize(1440, 900).boundedTo(available - frame).expandedTo(QSize(1024, 640));
}

void MainWindow::restoreDefaultLayout() {
  if (isFullScreen() || isMaximized()) showNormal();
  resize(firstSize(screen()->availableSize(), frameGeometry().size() - size()));
  right_tabs_->setCurrentIndex(0);
  bottom_tabs_->setCurrentIndex(0);
  left_->fold();
  arrange("profile");
}

void MainWindow::restoreWindow() {
  if (state_folder_.isEmpty()) return;
  const QJsonObject kept = window_file_.read();
  file_dialogs_.setFolder(kept["last_folder"].toString());
  if (!settings_->truth("window.remember")) return;
  const auto bytes = [&](const char* key) {
    return QByteArray::fromBase64(kept[QLatin1String(key)].toString().toLatin1());
  };
  if (!restoreGeometry(bytes("geometry"))) return;
  left_->setOpened(kept["left_opened"].toString());
  arrange(kept["layout"].toString());
  // Fails if another version saved the docks. Then only the layout is restored.
  as_left_ = restoreState(bytes("docks"), docks_version);
  right_tabs_->setCurrentIndex(std::clamp(kept["right_tab"].toInt(), 0, right_tabs_->count() - 1));
  bottom_tabs_->setCurrentIndex(std::clamp(kept["bottom_tab"].toInt(), 0, bottom_tabs_->count() - 1));
}

void MainWindow::keepWindow() {
  if (state_folder_.isEmpty()) return;
  window_file_.write({{"geometry", QString::fromLatin1(saveGeometry().toBase64())},
                      {"docks", QString::fromLatin1(saveState(docks_version).toBase64())},
                      {"layout", layout_},
                      {"left_opened", left_->opened()},
                      {"last_folder", file_dialogs_.folder()},
                      {"right_tab", right_tabs_->currentIndex()},
                      {"bottom_tab", bottom_tabs_->currentIndex()}});
}

}  // namespace spira::ui
