// The bar chart of a lesson step. Each value has a bar. The bar of the control experiment is next to it.
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
  /// Draws the bars at the time `part` of the animation. If `race` is true, all bars grow at the same speed.
  /// Otherwise, all bars reach their full height together at the end.
  /// Returns the height of the legend at the lower edge, in pixels.
  [[nodiscard]] int legendHeight() const { return keyLines() * fontMetrics().height(); }
  void setPart(double part, bool race);
  /// Draws a frame around each bar whose offsets are under the pointer in another view. `pointed` returns
  /// true for such offsets.
  void light(const std::function<bool(const LessonCommand&)>& pointed);
  [[nodiscard]] const std::vector<bool>& lit() const noexcept { return lit_; }
  struct Number {
    QRectF area;
    QString text;
  };
  /// Returns the number labels at their current positions. The label of a control bar comes directly after
  /// the label of the bar next to it.
  [[nodiscard]] std::vector<Number> numbers() const;

 signals:
  /// Emitted when the pointer enters a bar that refers to offsets. offsetsPointedAway() is emitted when the
  /// pointer leaves this bar.
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
  void updateDescription();
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
  // Index of the bar under the pointer. -1 if no bar is under the pointer, or if the bar refers to no
  // offsets.
  int pointed_at_ = -1;
};

}  // namespace spira::ui
