// Pictures of what the window shows: all of it or the 3D view, also larger than the screen.
#pragma once

#include <QImage>

#include <functional>
#include <string>

namespace spira::ui {

class MainWindow;

struct ScreenPicture {
  bool view_only = false;
  bool transparent = false;  ///< the 3D view alone, without its background
  int scale = 1;             ///< 1, 2 or 4 pixels for each of the window
};

/// The same for a window that nobody sees. Null: there is no 3D view to take.
[[nodiscard]] QImage screen_picture(MainWindow& window, const ScreenPicture& how);
/// Paints it now; what comes back makes the bytes of a PNG file that says in its metadata what it shows, on
/// any thread. Empty: there is no 3D view to take.
[[nodiscard]] std::function<std::string()> painted_screen(MainWindow& window, const ScreenPicture& how);

}  // namespace spira::ui
