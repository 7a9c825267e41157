#include "ui/features/lessons/classroom.hpp"

#include "ui/settings/settings.hpp"
#include "ui/view3d/scene_view.hpp"
#include "ui/view3d/view_bars.hpp"
#include "ui/window/main_window.hpp"

#include <QMenuBar>
#include <QStatusBar>
#include <QToolBar>

namespace spira::ui {
namespace {

constexpr int larger = 150;  // Text size relative to the setting, in percent.

/// Gives the menu bar a height of 0 instead of hiding it, because the shortcuts of a hidden menu bar do not
/// work.
void show_frame(MainWindow& window, bool shown) {
  window.menuBar()->setMaximumHeight(shown ? QWIDGETSIZE_MAX : 0);
  window.statusBar()->setVisible(shown);
  window.sceneView().topBar()->setVisible(shown);
  if (auto* bar = window.findChild<QToolBar*>("toolbar")) bar->setVisible(shown);
}

}  // namespace

void enter_classroom(MainWindow& window) {
  show_frame(window, false);
  window.theme().setTextPercent(window.settings().whole("look.text_percent") * larger / 100);
  ColourLook look = window.selection().look();
  look.map = ColourMap::bands;
  window.selection().setLook(look);
}

void leave_classroom(MainWindow& window) {
  show_frame(window, true);
  window.theme().setTextPercent(window.settings().whole("look.text_percent"));
}

}  // namespace spira::ui
