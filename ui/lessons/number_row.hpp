// A number of a lesson with its label: where the pointer or the focus is, it says the formula that it comes
// from with the values of this moment, and shows in the view what it is about.
#pragma once

#include "engine/lesson/lesson.hpp"

#include <QWidget>

class QLabel;

namespace spira::ui {

class LessonFacts;

class NumberRow : public QWidget {
  Q_OBJECT
 public:
  NumberRow(LessonNumber number, const LessonFacts* facts, QWidget* parent);

  void refresh();
  [[nodiscard]] QString label() const;
  [[nodiscard]] QString number() const;

 signals:
  /// What the number is about is to be shown, until pointedAway().
  void pointedAt(const spira::LessonCommand& offsets);
  void pointedAway();

 protected:
  bool event(QEvent* event) override;

 private:
  LessonNumber number_;
  const LessonFacts* facts_;
  QLabel *value_, *sample_;
};

}  // namespace spira::ui
