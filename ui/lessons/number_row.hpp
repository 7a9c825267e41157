// A number of a lesson with its label: where the pointer or the focus is, it says the formula that it comes
// from with the values of this moment, and shows in the view what it is about.
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
  /// The offsets that it is about; empty: it is about none.
  [[nodiscard]] const std::optional<LessonCommand>& about() const noexcept { return about_; }
  void setLit(bool lit);  ///< what it is about is pointed at, in the view or a chart
  [[nodiscard]] bool isLit() const noexcept { return lit_; }
  [[nodiscard]] QString label() const;
  [[nodiscard]] QString number() const;

 signals:
  /// What the number is about is to be shown, until pointedAway().
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
