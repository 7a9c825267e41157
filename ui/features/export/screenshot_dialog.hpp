// A dialog for screenshots of the window or of the 3D view: size, background, and whether to save or copy the
// picture.
#pragma once

#include "ui/features/export/screen_picture.hpp"

#include <QDialog>
#include <QObject>

class QCheckBox;
class QComboBox;
class QLabel;

namespace spira::ui {

class ScreenshotDialog : public QDialog {
  Q_OBJECT
 public:
  ScreenshotDialog(MainWindow* window, const ScreenPicture& how);
  [[nodiscard]] ScreenPicture request() const;

 signals:
  void saveRequested();
  void copyRequested();

 private:
  void follow();

  MainWindow* window_;
  QComboBox *what_, *scale_;
  QCheckBox *transparent_, *state_;
  QLabel* size_;
};

/// Binds the commands for screenshots.
class Screenshots : public QObject {
  Q_OBJECT
 public:
  explicit Screenshots(MainWindow* window);
  /// Writes at once. Throws Error(input) if the file cannot be written.
  void save(const ScreenPicture& how, const QString& file);
  void copy(const ScreenPicture& how);
  [[nodiscard]] const ScreenPicture& last() const noexcept { return last_; }

 private:
  void ask();
  [[nodiscard]] std::function<std::string()> painted(const ScreenPicture& how, const QString& file);
  [[nodiscard]] QString fileName() const;

  MainWindow* window_;
  ScreenPicture last_;
};

}  // namespace spira::ui
