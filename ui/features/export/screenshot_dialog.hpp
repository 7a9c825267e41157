// A dialog for screenshots of the window or of the 3D view. The user selects size and background, and saves
// or copies the picture.
#pragma once

#include "ui/features/feature_context.hpp"
#include "ui/theme/png_text.hpp"

#include <QDialog>
#include <QImage>
#include <QObject>
#include <QString>

#include <filesystem>
#include <functional>
#include <string>

class QCheckBox;
class QComboBox;
class QLabel;
class QWidget;

namespace spira::ui {

class FileWriter;
class OpenRun;
class SceneView;

// Creates screenshots of the window or of the 3D view. They can have a higher resolution than the screen.

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

class ScreenshotDialog : public QDialog {
  Q_OBJECT
 public:
  /// If `view` is `nullptr`, only the window can be selected.
  ScreenshotDialog(QWidget* window, const QWidget* view, const ScreenPicture& how);
  [[nodiscard]] ScreenPicture request() const;

 signals:
  void saveRequested();
  void copyRequested();

 private:
  void follow();

  const QWidget *window_, *view_;
  QComboBox *what_, *scale_;
  QCheckBox *transparent_, *state_;
  QLabel* size_;
};

/// Implements the screenshot commands.
class Screenshots : public QObject {
  Q_OBJECT
 public:
  struct Parts {
    SceneView& view;
    const OpenRun& run;
    FileWriter& writer;
    /// Returns the text of a session file for the open scene or report. Paths in the text are relative to
    /// `folder`. Returns an empty string if no scene or report is open, or if a session cannot store it.
    std::function<std::string(const std::filesystem::path& folder)> session;
  };
  Screenshots(const FeatureContext& context, Parts parts);
  /// Writes the file before it returns. Throws Error(input) if the file cannot be written.
  void save(const ScreenPicture& how, const QString& file);

 private:
  void copy(const ScreenPicture& how);
  void ask();
  [[nodiscard]] std::function<std::string()> painted(const ScreenPicture& how, const QString& file);
  [[nodiscard]] QString fileName() const;

  FeatureContext context_;
  Parts parts_;
  ScreenPicture last_;
};

}  // namespace spira::ui
