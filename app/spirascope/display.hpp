// Opens the display; faults of the display end the program with one line and exit code 5.
#pragma once

namespace spira::app {

/// Throws Error(device) if the environment names no display, or if the address space is limited so much that
/// the graphics libraries would crash.
void require_display();

/// Qt aborts the program if the display cannot be opened, and ends it if the connection breaks later. Call
/// before the QApplication is made to get one line and exit code 5 instead.
void handle_display_faults();
/// Call after the QApplication was made.
void display_is_open();

}  // namespace spira::app
