// Layouts of the docks, and restoring the window from the last run of the program.
#include "ui/features/layout/layout_menu.hpp"
#include "ui/features/layout/left_side.hpp"
#include "ui/panels/profile/breakdown_bars.hpp"
#include "ui/panels/profile/breakdown_panel.hpp"
#include "ui/settings/settings.hpp"
#include "ui/window/main_window.hpp"

#include <QCheckBox>
#include <QDockWidget>

namespace spira::ui {
void MainWindow::bindLayoutCommands() {
  commands_->bind("layout.explore", [this] { layout_->arrange("explore"); });
  commands_->bind("layout.profile", [this] { layout_->arrange("profile"); });
  commands_->bind("layout.compare", [this] { layout_->arrange("compare"); });
  commands_->bind("layout.learn", [this] { layout_->arrange("learn"); });
  commands_->bind("layout.restore", [this] { layout_->restoreDefault(); });
  own_layouts_->bindCommands();
  for (const auto& [id, dock] : {std::pair{"window.right", &layout_->dock(DockLayout::Side::right)},
                                 {"window.bottom", &layout_->dock(DockLayout::Side::bottom)}}) {
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
  LeftSide* left = &layout_->left();
  QDockWidget* dock = &layout_->leftDock();
  action->setCheckable(true);
  commands_->bind("window.left", [left, dock] {
    const bool open = !dock->isHidden() && !left->folded();
    if (!left->narrow()) return dock->setVisible(!open);
    dock->show();
    open ? left->fold() : left->openLast();
  });
  for (const auto& [id, part] : {std::pair{"window.show_scenes", LeftSide::Part::scenes},
                                 {"window.show_network", LeftSide::Part::network}}) {
    commands_->bind(id, [left, dock, part = part] {
      dock->show();
      left->narrow() ? left->open(part) : left->enter(part);
    });
  }
  const auto follow = [left, dock, action] { action->setChecked(!dock->isHidden() && !left->folded()); };
  connect(dock, &QDockWidget::visibilityChanged, action, follow);
  connect(left, &LeftSide::roomChanged, action, follow);
}

void MainWindow::resizeEvent(QResizeEvent* event) {
  QMainWindow::resizeEvent(event);
  layout_->followWidth();
}

/// Sets the sizes of the docks after the first show event, because the window has no size before it.
void MainWindow::showEvent(QShowEvent* event) {
  QMainWindow::showEvent(event);
  if (!shown_ && !as_left_)
    QMetaObject::invokeMethod(
        this, [this] { layout_->arrange(layout_->name()); }, Qt::QueuedConnection);
  shown_ = true;
}

void MainWindow::bindTabCommands() {
  for (const char* name : {"density", "voxel", "colour", "points", "summary", "breakdown", "sweeps",
                           "timeline", "map", "compare", "tune", "log", "survey"})
    commands_->bind(QString("window.show_%1").arg(name), [this, name] { layout_->enter(name); });
  commands_->bind(
      "view.in_situ", [this] { breakdown_->inSitu()->toggle(); },
      [this] { return why_not_in_situ(*workspace_); });
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
  layout_->left().setOpened(kept["left_opened"].toString());
  layout_->arrange(kept["layout"].toString());
  // Fails if another version saved the docks. Then only the layout is restored.
  as_left_ = layout_->restore(
      {bytes("docks"), layout_->name(), kept["right_tab"].toInt(), kept["bottom_tab"].toInt()});
}

void MainWindow::keepWindow() {
  if (state_folder_.isEmpty()) return;
  const DockLayout::State state = layout_->state();
  window_file_.write({{"geometry", QString::fromLatin1(saveGeometry().toBase64())},
                      {"docks", QString::fromLatin1(state.docks.toBase64())},
                      {"layout", state.layout},
                      {"left_opened", layout_->left().opened()},
                      {"last_folder", file_dialogs_.folder()},
                      {"right_tab", state.right_tab},
                      {"bottom_tab", state.bottom_tab}});
}

}  // namespace spira::ui
