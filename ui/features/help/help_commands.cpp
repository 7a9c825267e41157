#include "ui/features/help/help.hpp"

#include <QtGlobal>

#include <array>

namespace spira::ui {
namespace {

constexpr auto help_table = std::to_array<CommandFacts>({
    {"help.palette", QT_TRANSLATE_NOOP("Command", "Find a command..."), "Ctrl+K; Ctrl+Shift+P; Ctrl+F",
     QT_TRANSLATE_NOOP("Command", "Search all commands"), 1720, Menu::help, 1, Opens::dialog},
    {"help.open", QT_TRANSLATE_NOOP("Command", "Help for this view"), "F1; ?",
     QT_TRANSLATE_NOOP("Command", "Show the help page of the focused view"), 1730, Menu::help, 1},
    {"help.diagnostics", QT_TRANSLATE_NOOP("Command", "Copy diagnostics..."), "",
     QT_TRANSLATE_NOOP("Command", "Copy versions, device and settings for a bug report"), 1740, Menu::help, 1,
     Opens::dialog},
    {"help.about", QT_TRANSLATE_NOOP("Command", "About SpiraScope"), "", "", 1750, Menu::help, 1},
});

}  // namespace

std::span<const CommandFacts> help_commands() noexcept {
  return help_table;
}

}  // namespace spira::ui
