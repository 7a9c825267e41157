// CPU time of the current event-loop iteration.
#pragma once

namespace spira::ui {

/// Returns the CPU time that the GUI thread has used in this iteration, in ms. Work that can wait checks it
/// first and defers to the next iteration, so that mouse and keyboard input is handled in between.
[[nodiscard]] double turn_cost_ms();

}  // namespace spira::ui
