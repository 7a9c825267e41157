// A slider or a row of choices of a page: what is set asks for the command of its value, and what there is
// moves it.
#pragma once

#include "engine/lesson/lesson.hpp"

#include <QTimer>
#include <QWidget>

#include <vector>

class QAbstractButton;
class QLabel;
class QSlider;

namespace spira::ui {

class LessonFacts;

class ControlRow : public QWidget {
  Q_OBJECT
 public:
  ControlRow(LessonControl control, const LessonFacts* facts, QWidget* parent);
  void refresh();                         ///< facts have changed
  void settled();                         ///< what was asked for is done, or was refused
  [[nodiscard]] QString present() const;  ///< what there is: "0.2 m"; of choices the name
  /// The place of the value that is there, from 0; -1: one that the control has not.
  [[nodiscard]] int place() const;
  /// As a drag or a click does.
  void set(int place);

 signals:
  void commandsRequested(const std::vector<spira::LessonCommand>& commands);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  [[nodiscard]] QWidget* makeSlider();
  [[nodiscard]] QWidget* makeChoices();
  void ask();
  [[nodiscard]] QString nameOf(int place) const;
  [[nodiscard]] int nearest(double value) const;

  LessonControl control_;
  const LessonFacts* facts_;
  QSlider* slider_ = nullptr;  // null: choices
  std::vector<QAbstractButton*> buttons_;
  QLabel *present_, *shows_;
  QTimer settle_;       // a drag asks once it rests, so that no value on its way is computed
  int wanted_ = -1;     // set here, and not there yet
  bool asked_ = false;  // for it
};

}  // namespace spira::ui
