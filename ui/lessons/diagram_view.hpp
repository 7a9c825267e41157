// The diagram of a lesson, below the 3D view: what is counted, the key, the picture, its caption.
#pragma once

#include "engine/lesson/diagram.hpp"
#include "ui/theme/theme.hpp"

#include <QImage>
#include <QWidget>

#include <memory>

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
  [[nodiscard]] QSize sizeHint() const override { return {600, 360}; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  void paint(QPainter& painter) const;
  [[nodiscard]] double paintKeys(QPainter& painter, const QRectF& area) const;  ///< what is below them

  const Theme* theme_;
  std::shared_ptr<const LessonDiagram> diagram_;
  QString caption_;
  double part_ = 0;
};

}  // namespace spira::ui
