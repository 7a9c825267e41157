// Opens the display, or ends with one line.
#pragma once

namespace spira::app {

/// Throws Error(device) if the environment names no display.
void require_display();

/// Qt aborts the program if the display cannot be opened. While an object of this class exists, such a fault
/// ends the program with one line and exit code 5 instead.
class OpeningDisplay {
 public:
  OpeningDisplay();
  ~OpeningDisplay();
  OpeningDisplay(const OpeningDisplay&) = delete;
  OpeningDisplay& operator=(const OpeningDisplay&) = delete;
};

}  // namespace spira::app
