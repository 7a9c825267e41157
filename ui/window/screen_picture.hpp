// Pictures of what the window shows: all of it or the 3D view, also larger than the screen.
#pragma once

#include <QImage>
#include <QString>

#include <filesystem>
#include <functional>
#include <string>

namespace spira::ui {

class MainWindow;

struct ScreenPicture {
  bool view_only = false;
  bool transparent = false;  ///< the 3D view alone, without its background
  int scale = 1;             ///< 1, 2 or 4 pixels for each of the window
  bool state = true;         ///< the file holds the session, so that it can be opened again
};

/// The same for a window that nobody sees. Null: there is no 3D view to take.
[[nodiscard]] QImage screen_picture(MainWindow& window, const ScreenPicture& how);
/// Paints it now; what comes back makes the bytes of a PNG file that says in its metadata what it shows, on
/// any thread. Empty: there is no 3D view to take. `folder`: where it will be; paths of its state are
/// relative to it.
[[nodiscard]] std::function<std::string()> painted_screen(MainWindow& window, const ScreenPicture& how,
                                                          const std::filesystem::path& folder);
/// The session that painted_screen() wrote into a picture; empty: it holds none.
[[nodiscard]] QString state_of_picture(const QString& file);

}  // namespace spira::ui
