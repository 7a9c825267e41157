// Measures the distance between the centres of two voxels that the user clicks.
#pragma once

#include "engine/voxel/grid.hpp"

#include <QObject>
#include <QString>

#include <array>
#include <vector>

namespace spira::ui {

/// Returns text such as "12.34 m: 10.00, 7.20, 0.30 m or 200, 144, 6 voxels along x, y, z". In a
/// voxel file, where the unit is cells, returns text such as "5.00 cells: 3, 4, 0 voxels along x, y, z".
/// `grid` is the grid of stride 1.
[[nodiscard]] QString distance_text(const Point& from, const Point& to, const Grid& grid, LengthUnit unit);

class MeasureTool : public QObject {
  Q_OBJECT
 public:
  using QObject::QObject;

  void setOn(bool on);  ///< Turns the tool on or off and discards the current measurement.
  [[nodiscard]] bool on() const noexcept { return on_; }
  /// Adds an end point. If both end points exist, the point starts a new measurement.
  void take(const Point& centre_m);
  void clear();
  /// Restores a measurement. `ends` contains no point or two points. Two points turn the tool on.
  void restore(const std::vector<Point>& ends);
  /// Returns zero to two points.
  [[nodiscard]] const std::vector<Point>& ends() const noexcept { return ends_; }
  /// Returns instructions for the user. Returns an empty string if the tool is off.
  [[nodiscard]] QString hint() const;

 signals:
  void onChanged(bool on);
  void changed();

 private:
  bool on_ = false;
  std::vector<Point> ends_;
};

}  // namespace spira::ui
