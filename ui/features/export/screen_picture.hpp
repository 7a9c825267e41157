// Creates screenshots of the window or of the 3D view. They can have a higher resolution than the screen.
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
  bool transparent = false;  ///< Omits the background. Only possible for the 3D view.
  int scale = 1;             ///< Picture pixels per window pixel along each axis: 1, 2 or 4.
  bool state = true;         ///< Stores the session in the file, so that the file can be opened as a session.
};

/// Returns a picture of the window, or of `view`, which must be in the window. The window may be hidden. If
/// only the view is requested, a scene must be open.
[[nodiscard]] QImage screen_picture(QWidget& window, SceneView& view, const ScreenPicture& how);
/// Paints the picture and returns a function that creates the bytes of a PNG file. The function may run on
/// any thread. The file contains `texts` as metadata, and also `session` unless it is empty. Returns an empty
/// function if OpenGL cannot paint the view.
[[nodiscard]] std::function<std::string()> painted_screen(QWidget& window, SceneView& view,
                                                          const ScreenPicture& how, PngTexts texts,
                                                          const std::string& session);
/// Returns the session that painted_screen() stored in the picture `file`. Returns an empty string if there
/// is none.
[[nodiscard]] QString state_of_picture(const QString& file);

}  // namespace spira::ui
