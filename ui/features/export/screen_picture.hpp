// Screenshots of the window or of the 3D view, also larger than the screen.
#pragma once

#include "ui/theme/png_text.hpp"

#include <QImage>
#include <QString>

#include <functional>
#include <string>

class QWidget;

namespace spira::ui {

class SceneView;

struct ScreenPicture {
  bool view_only = false;
  bool transparent = false;  ///< Omits the background; only for the 3D view.
  int scale = 1;             ///< Pixels of the picture for each pixel of the window: 1, 2 or 4.
  bool state = true;         ///< Stores the session in the file, so that it can be opened again.
};

/// Returns a picture of the window or of `view`, which is in the window. The window may be hidden. A scene
/// must be open if only the view is requested.
[[nodiscard]] QImage screen_picture(QWidget& window, SceneView& view, const ScreenPicture& how);
/// Paints the picture now and returns a function that makes the bytes of a PNG file, on any thread. The file
/// contains `texts` as metadata, and `session` unless it is empty. Returns an empty function if OpenGL cannot
/// paint the view.
[[nodiscard]] std::function<std::string()> painted_screen(QWidget& window, SceneView& view,
                                                          const ScreenPicture& how, PngTexts texts,
                                                          const std::string& session);
/// Returns the session that painted_screen() stored in a picture; empty if there is none.
[[nodiscard]] QString state_of_picture(const QString& file);

}  // namespace spira::ui
