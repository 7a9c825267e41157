// The bits of a packed word after the mask of a stride. Bits that the mask clears are grey.
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
