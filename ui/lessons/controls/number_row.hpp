// A number of a lesson with its label. Under the pointer or with the focus, it shows its formula with the
// current values and highlights its offsets in the view.
#pragma once

#include "engine/lesson/lesson.hpp"

#include <QWidget>

#include <optional>

class QLabel;

namespace spira::ui {

class LessonFacts;

class NumberRow : public QWidget {
  Q_OBJECT
 public:
  NumberRow(LessonNumber number, const LessonFacts* facts, QWidget* parent);

  void refresh();
  /// The offsets that the number belongs to. Empty if it belongs to none.
  [[nodiscard]] const std::optional<LessonCommand>& about() const noexcept { return about_; }
  /// Frames the row, because its offsets are under the pointer in the view or a chart.
  void setLit(bool lit);
  [[nodiscard]] bool isLit() const noexcept { return lit_; }
  [[nodiscard]] QString label() const;
  [[nodiscard]] QString number() const;

 signals:
  /// Emitted when the pointer or the focus enters the row. Views highlight the offsets until pointedAway().
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
