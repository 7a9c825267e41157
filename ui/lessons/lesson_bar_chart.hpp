// Bars of a step: a value each, and beside it that of the control experiment.
#pragma once

#include "engine/lesson/lesson.hpp"
#include "ui/lessons/lesson_facts.hpp"
#include "ui/theme/theme.hpp"

#include <QWidget>

#include <functional>
#include <vector>

namespace spira::ui {

class LessonBarChart : public QWidget {
  Q_OBJECT
 public:
  LessonBarChart(LessonBars bars, const LessonFacts* facts, Theme* theme, QWidget* parent = nullptr);
  /// They grow with the motion of their step: all to their end at once, or in a race, at one pace.
  void setPart(double part, bool race);
  /// Bars of offsets for which this is true get a frame: they are pointed at, here or in the view.
  void light(const std::function<bool(const LessonCommand&)>& pointed);
  [[nodiscard]] const std::vector<bool>& lit() const noexcept { return lit_; }  ///< [bars]
  struct Number {
    QRectF area;
    QString text;
  };
  /// As they stand now: one a bar, that of the control experiment after the bar beside it.
  [[nodiscard]] std::vector<Number> numbers() const;

 signals:
  /// A bar that is about some offsets is pointed at, until offsetsPointedAway().
  void offsetsPointedAt(const spira::LessonCommand& offsets);
  void offsetsPointedAway();

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  [[nodiscard]] double value(const Expression& formula) const;
  [[nodiscard]] QString numberOf(const Expression& formula) const;
  [[nodiscard]] QRectF barArea() const;
  [[nodiscard]] QRectF barOf(std::size_t at, bool control) const;
  void paintKey(QPainter& painter, const QRectF& area) const;
  void tell();
  void takeHeight();
  [[nodiscard]] int headLines() const;
  [[nodiscard]] int nameLines() const;
  [[nodiscard]] int keyLines() const;

  LessonBars bars_;
  const LessonFacts* facts_;
  Theme* theme_;
  double part_ = 1;
  bool race_ = false;
  std::vector<bool> lit_;
  int pointed_at_ = -1;  // a bar that is about offsets
};

}  // namespace spira::ui
