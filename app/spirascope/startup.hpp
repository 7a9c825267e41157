// Functions that main() calls before it shows the window. They install signal handlers and check the display.
#pragma once

namespace spira::ui {
class Application;
}

namespace spira::app {

/// After SIGTERM, SIGINT or SIGHUP, the window saves its settings and closes without asking questions. The
/// exit code is then 128 plus the number of the signal. A second signal ends the program immediately. Must be
/// called only once.
void close_on_signals(ui::Application& app);

// The functions below check that a display can be opened. Display errors end the program with one line on
// stderr and exit code 5.

/// Throws Error(device) if no environment variable names a display, or if the limit of the address space is
/// so low that the graphics libraries would crash.
void require_display();

/// Installs handlers for display errors. They end the program with one line and exit code 5. Without them, Qt
/// aborts if the display cannot be opened, and exits if the connection breaks later. Must be called before
/// the QApplication is created.
void handle_display_faults();
/// Restores the usual handling of Qt messages and prints the first warning of Qt, if there was one. Must be
/// called after the QApplication has been created.
void display_is_open();

}  // namespace spira::app
