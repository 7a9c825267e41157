// What the mask of a stride leaves of a word: its bits, with those greyed that it clears.
#pragma once

#include "engine/lesson/lesson.hpp"
#include "ui/theme/theme.hpp"

#include <QWidget>

class QLabel;

namespace spira::ui {

class KeyBits;
class LessonFacts;

class MaskRow : public QWidget {
  Q_OBJECT
 public:
  MaskRow(LessonMask mask, const LessonFacts* facts, Theme* theme, QWidget* parent);
  void refresh();
  [[nodiscard]] const KeyBits& bits() const noexcept { return *bits_; }
  [[nodiscard]] QString text() const;

 private:
  LessonMask mask_;
  const LessonFacts* facts_;
  QLabel* text_;
  KeyBits* bits_;
};

}  // namespace spira::ui
