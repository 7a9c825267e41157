// Pictures of what the window shows: all of it or the 3D view, also larger than the screen.
#pragma once

#include <QByteArray>
#include <QImage>
#include <QString>

#include <filesystem>

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
/// The bytes of a PNG file that says in its metadata what it shows.
/// `folder`: where it will be; paths of its state are relative to it.
[[nodiscard]] QByteArray screen_file(MainWindow& window, const ScreenPicture& how,
                                     const std::filesystem::path& folder);
/// The session that screen_file() wrote into a picture; empty: it holds none.
[[nodiscard]] QString state_of_picture(const QString& file);

}  // namespace spira::ui
