// Measures the longest time for which the GUI thread is blocked, while scenes are opened, a network runs, a
// sweep runs and a sequence plays.
#pragma once

#include <QString>

namespace spira::ui {

class Application;

/// Opens `scene` several times. Then opens a sequence of copies of `scene` several times. Prints the longest
/// event-loop iteration of each repetition.
void print_blocks(Application& app, const QString& scene);
/// Opens `scene` as a sequence of 10,000 frames, shows the next frames, and selects and runs a network of
/// 1,000 layers. Prints the longest event-loop iteration of each step.
void print_many_blocks(Application& app, const QString& scene);

}  // namespace spira::ui
