// What the present turn of the event loop has cost already.
#pragma once

namespace spira::ui {

/// Of the processor, by the GUI thread, in ms. Work that can wait for the next turn asks before it begins:
/// the mouse and the keys are looked at in between.
[[nodiscard]] double turn_cost_ms();

}  // namespace spira::ui
