// What runs of the window without a person have in common: when it is at rest, and how they end.
#pragma once

#include "engine/base/error.hpp"

namespace spira::ui {
class MainWindow;
}

namespace spira::app {

/// Something is open: a scene, a report or a tuning profile.
[[nodiscard]] bool has_opened(ui::MainWindow& window);
/// Nothing is computed, compared or drawn any more: the window shows what was asked of it.
[[nodiscard]] bool at_rest(ui::MainWindow& window);
/// A line on stderr, and the end of the program with the exit code of the fault.
void end_with(const Error& error);

}  // namespace spira::app
