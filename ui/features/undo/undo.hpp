// The commands Undo and Redo. Menus, the command palette and tooltips show the name of the undo step.
#pragma once

#include "ui/commands/command_set.hpp"
#include "ui/features/feature_context.hpp"

#include <QObject>

#include <span>

namespace spira::ui {

class ParameterHistory;

[[nodiscard]] std::span<const CommandFacts> undo_commands() noexcept;

class Undo : public QObject {
  Q_OBJECT
 public:
  Undo(const FeatureContext& context, ParameterHistory& history);
};

}  // namespace spira::ui
