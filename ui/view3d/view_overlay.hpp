// Painted over the 3D view with Qt, so that it stays crisp: legend, axes, scale bar.
#pragma once

#include "ui/view3d/voxel_colours.hpp"
#include "ui/view3d/voxel_marker.hpp"

#include <QPolygonF>
#include <QWidget>

#include <array>
#include <optional>

namespace spira::ui {

class Theme;

class ViewOverlay : public QWidget {
  Q_OBJECT
 public:
  ViewOverlay(Theme* theme, QWidget* parent);

  void setLegend(const ColourLegend& legend);
  void setView(const std::array<double, 9>& axes, double metres_per_pixel);
  void setMarker(const std::optional<VoxelMarker>& marker);  ///< of the chosen voxel
  void setAxesShown(bool shown);                             ///< axes and scale bar
  void setNote(const QString& note);                         ///< right lower corner: what is drawn
  void setHint(const QString& hint);          ///< right, below: what the mouse does in the mode that is on
  void setOutline(const QPolygonF& outline);  ///< that is being drawn around voxels

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  void paintBackdrop(QPainter& painter, const QRectF& area) const;
  [[nodiscard]] QRectF legendPanel() const;
  [[nodiscard]] std::size_t classRows() const;
  [[nodiscard]] double barHeight() const;
  void paintLegend(QPainter& painter) const;
  void paintBar(QPainter& painter, const QPointF& top) const;
  void paintAxes(QPainter& painter) const;
  void paintScale(QPainter& painter) const;
  void paintHint(QPainter& painter) const;
  void paintOutline(QPainter& painter) const;

  Theme* theme_;
  ColourLegend legend_;
  std::array<double, 9> axes_{1, 0, 0, 0, 1, 0, 0, 0, 1};
  double metres_per_pixel_ = 0;
  QString note_, hint_;
  QPolygonF outline_;
  std::optional<VoxelMarker> marker_;
  bool axes_shown_ = true;
};

}  // namespace spira::ui
