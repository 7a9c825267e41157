// Measures the longest block of the GUI thread while scenes are opened, run, swept and played.
#pragma once

#include <QString>

namespace spira::ui {

class Application;

/// Opens `scene` and copies of it as a sequence, several times each. Prints the longest event-loop iteration
/// each time.
void print_blocks(Application& app, const QString& scene);
/// Opens `scene` as 10,000 frames, shows the next frames, and chooses and runs a network of 1,000 layers.
/// Prints the longest iteration of the event loop for each.
void print_many_blocks(Application& app, const QString& scene);

}  // namespace spira::ui
