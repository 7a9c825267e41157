// Draws a rectangle or a free outline around voxels in the 3D view, with the left mouse button. All other
// mouse actions stay unchanged.
#pragma once

#include "ui/model/tables/chosen_rows.hpp"

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
  /// Returns true if the event belongs to an outline. The caller must then not handle it.
  bool mouse(QEvent* event);
  void giveUp();  ///< discards the outline that is being drawn
  [[nodiscard]] bool drawing() const noexcept { return drawing_; }
  [[nodiscard]] const QPolygonF& outline() const noexcept { return outline_; }  ///< outline drawn so far
  [[nodiscard]] QString hint() const;  ///< instructions for the user; empty if the mode is off

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
