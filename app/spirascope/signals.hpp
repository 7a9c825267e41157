// Handles signals that request the end of the program: the window closes as if the user had closed it.
#pragma once

namespace spira::ui {
class Application;
}

namespace spira::app {

/// After SIGTERM, SIGINT or SIGHUP, the window closes without questions and saves its settings. The exit
/// code is 128 plus the number of the signal. A second signal ends the program immediately. Must be called
/// only once.
void close_on_signals(ui::Application& app);

}  // namespace spira::app
