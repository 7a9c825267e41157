// What the canvas says in its middle while none of its voxels are drawn: hidden is not empty.
#pragma once

#include <QFrame>

class QLabel;

namespace spira::ui {

class HiddenNotice : public QFrame {
  Q_OBJECT
 public:
  explicit HiddenNotice(QWidget* canvas);
  void setText(const QString& text);  ///< empty: there is nothing to say
  [[nodiscard]] QString text() const;
  void place();  ///< after the canvas changed its size

 signals:
  void showRequested();

 private:
  QLabel* text_;
};

}  // namespace spira::ui
