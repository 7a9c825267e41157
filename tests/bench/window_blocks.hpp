// Measures the longest block of the GUI thread while scenes are opened, run, swept and played.
#pragma once

#include <QString>

namespace spira::ui {

class MainWindow;

/// Opens `scene` and copies of it as a sequence, several times each. Prints the longest event-loop iteration
/// each time.
void print_blocks(MainWindow& window, const QString& scene);

}  // namespace spira::ui
