// Bars of a step: a value each, and beside it that of the control experiment.
#pragma once

#include "engine/lesson/lesson.hpp"
#include "ui/lessons/lesson_facts.hpp"
#include "ui/theme/theme.hpp"

#include <QWidget>

namespace spira::ui {

class LessonBarChart : public QWidget {
  Q_OBJECT
 public:
  LessonBarChart(const LessonBars& bars, const LessonFacts* facts, Theme* theme, QWidget* parent = nullptr);
  /// They grow with the motion of their step: all to their end at once, or in a race, at one pace.
  void setPart(double part, bool race);

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  [[nodiscard]] double value(const Expression& formula) const;
  void paintKey(QPainter& painter, const QRectF& area) const;
  void tell();

  LessonBars bars_;
  const LessonFacts* facts_;
  Theme* theme_;
  double part_ = 1;
  bool race_ = false;
};

}  // namespace spira::ui
