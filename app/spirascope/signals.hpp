// Closes the window when a signal requests the end of the program.
#pragma once

namespace spira::ui {
class Application;
}

namespace spira::app {

/// After SIGTERM, SIGINT or SIGHUP, the window closes without questions and saves its settings. The exit
/// code is then 128 plus the number of the signal. A second signal ends the program immediately. Must be
/// called only once.
void close_on_signals(ui::Application& app);

}  // namespace spira::app
