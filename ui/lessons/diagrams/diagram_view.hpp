// The widget below the 3D view that shows the diagram of a lesson with status line, legend and caption.
#pragma once

#include "engine/lesson/diagrams/diagram.hpp"
#include "ui/lessons/diagrams/diagram_paint.hpp"
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

  /// Sets the diagram. If `diagram` is `nullptr`, the area stays empty.
  void set(std::shared_ptr<const LessonDiagram> diagram, const QString& caption);
  void setPart(double part);  ///< Sets the time of the animation, from 0 (start) to 1 (end).
  [[nodiscard]] const std::shared_ptr<const LessonDiagram>& diagram() const noexcept { return diagram_; }
  [[nodiscard]] QString status() const;  ///< Returns the status line for the current time of the animation.
  /// Returns the current picture in the size of the widget, with a device pixel ratio of 1.
  [[nodiscard]] QImage picture() const;
  /// Returns the picture at the end of the animation, for a sheet of this size in points. It has two pixels
  /// per point and uses `font`.
  [[nodiscard]] QImage onPaper(const QSize& sheet, const Theme& paper, const QFont& font) const;
  [[nodiscard]] QSize sizeHint() const override { return {600, 360}; }
  /// Returns the areas that the mouse or the arrow keys can select. The last paint event defines them.
  [[nodiscard]] const std::vector<DiagramSpot>& spots() const noexcept { return spots_; }
  /// Returns the index of the selected area, or -1 if no area is selected.
  [[nodiscard]] int pointedAt() const noexcept { return pointed_at_; }

 signals:
  /// Emitted when the user selects an area that belongs to an offset. pointedAway() is emitted when the
  /// selection ends.
  void offsetPointedAt(int column);
  void pointedAway();

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;

 private:
  /// Holds where and how to paint the diagram.
  struct Sheet {
    QRectF area;
    const Theme* theme;
    double part;
    QString head;  ///< Text above the diagram.
  };
  /// Paints the diagram in the font of the painter, and returns the area of the diagram.
  QRectF paint(QPainter& painter, const Sheet& sheet) const;
  [[nodiscard]] Sheet onScreen() const;
  /// Paints the legend, and returns the y coordinate of its lower edge.
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
