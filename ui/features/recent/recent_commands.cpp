#include "ui/features/recent/recents.hpp"

#include <QtGlobal>

#include <array>

namespace spira::ui {
namespace {

constexpr auto recent_table = std::to_array<CommandFacts>({
    {"file.clear_recent", QT_TRANSLATE_NOOP("Command", "Clear recent files"), "",
     QT_TRANSLATE_NOOP("Command", "Remove all unpinned files from the list"), 250, Menu::file, 1},
});

}  // namespace

std::span<const CommandFacts> recent_commands() noexcept {
  return recent_table;
}

}  // namespace spira::ui
