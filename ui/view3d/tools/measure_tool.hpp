// Measures the distance between the centres of two voxels that the user clicks.
#pragma once

#include "engine/scene/point_cloud.hpp"

#include <QObject>
#include <QString>

#include <array>
#include <vector>

namespace spira::ui {

/// Returns text such as "12.34 m: 10.00, 7.20, 0.30 m or 200, 144, 6 voxels along x, y, z". `voxel_m` is the
/// voxel size at stride 1, in metres.
[[nodiscard]] QString distance_text(const Point& from, const Point& to, const std::array<double, 3>& voxel_m);

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
