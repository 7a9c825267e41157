// Signals that ask the program to end: the window closes as if the user had closed it.
#pragma once

namespace spira::ui {
class MainWindow;
}

namespace spira::app {

/// After SIGTERM, SIGINT or SIGHUP the window closes without questions and keeps its settings; the exit code
/// is 128 plus the number of the signal. A second signal ends the program at once. Call once.
void close_on_signals(ui::MainWindow& window);

}  // namespace spira::app
