// Screenshots of the window or of the 3D view, also larger than the screen.
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
  bool transparent = false;  ///< Omits the background; only for the 3D view.
  int scale = 1;             ///< Pixels of the picture for each pixel of the window: 1, 2 or 4.
  bool state = true;         ///< Stores the session in the file, so that it can be opened again.
};

/// Returns a picture, also of a window that is not visible. Returns a null image if the 3D view is requested
/// but no scene is open.
[[nodiscard]] QImage screen_picture(MainWindow& window, const ScreenPicture& how);
/// Paints the picture now and returns a function that makes the bytes of a PNG file, on any thread. The
/// metadata describes the content. Returns an empty function if screen_picture() returns a null image.
/// `folder` is the folder of the file; paths in its session are relative to `folder`.
[[nodiscard]] std::function<std::string()> painted_screen(MainWindow& window, const ScreenPicture& how,
                                                          const std::filesystem::path& folder);
/// Returns the session that painted_screen() stored in a picture; empty if there is none.
[[nodiscard]] QString state_of_picture(const QString& file);

}  // namespace spira::ui
