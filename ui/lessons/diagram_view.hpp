// The diagram of a lesson, below the 3D view: what is counted, the key, the picture, its caption.
#pragma once

#include "engine/lesson/diagram.hpp"
#include "ui/lessons/diagram_paint.hpp"
#include "ui/theme/theme.hpp"

#include <QImage>
#include <QWidget>

#include <memory>
#include <vector>

namespace spira::ui {

class DiagramView : public QWidget {
  Q_OBJECT
 public:
  explicit DiagramView(const Theme* theme, QWidget* parent = nullptr);

  /// Null: an empty sheet, until there is one.
  void set(std::shared_ptr<const LessonDiagram> diagram, const QString& caption);
  void setPart(double part);  ///< 0: before the motion, 1: its end
  [[nodiscard]] const std::shared_ptr<const LessonDiagram>& diagram() const noexcept { return diagram_; }
  [[nodiscard]] QString status() const;  ///< what is counted at this moment
  [[nodiscard]] QImage picture() const;  ///< as it is, of as many pixels as the screen has points
  /// At its end on a sheet of this size in points, in this font; twice as sharp as a screen.
  [[nodiscard]] QImage onPaper(const QSize& sheet, const Theme& paper, const QFont& font) const;
  [[nodiscard]] QSize sizeHint() const override { return {600, 360}; }
  /// What can be pointed at, with the mouse or with the arrows, as it was painted last.
  [[nodiscard]] const std::vector<DiagramSpot>& spots() const noexcept { return spots_; }
  [[nodiscard]] int pointedAt() const noexcept { return pointed_at_; }  ///< -1: none

 signals:
  /// An offset that what is pointed at is about, until pointedAway().
  void offsetPointedAt(int column);
  void pointedAway();

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;

 private:
  /// What is painted, and in which colours.
  struct Sheet {
    QRectF area;
    const Theme* theme;
    double part;
    QString head;  ///< what is said above the diagram
  };
  /// In the font of the painter; where the diagram itself is.
  QRectF paint(QPainter& painter, const Sheet& sheet) const;
  [[nodiscard]] Sheet onScreen() const;
  /// What is below them.
  [[nodiscard]] double paintKeys(QPainter& painter, const QRectF& area, const Theme& theme) const;
  void pointAt(int spot);
  [[nodiscard]] const DiagramSpot* spot() const;

  const Theme* theme_;
  std::shared_ptr<const LessonDiagram> diagram_;
  QString caption_;
  double part_ = 0;
  std::vector<DiagramSpot> spots_;
  int pointed_at_ = -1;
};

}  // namespace spira::ui
