#include "ui/features/layout/window_layouts.hpp"

#include <QtGlobal>

#include <array>

namespace spira::ui {
namespace {

constexpr auto layout_table = std::to_array<CommandFacts>({
    {"view.table", QT_TRANSLATE_NOOP("Command", "Show chart as table"), "Ctrl+Shift+T",
     QT_TRANSLATE_NOOP("Command", "Switch the visible chart between graphic and table"), 910, Menu::view, 1},
    {"view.full_screen", QT_TRANSLATE_NOOP("Command", "Full screen"), "F11", "", 930, Menu::view, 1},
    {"layout.explore", QT_TRANSLATE_NOOP("Command", "Layout: explore"), "Ctrl+Alt+1",
     QT_TRANSLATE_NOOP("Command", "Show the 3D view with both side panels and without results"), 1430,
     Menu::window, 1},
    {"layout.profile", QT_TRANSLATE_NOOP("Command", "Layout: profile"), "Ctrl+Alt+2",
     QT_TRANSLATE_NOOP("Command", "Show all views, with the results at the bottom"), 1440, Menu::window, 1},
    {"layout.compare", QT_TRANSLATE_NOOP("Command", "Layout: compare"), "Ctrl+Alt+3",
     QT_TRANSLATE_NOOP("Command", "Show the results in half of the window, next to the layers"), 1450,
     Menu::window, 1},
    {"layout.learn", QT_TRANSLATE_NOOP("Command", "Layout: learn"), "Ctrl+Alt+4",
     QT_TRANSLATE_NOOP("Command", "Show a large 3D view and a wide side panel"), 1460, Menu::window, 1},
    {"layout.save_as", QT_TRANSLATE_NOOP("Command", "Save layout as..."), "",
     QT_TRANSLATE_NOOP("Command", "Save panels, tabs and sizes under a name"), 1470, Menu::window, 1,
     Opens::dialog},
    {"layout.manage", QT_TRANSLATE_NOOP("Command", "Manage layouts..."), "",
     QT_TRANSLATE_NOOP("Command", "Apply, rename and delete saved layouts"), 1480, Menu::window, 1,
     Opens::dialog},
    {"layout.restore", QT_TRANSLATE_NOOP("Command", "Restore default layout"), "",
     QT_TRANSLATE_NOOP("Command", "Reset panels to their initial size and position"), 1490, Menu::window, 1},
    {"window.left", QT_TRANSLATE_NOOP("Command", "Show scenes and network"), "", "", 1500, Menu::window, 2},
    {"window.right", QT_TRANSLATE_NOOP("Command", "Show density and voxel"), "", "", 1510, Menu::window, 2},
    {"window.bottom", QT_TRANSLATE_NOOP("Command", "Show results"), "", "", 1520, Menu::window, 2},
    {"window.show_scenes", QT_TRANSLATE_NOOP("Command", "Go to Scenes"), "", "", 1530, Menu::window, 2},
    {"window.show_network", QT_TRANSLATE_NOOP("Command", "Go to Network"), "", "", 1540, Menu::window, 2},
    {"window.show_density", QT_TRANSLATE_NOOP("Command", "Go to Density"), "", "", 1550, Menu::window, 2},
    {"window.show_voxel", QT_TRANSLATE_NOOP("Command", "Go to Voxel"), "", "", 1560, Menu::window, 2},
    {"window.show_colour", QT_TRANSLATE_NOOP("Command", "Go to Colour"), "", "", 1570, Menu::window, 2},
    {"window.show_points", QT_TRANSLATE_NOOP("Command", "Go to Points"), "", "", 1580, Menu::window, 2},
    {"window.show_summary", QT_TRANSLATE_NOOP("Command", "Go to Summary"), "", "", 1590, Menu::window, 2},
    {"window.show_breakdown", QT_TRANSLATE_NOOP("Command", "Go to Breakdown"), "", "", 1600, Menu::window, 2},
    {"window.show_sweeps", QT_TRANSLATE_NOOP("Command", "Go to Sweeps"), "", "", 1610, Menu::window, 2},
    {"window.show_timeline", QT_TRANSLATE_NOOP("Command", "Go to Timeline"), "", "", 1620, Menu::window, 2},
    {"window.show_map", QT_TRANSLATE_NOOP("Command", "Go to Kernel map"), "", "", 1630, Menu::window, 2},
    {"window.show_compare", QT_TRANSLATE_NOOP("Command", "Go to Compare"), "", "", 1640, Menu::window, 2},
    {"window.show_tune", QT_TRANSLATE_NOOP("Command", "Go to Tune"), "", "", 1650, Menu::window, 2},
    {"window.show_log", QT_TRANSLATE_NOOP("Command", "Go to Log"), "", "", 1660, Menu::window, 2},
    {"window.show_survey", QT_TRANSLATE_NOOP("Command", "Go to Survey"), "", "", 1670, Menu::window, 2},
});

}  // namespace

std::span<const CommandFacts> layout_commands() noexcept {
  return layout_table;
}

}  // namespace spira::ui
