// Classroom mode, for a projector: large text, colours that a projector can distinguish, and only the view
// and the lesson.
#pragma once

namespace spira::ui {

class MainWindow;

void enter_classroom(MainWindow& window);
/// Restores text size and bars from the settings. Lessons restores the colours.
void leave_classroom(MainWindow& window);

}  // namespace spira::ui
