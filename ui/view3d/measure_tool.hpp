// Measuring between two voxels: a click on each, the distance between their centres.
#pragma once

#include "engine/scene/point_cloud.hpp"

#include <QObject>
#include <QString>

#include <array>
#include <vector>

namespace spira::ui {

/// "12.34 m: 10.00, 7.20, 0.30 m or 200, 144, 6 voxels along x, y, z". `voxel_m`: of the grid, stride 1.
[[nodiscard]] QString distance_text(const Point& from, const Point& to, const std::array<double, 3>& voxel_m);

class MeasureTool : public QObject {
  Q_OBJECT
 public:
  using QObject::QObject;

  void setOn(bool on);  ///< off forgets what was measured
  [[nodiscard]] bool on() const noexcept { return on_; }
  void take(const Point& centre_m);  ///< the third begins anew
  void clear();
  void restore(const std::vector<Point>& ends);  ///< none, or the two of a distance: then it is on
  [[nodiscard]] const std::vector<Point>& ends() const noexcept { return ends_; }  ///< none, one or two
  [[nodiscard]] QString hint() const;  ///< what can be done now; empty: nothing is measured

 signals:
  void onChanged(bool on);
  void changed();

 private:
  bool on_ = false;
  std::vector<Point> ends_;
};

}  // namespace spira::ui
