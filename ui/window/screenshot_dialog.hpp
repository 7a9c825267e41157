// A picture of the window or of the 3D view: how large, with or without background; to a file or to the
// clipboard.
#pragma once

#include "ui/window/screen_picture.hpp"

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
  /// At once. Throws Error(input) where it cannot be written.
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
