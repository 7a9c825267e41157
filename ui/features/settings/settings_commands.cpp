#include "ui/features/settings/preferences.hpp"

#include <QtGlobal>

#include <array>

namespace spira::ui {
namespace {

constexpr auto settings_table = std::to_array<CommandFacts>({
    {"edit.shortcuts", QT_TRANSLATE_NOOP("Command", "Keyboard shortcuts..."), "Ctrl+Alt+K",
     QT_TRANSLATE_NOOP("Command", "Show, search and change all keyboard shortcuts"), 300, Menu::edit, 1,
     Opens::dialog},
    {"edit.settings", QT_TRANSLATE_NOOP("Command", "Settings..."), "Ctrl+,",
     QT_TRANSLATE_NOOP("Command", "Change theme, text size, animation, measurement and crash recovery"), 310,
     Menu::edit, 1, Opens::dialog},
    {"theme.light", QT_TRANSLATE_NOOP("Command", "Light theme"), "", "", 1680, Menu::view, 3},
    {"theme.dark", QT_TRANSLATE_NOOP("Command", "Dark theme"), "", "", 1690, Menu::view, 3},
    {"theme.contrast", QT_TRANSLATE_NOOP("Command", "High contrast theme"), "",
     QT_TRANSLATE_NOOP("Command", "Use white on black with strong lines"), 1700, Menu::view, 3},
    {"theme.system", QT_TRANSLATE_NOOP("Command", "System theme"), "", "", 1710, Menu::view, 3},
});

}  // namespace

std::span<const CommandFacts> settings_commands() noexcept {
  return settings_table;
}

}  // namespace spira::ui
