// A notice in the middle of the canvas while all voxels are hidden, so that the scene does not seem empty.
#pragma once

#include <QFrame>

class QLabel;

namespace spira::ui {

class HiddenNotice : public QFrame {
  Q_OBJECT
 public:
  explicit HiddenNotice(QWidget* canvas);
  void setText(const QString& text);  ///< an empty string hides the notice
  [[nodiscard]] QString text() const;
  void place();  ///< centres the notice; must be called after a resize of the canvas

 signals:
  void showRequested();

 private:
  QLabel* text_;
};

}  // namespace spira::ui
