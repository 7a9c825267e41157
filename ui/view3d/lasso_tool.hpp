// Drawing around voxels in the 3D view: a rectangle or a free outline with the left button. All else that the
// mouse does stays as it is.
#pragma once

#include "ui/model/chosen_rows.hpp"

#include <QObject>
#include <QPointF>
#include <QPolygonF>

class QEvent;
class QWidget;

namespace spira::ui {

enum class DrawMode { off, box, lasso };

class LassoTool : public QObject {
  Q_OBJECT
 public:
  explicit LassoTool(QWidget* canvas);

  void setMode(DrawMode mode);
  [[nodiscard]] DrawMode mode() const noexcept { return mode_; }
  /// True: the event was part of an outline, and does nothing else.
  bool mouse(QEvent* event);
  void giveUp();  ///< the outline that is being drawn
  [[nodiscard]] bool drawing() const noexcept { return drawing_; }
  [[nodiscard]] const QPolygonF& outline() const noexcept { return outline_; }  ///< so far
  [[nodiscard]] QString hint() const;  ///< what can be done now; empty: nothing is drawn

 signals:
  void modeChanged();
  void outlineChanged();
  void drawn(const QPolygonF& outline, spira::ui::Combine how);

 private:
  QWidget* canvas_;
  DrawMode mode_ = DrawMode::off;
  QPointF from_;
  QPolygonF outline_;
  Combine how_ = Combine::replace;
  bool pressed_ = false, drawing_ = false;
};

}  // namespace spira::ui
