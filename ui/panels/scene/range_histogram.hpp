// Shows a histogram of the values by which the voxels are coloured. Two handles set the range of the colour
// map.
#pragma once

#include "ui/view3d/voxels/voxel_colours.hpp"

#include <QWidget>

#include <optional>

namespace spira::ui {

class Theme;

class RangeHistogram : public QWidget {
  Q_OBJECT
 public:
  explicit RangeHistogram(Theme* theme, QWidget* parent = nullptr);
  /// Shows the histogram and the range of the legend. Hides the widget if the legend has no histogram. While
  /// the user drags a handle, the handles do not move to the new range.
  void setLegend(const ColourLegend& legend);
  /// Returns the position of the low handle, or of the high handle if `high` is true.
  [[nodiscard]] QPoint handle(bool high) const;
  /// Returns a text with the number of voxels, and the median and the quartiles of the values.
  [[nodiscard]] QString facts() const;
  [[nodiscard]] QSize sizeHint() const override { return {200, 62}; }
  [[nodiscard]] QSize minimumSizeHint() const override { return {120, 44}; }

 signals:
  void rangeDragged(double low, double high);
  void resetRequested();  ///< Emitted after a double-click.

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  bool event(QEvent* event) override;

 private:
  enum class Handle { low, high };
  [[nodiscard]] QRectF plot() const;
  [[nodiscard]] double xOf(double value) const;
  [[nodiscard]] double valueAt(double x) const;
  [[nodiscard]] QString tipAt(double x) const;
  void paintHandle(QPainter& painter, double value) const;

  Theme* theme_;
  ColourLegend legend_;
  ValueRange shown_;
  std::optional<Handle> dragged_;
};

}  // namespace spira::ui
