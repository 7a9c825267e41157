// A bar with one segment per page of a lesson. A click opens a page, and a drag along a segment moves the
// animation of the page.
#pragma once

#include "ui/lessons/lesson_player.hpp"
#include "ui/theme/theme.hpp"

#include <QWidget>

namespace spira::ui {

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

}  // namespace spira::ui
