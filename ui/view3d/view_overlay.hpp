// Items painted over the 3D view with Qt, so that they stay sharp: legend, axes, scale bar and labels.
#pragma once

#include "ui/view3d/motion/motion_marks.hpp"
#include "ui/view3d/voxels/voxel_colours.hpp"
#include "ui/view3d/voxels/voxel_marker.hpp"

#include <QLineF>
#include <QPolygonF>
#include <QVector>
#include <QWidget>

#include <array>
#include <optional>
#include <vector>

namespace spira::ui {

class Theme;

/// A measured distance. Positions are in device-independent pixels.
struct MeasuredLine {
  QPointF from, to;
  QString text;
  bool operator==(const MeasuredLine&) const = default;
};

/// Returns `wanted`, moved by the shortest distance to a position inside `area` where it intersects no
/// rectangle of `taken`. If no position is free, only moves `wanted` into `area`.
[[nodiscard]] QRectF free_place(const QRectF& wanted, const QRectF& area, const std::vector<QRectF>& taken);

/// The length of the scene that a pixel covers.
struct PictureScale {
  double length_per_pixel = 0;  ///< In `unit`. 0 means that no scale is known.
  LengthUnit unit = LengthUnit::metres;
  bool operator==(const PictureScale&) const = default;
};

class ViewOverlay : public QWidget {
  Q_OBJECT
 public:
  ViewOverlay(Theme* theme, QWidget* parent);

  void setLegend(const ColourLegend& legend);
  /// Shows or hides the legend. It is hidden while an animation replaces the voxels.
  void setLegendShown(bool shown);
  void setView(const std::array<double, 9>& axes, const PictureScale& scale);
  /// Returns the text of the scale bar, such as "5 m" or "100 cells, ground grid 10 cells".
  [[nodiscard]] QString scaleText() const { return scale().text; }
  void setMarker(const std::optional<VoxelMarker>& marker);
  void setMotion(std::optional<MotionShown> shown);  ///< Sets the marks of a lesson's animation.
  void setHovered(const QVector<QLineF>& edges);     ///< Sets the edges of the voxel under the pointer.
  void setMeasured(const std::optional<MeasuredLine>& line);
  /// Returns the areas of the painted panels and of the widgets on the view. The panel of the measured
  /// distance is not included.
  [[nodiscard]] std::vector<QRectF> occupied() const;
  [[nodiscard]] QRectF measuredPanel() const;  ///< Returns an empty rectangle if no distance is shown.
  /// Sets the distance between grid lines. 0 means that no grid is shown.
  void setGridSpacing(double spacing);
  void setAxesShown(bool shown);
  /// Sets the text in the lower right corner. It states which voxels are drawn.
  void setNote(const QString& note);
  [[nodiscard]] const QString& note() const noexcept { return note_; }
  /// Sets the text at the lower right that explains the mouse actions of the current mode.
  void setHint(const QString& hint);
  /// Sets the text at the top centre that explains why the picture is not updated.
  void setBadge(const QString& badge);
  [[nodiscard]] const QString& badge() const noexcept { return badge_; }
  void setOutline(const QPolygonF& outline);

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  void paintBackdrop(QPainter& painter, const QRectF& area) const;
  [[nodiscard]] QRectF legendPanel() const;
  [[nodiscard]] std::size_t classRows() const;
  [[nodiscard]] QString lowText() const;
  [[nodiscard]] QString highText() const;
  [[nodiscard]] double barHeight() const;
  void paintLegend(QPainter& painter) const;
  void paintBar(QPainter& painter, const QPointF& top) const;
  void paintAxes(QPainter& painter) const;
  /// A scale bar: a round length of about 110 pixels, its text, and the panel behind them.
  struct Scale {
    double pixels = 0;
    QString text;
    QRectF panel;
  };
  [[nodiscard]] Scale scale() const;
  [[nodiscard]] bool showsScale() const;
  [[nodiscard]] QRectF noteCorner() const;  // Returns the panel of the note in the lower right corner.
  [[nodiscard]] QRectF notePanel() const;
  [[nodiscard]] QRectF hintPanel() const;
  [[nodiscard]] QRectF badgePanel() const;
  [[nodiscard]] QRectF axesPanel() const;
  [[nodiscard]] std::vector<QRectF> panels() const;
  [[nodiscard]] QRectF nativePanel() const;  // Returns an empty rectangle if no native row is marked.
  [[nodiscard]] bool showsLegend() const { return legend_shown_ && !legend_.title.isEmpty(); }
  void paintScale(QPainter& painter) const;
  void paintNativeLegend(QPainter& painter) const;
  void paintNote(QPainter& painter) const;
  void paintHint(QPainter& painter) const;
  void paintBadge(QPainter& painter) const;
  void paintOutline(QPainter& painter) const;
  void paintHovered(QPainter& painter) const;
  void paintMeasured(QPainter& painter) const;
  void paintDistance(QPainter& painter) const;

  Theme* theme_;
  ColourLegend legend_;
  bool legend_shown_ = true;
  std::array<double, 9> axes_{1, 0, 0, 0, 1, 0, 0, 0, 1};
  PictureScale picture_scale_;
  QString note_, hint_, badge_;
  QPolygonF outline_;
  std::optional<VoxelMarker> marker_;
  std::optional<MotionShown> motion_;
  QVector<QLineF> hovered_;
  std::optional<MeasuredLine> measured_;
  double grid_spacing_ = 0;
  bool axes_shown_ = true;
};

}  // namespace spira::ui
