// Selects voxels inside a rectangle or a free outline that the user draws with the left mouse button. All
// other mouse actions work as usual.
#pragma once

#include "ui/model/tables/chosen_rows.hpp"
#include "ui/view3d/tools/picking.hpp"

#include <QObject>
#include <QPointF>
#include <QPolygonF>

#include <cstdint>
#include <memory>
#include <stop_token>
#include <vector>

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
  /// Handles a mouse event. Returns true if the tool consumed the event. In this case, the caller must ignore
  /// the event.
  bool mouse(QEvent* event);
  void giveUp();  ///< Discards the outline that is being drawn.
  [[nodiscard]] bool drawing() const noexcept { return drawing_; }
  [[nodiscard]] const QPolygonF& outline() const noexcept { return outline_; }
  /// Returns instructions for the user. Returns an empty string if the mode is off.
  [[nodiscard]] QString hint() const;

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

/// All inputs of rows_inside(). They are plain data, so the rows can be computed on any thread.
struct DrawnOutline {
  std::shared_ptr<const VoxelMesh> mesh;
  ViewPoint from;
  Picture picture;
  QPolygonF outline;  ///< Device-independent pixels of the picture.
  Combine how = Combine::replace;
};

/// Returns the rows of the voxels whose centre is inside the outline on the picture, in ascending order. The
/// result includes voxels behind other voxels, but not hidden voxels. Takes about 10 ns per voxel,
/// independent of the number of corners of the outline.
[[nodiscard]] std::vector<std::int32_t> rows_inside(const DrawnOutline& drawn, const std::stop_token& stop);

}  // namespace spira::ui
