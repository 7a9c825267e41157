// Keyboard control of an open lesson with Space, Left, Right, Page Up and Page Down. These keys have no
// effect on the lesson while a text field, list or button has the focus. Letters, digits and keys of the 3D
// view also work while the lesson page has the focus.
#pragma once

#include "ui/lessons/lesson_player.hpp"

#include <QObject>

class QKeyEvent;

namespace spira::ui {

class LessonKeys : public QObject {
  Q_OBJECT
 public:
  /// Handles the keys of `window` and its docks. `panel` contains the lesson page.
  LessonKeys(LessonPlayer* player, QWidget* panel, QWidget* window);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  [[nodiscard]] bool isOurs(const QObject* watched, const QKeyEvent& key) const;
  [[nodiscard]] bool isOfThePage(const QObject* watched, const QKeyEvent& key) const;

  LessonPlayer* player_;
  QWidget *panel_, *window_;
  // The focused widget if it got the focus from a click and not from the keyboard.
  const QObject* clicked_ = nullptr;
};

}  // namespace spira::ui
