// Space, arrows and Page Up and Down belong to the lesson while one is open, wherever they are no text, list
// or button. Letters, digits and signs of the view act from the page of the lesson as well.
#pragma once

#include "ui/lessons/lesson_player.hpp"

#include <QObject>

class QKeyEvent;

namespace spira::ui {

class LessonKeys : public QObject {
  Q_OBJECT
 public:
  /// Of the windows `window` and its docks. `panel` has the page.
  LessonKeys(LessonPlayer* player, QWidget* panel, QWidget* window);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  [[nodiscard]] bool isOurs(const QObject* watched, const QKeyEvent& key) const;
  [[nodiscard]] bool isOfThePage(const QObject* watched, const QKeyEvent& key) const;

  LessonPlayer* player_;
  QWidget *panel_, *window_;
  const QObject* clicked_ = nullptr;  // has the focus because it was clicked, not because a key went there
};

}  // namespace spira::ui
