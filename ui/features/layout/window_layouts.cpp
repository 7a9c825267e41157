#include "ui/features/layout/window_layouts.hpp"

#include "ui/charts/chart.hpp"
#include "ui/features/file_dialogs.hpp"
#include "ui/features/layout/dock_layout.hpp"
#include "ui/features/layout/left_side.hpp"
#include "ui/model/selection.hpp"
#include "ui/model/workspace.hpp"
#include "ui/panels/panel.hpp"
#include "ui/settings/settings.hpp"

#include <QApplication>
#include <QDockWidget>
#include <QMainWindow>
#include <QTabWidget>

#include <utility>

namespace spira::ui {

WindowLayouts::WindowLayouts(const FeatureContext& context, DockLayout& docks, const QString& state_folder)
    : QObject(&context.window), context_(context), docks_(docks) {
  if (!state_folder.isEmpty()) file_ = {state_folder + "/window.json", "spirascope.window", 1};
  bindLayouts();
  bindLeftSide();
  bindCharts();
  connect(&context.workspace, &Workspace::reportChanged, &docks, &DockLayout::makeRoomForResults);
  connect(&context.selection, &Selection::voxelChosen, &docks, [&docks] { docks.show("voxel"); });
  connect(&context.selection, &Selection::columnsChanged, this, [this] {
    if (!context_.selection.columns().empty()) docks_.show("density");
  });
}

void WindowLayouts::bindLayouts() {
  using Side = DockLayout::Side;
  CommandSet& commands = context_.commands;
  for (const char* name : {"explore", "profile", "compare", "learn"})
    commands.bind(QString("layout.%1").arg(name), [this, name] { docks_.arrange(name); });
  commands.bind("layout.restore", [this] { docks_.restoreDefault(); });
  for (const auto& [id, side] : {std::pair{"window.right", Side::right}, {"window.bottom", Side::bottom}}) {
    QDockWidget* dock = &docks_.dock(side);
    QAction* action = commands.action(id);
    action->setCheckable(true);
    commands.bind(id, [dock] { dock->setVisible(dock->isHidden()); });
    connect(dock, &QDockWidget::visibilityChanged, action,
            [action, dock] { action->setChecked(!dock->isHidden()); });
  }
  for (const char* name : {"density", "voxel", "colour", "points", "summary", "breakdown", "sweeps",
                           "timeline", "map", "compare", "tune", "log", "survey"})
    commands.bind(QString("window.show_%1").arg(name), [this, name] { docks_.enter(name); });
  commands.bind("view.full_screen", [&window = context_.window] {
    window.isFullScreen() ? window.showNormal() : window.showFullScreen();
  });
}

/// Implements the command that hides the left side. In a narrow window, the command reduces the left side to
/// its icons instead.
void WindowLayouts::bindLeftSide() {
  CommandSet& commands = context_.commands;
  LeftSide* left = &docks_.left();
  QDockWidget* dock = &docks_.leftDock();
  QAction* action = commands.action("window.left");
  action->setCheckable(true);
  commands.bind("window.left", [left, dock] {
    const bool open = !dock->isHidden() && !left->folded();
    if (!left->narrow()) return dock->setVisible(!open);
    dock->show();
    open ? left->fold() : left->openLast();
  });
  for (const auto& [id, part] : {std::pair{"window.show_scenes", LeftSide::Part::scenes},
                                 {"window.show_network", LeftSide::Part::network}}) {
    commands.bind(id, [left, dock, part = part] {
      dock->show();
      left->narrow() ? left->open(part) : left->enter(part);
    });
  }
  const auto follow = [left, dock, action] { action->setChecked(!dock->isHidden() && !left->folded()); };
  connect(dock, &QDockWidget::visibilityChanged, action, follow);
  connect(left, &LeftSide::roomChanged, action, follow);
}

void WindowLayouts::bindCharts() {
  CommandSet& commands = context_.commands;
  commands.bind(
      "view.table", [this] { chartInSight()->showTable(!chartInSight()->tableShown()); },
      [this] { return chartInSight() != nullptr ? QString() : tr("no visible chart has data"); });
  for (const auto side : {DockLayout::Side::right, DockLayout::Side::bottom})
    connect(&docks_.tabs(side), &QTabWidget::currentChanged, &commands, &CommandSet::refreshSoon);
}

/// Returns the chart of the focused panel. If it has none, returns the first visible chart, or `nullptr` if
/// no chart is visible.
Chart* WindowLayouts::chartInSight() const {
  const QMainWindow* window = &context_.window;
  Chart* in_sight = nullptr;
  for (Chart* chart : window->findChildren<Chart*>()) {
    if (!chart->isVisible() || !chart->hasContent()) continue;
    for (QWidget* at = QApplication::focusWidget(); at != nullptr && at != window; at = at->parentWidget()) {
      if (at == chart || (qobject_cast<Panel*>(at) != nullptr && at->isAncestorOf(chart))) return chart;
    }
    if (in_sight == nullptr) in_sight = chart;
  }
  return in_sight;
}

void WindowLayouts::restore() {
  if (file_.path().isEmpty()) return;
  const QJsonObject kept = file_.read();
  context_.dialogs.setFolder(kept["last_folder"].toString());
  if (!context_.settings.truth("window.remember")) return;
  const auto bytes = [&](const char* key) {
    return QByteArray::fromBase64(kept[QLatin1String(key)].toString().toLatin1());
  };
  if (!context_.window.restoreGeometry(bytes("geometry"))) return;
  docks_.left().setOpened(kept["left_opened"].toString());
  docks_.arrange(kept["layout"].toString());
  // Restoring the docks fails if another version saved them. Then only the layout is restored.
  restored_ =
      docks_.restore({bytes("docks"), docks_.name(), kept["right_tab"].toInt(), kept["bottom_tab"].toInt()});
}

void WindowLayouts::keep() {
  if (file_.path().isEmpty()) return;
  const DockLayout::State state = docks_.state();
  file_.write({{"geometry", QString::fromLatin1(context_.window.saveGeometry().toBase64())},
               {"docks", QString::fromLatin1(state.docks.toBase64())},
               {"layout", state.layout},
               {"left_opened", docks_.left().opened()},
               {"last_folder", context_.dialogs.folder()},
               {"right_tab", state.right_tab},
               {"bottom_tab", state.bottom_tab}});
}

void WindowLayouts::arrangeShown() {
  if (!restored_) docks_.arrange(docks_.name());
}

}  // namespace spira::ui
