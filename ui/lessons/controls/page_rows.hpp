// Contains the kinds of rows of a lesson page: sentences that contain numbers, packed words after a mask, and
// single numbers.
#pragma once

#include "engine/lesson/lesson.hpp"
#include "ui/lessons/lesson_player.hpp"
#include "ui/theme/theme.hpp"

#include <QString>
#include <QWidget>

#include <optional>

class QLabel;

namespace spira::ui {

class KeyBits;
class LessonFacts;

/// A bar with one segment per page of a lesson. A click opens a page, and a drag along a segment moves the
/// animation of the page.
class PageBar : public QWidget {
  Q_OBJECT
 public:
  PageBar(LessonPlayer* player, Theme* theme, QWidget* parent = nullptr);
  [[nodiscard]] QRectF cellOf(int page) const;
  [[nodiscard]] QSize sizeHint() const override { return {300, 26}; }

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  [[nodiscard]] int pageAt(double x) const;
  void updateDescription();

  LessonPlayer* player_;
  Theme* theme_;
};

/// Returns the sentence as rich text. Returns an empty string if the sentence does not apply to the scene or
/// if one of its numbers does not exist.
[[nodiscard]] QString line_text(const LessonLine& line, const LessonFacts& facts);

/// A sentence that contains numbers. If the sentence states a condition, a check mark or a cross shows
/// whether it is true.
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

/// The bits of a packed word after the mask of a stride was applied. Bits that the mask clears are grey.
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

/// A number with its label. While the row is under the pointer or has the focus, it shows the formula of the
/// number with the current values, and the views highlight the offsets that the number refers to.
class NumberRow : public QWidget {
  Q_OBJECT
 public:
  NumberRow(LessonNumber number, const LessonFacts* facts, QWidget* parent);

  void refresh();
  /// Returns the command that selects the offsets that the number refers to. Returns an empty value if it
  /// refers to no offsets.
  [[nodiscard]] const std::optional<LessonCommand>& about() const noexcept { return about_; }
  /// Shows or hides a frame around the row. The frame means that the pointer is over one of the row's offsets
  /// in the view or in a chart.
  void setLit(bool lit);
  [[nodiscard]] bool isLit() const noexcept { return lit_; }
  [[nodiscard]] QString label() const;
  [[nodiscard]] QString number() const;

 signals:
  /// Emitted when the pointer or the focus enters the row. Views highlight the offsets until pointedAway() is
  /// emitted.
  void pointedAt(const spira::LessonCommand& offsets);
  void pointedAway();

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  LessonNumber number_;
  std::optional<LessonCommand> about_;
  bool lit_ = false;
  const LessonFacts* facts_;
  QLabel *value_, *sample_;
};

}  // namespace spira::ui
