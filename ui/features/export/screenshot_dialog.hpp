// A dialog for screenshots of the window or of the 3D view. The user selects size and background, and saves
// or copies the picture.
#pragma once

#include "ui/features/export/screen_picture.hpp"
#include "ui/features/feature_context.hpp"

#include <QDialog>
#include <QObject>

#include <filesystem>
#include <functional>
#include <string>

class QCheckBox;
class QComboBox;
class QLabel;

namespace spira::ui {

class FileWriter;
class OpenRun;

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
    /// Returns the text of a session file for the open scene or report. Paths in it are relative to `folder`.
    /// Returns an empty string if nothing is open that a session can store.
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
