#include "ui/features/undo/undo.hpp"

#include <QtGlobal>

#include <array>

namespace spira::ui {
namespace {

constexpr auto undo_table = std::to_array<CommandFacts>({
    {"edit.undo", QT_TRANSLATE_NOOP("Command", "Undo"), "Ctrl+Z",
     QT_TRANSLATE_NOOP("Command", "Undo the last change"), 280, Menu::edit, 1},
    {"edit.redo", QT_TRANSLATE_NOOP("Command", "Redo"), "Ctrl+Shift+Z; Ctrl+Y",
     QT_TRANSLATE_NOOP("Command", "Redo the last undone change"), 290, Menu::edit, 1},
});

}  // namespace

std::span<const CommandFacts> undo_commands() noexcept {
  return undo_table;
}

}  // namespace spira::ui
