// The window for a room: large text, colours that a projector keeps apart, and nothing around view and
// lesson.
#pragma once

namespace spira::ui {

class MainWindow;

void enter_classroom(MainWindow& window);
/// Text and bars as the settings have them; the colours are brought back with all else of a lesson.
void leave_classroom(MainWindow& window);

}  // namespace spira::ui
