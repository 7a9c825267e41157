// A sentence of a page with numbers in it, told by a tick or a cross where it may hold or not.
#pragma once

#include "engine/lesson/lesson.hpp"

#include <QString>
#include <QWidget>

class QLabel;

namespace spira::ui {

class LessonFacts;

/// As rich text; empty where it does not apply, or a number of it does not exist.
[[nodiscard]] QString line_text(const LessonLine& line, const LessonFacts& facts);

class LineRow : public QWidget {
  Q_OBJECT
 public:
  LineRow(LessonLine line, const LessonFacts* facts, QWidget* parent);
  void refresh();
  [[nodiscard]] const LessonLine& line() const noexcept { return line_; }

 private:
  LessonLine line_;
  const LessonFacts* facts_;
  QLabel* text_;
};

}  // namespace spira::ui
