// Standard functions of a desktop program: settings, shortcuts, recent files, undo, help and diagnostics.
#include "ui/charts/chart.hpp"
#include "ui/features/help/command_palette.hpp"
#include "ui/features/help/diagnostics_dialog.hpp"
#include "ui/features/help/help_window.hpp"
#include "ui/features/layout/layout_menu.hpp"
#include "ui/features/open/empty_page.hpp"
#include "ui/features/session/recovery.hpp"
#include "ui/features/settings/settings_dialog.hpp"
#include "ui/features/settings/shortcuts_dialog.hpp"
#include "ui/features/sweep/sweep_panel.hpp"
#include "ui/jobs/frame_player.hpp"
#include "ui/jobs/parameter_history.hpp"
#include "ui/model/undo_step.hpp"
#include "ui/panels/density_panel.hpp"
#include "ui/panels/log_panel.hpp"
#include "ui/panels/network_panel.hpp"
#include "ui/panels/profile/breakdown_panel.hpp"
#include "ui/panels/profile/summary_panel.hpp"
#include "ui/panels/profile/timeline_panel.hpp"
#include "ui/panels/scene/colour_panel.hpp"
#include "ui/panels/scene/points_panel.hpp"
#include "ui/panels/scene/scenes_panel.hpp"
#include "ui/panels/scene/voxel_panel.hpp"
#include "ui/settings/settings.hpp"
#include "ui/theme/focus_ring.hpp"
#include "ui/view3d/scene_view.hpp"
#include "ui/window/application.hpp"
#include "ui/window/main_window.hpp"

#include <QApplication>
#include <QFileInfo>
#include <QMenu>
#include <QTabWidget>

#include <algorithm>
#include <utility>

namespace spira::ui {

void MainWindow::bindDeskCommands() {
  connect(commands_, &CommandSet::failed, this, &MainWindow::showFault);
  if (const auto* application = qobject_cast<Application*>(QCoreApplication::instance()))
    connect(application, &Application::failed, this, &MainWindow::showFault);
  commands_->takeKeys(settings_->keys());
  connect(commands_, &CommandSet::keysChanged, this,
          [this] { settings_->setKeys(commands_->changedKeys()); });
  commands_->bind("edit.shortcuts", [this] { ShortcutsDialog(commands_, this).exec(); });
  commands_->bind("edit.settings", [this] {
    SettingsDialog dialog(settings_, this);
    connect(&dialog, &SettingsDialog::keysRequested, &dialog,
            [this, &dialog] { ShortcutsDialog(commands_, &dialog).exec(); });
    dialog.exec();
  });
  for (const char* theme : {"system", "light", "dark", "contrast"}) {
    QAction* action = commands_->action(QString("theme.") + theme);
    action->setCheckable(true);
    commands_->bind(action->objectName(), [this, theme] {
      // Call this even if the setting does not change, because the command line may have set another theme.
      theme_->choose(theme_choice(theme));
      settings_->set("look.theme", theme);
    });
    connect(theme_, &Theme::changed, action,
            [this, action, theme] { action->setChecked(theme_->choice() == theme_choice(theme)); });
  }
  commands_->bind("help.palette", [this] {
    CommandPalette palette(commands_, this);
    palette.setFiles(recent_.files());
    palette.setActions(own_layouts_->actions());
    connect(&palette, &CommandPalette::openRequested, this, [this](const QString& file) { open(file); });
    palette.exec();
  });
  commands_->bind(
      "view.table", [this] { chartInSight()->showTable(!chartInSight()->tableShown()); },
      [this] { return chartInSight() != nullptr ? QString() : tr("no visible chart has numbers"); });
  for (const QTabWidget* tabs :
       {&layout_->tabs(DockLayout::Side::right), &layout_->tabs(DockLayout::Side::bottom)})
    connect(tabs, &QTabWidget::currentChanged, commands_, &CommandSet::refreshSoon);
  commands_->bind("help.open", [this] { help(); });
  commands_->bind("help.diagnostics", [this] { DiagnosticsDialog(facts(), this).exec(); });
  bindRecentFiles();
  bindUndo();
  setHelpPlaces();
  new FocusRing(theme_, this);
}

void MainWindow::bindRecentFiles() {
  commands_->bind(
      "file.clear_recent",
      [this] {
        recent_.clear();
        // The stored camera and colours of the scenes must be deleted together with the list.
        memory_.clear();
        showRecent();
      },
      [this] {
        for (const RecentFile& file : recent_.all()) {
          if (!file.pinned) return QString();
        }
        return tr("all recent files are pinned");
      });
  connect(scenes_, &ScenesPanel::pinRequested, this, [this](const QString& file, bool pinned) {
    recent_.setPinned(file, pinned);
    showRecent();
  });
  connect(scenes_, &ScenesPanel::forgetRequested, this, [this](const QString& file) {
    const std::vector<RecentFile>& all = recent_.all();
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const RecentFile& one) { return one.path == file; });
    if (found == all.end()) return;
    const auto forget = [this, file] {
      recent_.remove(file);
      memory_.forget(file);  // Also delete the stored camera and colours of the file.
      showRecent();
    };
    const auto put_back = [this, entry = *found, place = static_cast<int>(found - all.begin()),
                           look = memory_.of(file)] {
      recent_.put(entry, place);
      if (!look.isEmpty()) memory_.keep(entry.path, look);
      showRecent();
    };
    forget();
    history_->stack()->push(
        new UndoStep(tr("remove %1 from the list").arg(QFileInfo(file).fileName()), put_back, forget));
  });
}

/// The menu, the palette and the tooltips show the name of the step.
void MainWindow::bindUndo() {
  QUndoStack* stack = history_->stack();
  commands_->bind(
      "edit.undo", [stack] { stack->undo(); },
      [this, stack] {
        if (history_->paused()) return tr("changes made by a lesson are undone when you leave it");
        return stack->canUndo() ? QString() : tr("no changes since the scene was opened");
      });
  commands_->bind(
      "edit.redo", [stack] { stack->redo(); },
      [this, stack] {
        if (history_->paused()) return tr("changes made by a lesson are undone when you leave it");
        return stack->canRedo() ? QString() : tr("nothing to redo");
      });
  const auto follow = [this, stack] {
    const auto named = [](const QString& verb, const QString& what) {
      return what.isEmpty() ? verb : verb + " " + what;
    };
    commands_->action("edit.undo")->setText(named(tr("Undo"), stack->undoText()));
    commands_->action("edit.redo")->setText(named(tr("Redo"), stack->redoText()));
    commands_->refreshSoon();
  };
  connect(stack, &QUndoStack::indexChanged, this, follow);
}

ColourLook MainWindow::usualLook() const {
  const QString map = settings_->text("look.colour_map");
  ColourLook look;
  look.map = map == "cividis" ? ColourMap::cividis : map == "bands" ? ColourMap::bands : ColourMap::viridis;
  return look;
}

/// Applies only settings that changed, so that a look from the command line, a lesson or the classroom mode
/// stays.
void MainWindow::followSettings() {
  const FollowedLook now{settings_->text("look.colour_map"), settings_->text("look.theme"),
                         settings_->whole("look.text_percent")};
  const FollowedLook before = std::exchange(followed_, now);
  if (before.colour_map != now.colour_map) {
    ColourLook look = selection_->look();
    look.map = usualLook().map;
    selection_->setLook(look);
  }
  if (before.text_percent != now.text_percent) theme_->setTextPercent(now.text_percent);
  if (before.theme != now.theme) theme_->choose(theme_choice(now.theme));
  const bool calm = settings_->truth("look.reduced_motion");
  setAnimated(!calm);
  for (const Qt::UIEffect effect : {Qt::UI_AnimateMenu, Qt::UI_FadeMenu, Qt::UI_AnimateCombo,
                                    Qt::UI_AnimateTooltip, Qt::UI_FadeTooltip, Qt::UI_AnimateToolBox})
    QApplication::setEffectEnabled(effect, !calm);
  player_->setCalm(calm);
  followMeasuring();
  recovery_->set(settings_->truth("recovery.on"), settings_->whole("recovery.seconds"));
}

/// Shows which settings files could not be read or written. The window still works.
void MainWindow::showNotices() {
  QStringList notices;
  for (const QString& notice : {settings_->notice(), recent_.notice(), memory_.notice(),
                                own_layouts_->layouts().notice(), window_file_.notice()}) {
    if (notice.isEmpty()) continue;
    workspace_->addLog(notice);
    notices += notice;
  }
  if (!notices.isEmpty()) notices_->showNote(tr("A settings file could not be used"), notices.join("\n"));
}

void MainWindow::showRecent() {
  empty_->setRecent(recent_.all());
  scenes_->setRecent(recent_.all());
  commands_->refreshSoon();
}

QMenu* MainWindow::makeRecentMenu() {
  auto* menu = new QMenu(tr("Open recent"), this);
  menu->setObjectName("openRecent");
  menu->setToolTipsVisible(true);
  connect(menu, &QMenu::aboutToShow, this, [this, menu] {
    menu->clear();
    for (const RecentFile& file : recent_.all()) {
      const QFileInfo info(file.path);
      const QString name = QString(info.fileName()).replace('&', "&&");
      QAction* action = menu->addAction(file.pinned ? tr("\u2605 %1").arg(name) : name, this,
                                        [this, path = file.path] { open(path); });
      action->setEnabled(info.exists());
      action->setToolTip(info.exists() ? file.path : tr("%1\nfile not found").arg(file.path));
    }
    if (recent_.all().empty()) menu->addAction(tr("No recent files"))->setEnabled(false);
    menu->addSeparator();
    menu->addAction(commands_->action("file.clear_recent"));
  });
  return menu;
}

/// Returns the chart of the focused panel, else the first visible chart, else `nullptr`.
Chart* MainWindow::chartInSight() const {
  Chart* in_sight = nullptr;
  for (Chart* chart : findChildren<Chart*>()) {
    if (!chart->isVisible() || !chart->hasContent()) continue;
    for (QWidget* at = QApplication::focusWidget(); at != nullptr && at != this; at = at->parentWidget()) {
      if (at == chart || (qobject_cast<Panel*>(at) != nullptr && at->isAncestorOf(chart))) return chart;
    }
    if (in_sight == nullptr) in_sight = chart;
  }
  return in_sight;
}

void MainWindow::setHelpPlaces() {
  for (const auto& [view, place] :
       std::initializer_list<std::pair<QWidget*, const char*>>{{scenes_, "window#Scenes"},
                                                               {network_, "window#Network"},
                                                               {view_, "window#3D view"},
                                                               {density_, "window#Density"},
                                                               {voxel_, "window#Voxel"},
                                                               {colour_, "exploring#Colours"},
                                                               {points_, "window#Points"},
                                                               {summary_, "window#Summary"},
                                                               {breakdown_, "window#Breakdown"},
                                                               {sweep_, "window#Sweeps"},
                                                               {timeline_, "window#Timeline"},
                                                               {log_, "window#Log"}})
    set_help(view, place);
}

void MainWindow::help() {
  if (help_ == nullptr) help_ = new HelpWindow(commands_, this);
  help_->showFor(QApplication::focusWidget());
}

}  // namespace spira::ui
