// Checks that a display can be opened. Display errors end the program with one line on stderr and exit code
// 5.
#pragma once

namespace spira::app {

/// Throws Error(device) if no environment variable names a display, or if the limit of the address space is
/// so low that the graphics libraries would crash.
void require_display();

/// Installs handlers that end the program with one line and exit code 5 on display errors. Without them, Qt
/// aborts if the display cannot be opened, and exits if the connection breaks later. Must be called before
/// the QApplication is created.
void handle_display_faults();
/// Must be called after the QApplication has been created.
void display_is_open();

}  // namespace spira::app
