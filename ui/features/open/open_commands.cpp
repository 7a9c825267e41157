#include "ui/features/open/opening.hpp"

#include <QtGlobal>

#include <array>

namespace spira::ui {
namespace {

constexpr auto open_table = std::to_array<CommandFacts>({
    {"file.open", QT_TRANSLATE_NOOP("Command", "Open scene..."), "Ctrl+O",
     QT_TRANSLATE_NOOP("Command", "Open a point cloud file"), 10, Menu::file, 1, Opens::dialog},
    {"file.open_as", QT_TRANSLATE_NOOP("Command", "Open as..."), "",
     QT_TRANSLATE_NOOP("Command", "Open a file in a selected format"), 20, Menu::file, 1, Opens::dialog},
    {"file.open_folder", QT_TRANSLATE_NOOP("Command", "Open folder of frames..."), "Ctrl+Shift+O",
     QT_TRANSLATE_NOOP("Command", "Open the files of a folder as a sequence of frames"), 30, Menu::file, 1,
     Opens::dialog},
    {"scene.street", QT_TRANSLATE_NOOP("Command", "Built-in street"), "",
     QT_TRANSLATE_NOOP("Command", "Open a street scanned by a simulated 64-beam lidar"), 320, Menu::file, 2},
    {"scene.room", QT_TRANSLATE_NOOP("Command", "Built-in room"), "",
     QT_TRANSLATE_NOOP("Command", "Open a room scanned by a simulated RGB-D camera"), 330, Menu::file, 2},
    {"scene.random", QT_TRANSLATE_NOOP("Command", "Built-in random"), "",
     QT_TRANSLATE_NOOP("Command", "Open uniformly distributed random points, for comparison"), 340,
     Menu::file, 2},
});

}  // namespace

std::span<const CommandFacts> open_commands() noexcept {
  return open_table;
}

}  // namespace spira::ui
