// A sentence with numbers on a lesson page. If it states a condition, a check mark or a cross shows whether
// it holds.
#pragma once

#include "engine/lesson/lesson.hpp"

#include <QString>
#include <QWidget>

class QLabel;

namespace spira::ui {

class LessonFacts;

/// Returns rich text. Empty if the line does not apply, or if one of its numbers does not exist.
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
