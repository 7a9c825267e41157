#include "ui/features/undo/undo.hpp"

#include "ui/jobs/parameter_history.hpp"

#include <QMainWindow>
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

Undo::Undo(const FeatureContext& context, ParameterHistory& history) : QObject(&context.window) {
  CommandSet& commands = context.commands;
  QUndoStack* stack = history.stack();
  const auto why_not = [&history](bool can, const QString& none) {
    if (history.paused()) return tr("changes made by a lesson are undone when you leave the lesson");
    return can ? QString() : none;
  };
  commands.bind(
      "edit.undo", [stack] { stack->undo(); },
      [stack, why_not] { return why_not(stack->canUndo(), tr("no changes since the scene was opened")); });
  commands.bind(
      "edit.redo", [stack] { stack->redo(); },
      [stack, why_not] { return why_not(stack->canRedo(), tr("there is nothing to redo")); });
  connect(stack, &QUndoStack::indexChanged, this, [&commands, stack] {
    const auto named = [](const QString& verb, const QString& what) {
      return what.isEmpty() ? verb : verb + " " + what;
    };
    commands.action("edit.undo")->setText(named(tr("Undo"), stack->undoText()));
    commands.action("edit.redo")->setText(named(tr("Redo"), stack->redoText()));
    commands.refreshSoon();
  });
}

}  // namespace spira::ui
