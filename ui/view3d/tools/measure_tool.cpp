#include "ui/view3d/tools/measure_tool.hpp"

#include "ui/theme/screen_number.hpp"

#include <QCoreApplication>

#include <cmath>

namespace spira::ui {

QString distance_text(const Point& from, const Point& to, const std::array<double, 3>& voxel_m) {
  double square = 0;
  std::array<QString, 3> metres, voxels;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double along = std::abs(to[axis] - from[axis]);
    square += along * along;
    metres.at(axis) = onScreen(along, 'f', 2);
    voxels.at(axis) = QString::number(std::lround(along / voxel_m.at(axis)));
  }
  return QCoreApplication::translate("spira::ui::MeasureTool",
                                     "%1 m: %2, %3, %4 m or %5, %6, %7 voxels along x, y, z")
      .arg(onScreen(std::sqrt(square), 'f', 2))
      .arg(metres[0], metres[1], metres[2], voxels[0], voxels[1], voxels[2]);
}

void MeasureTool::setOn(bool on) {
  if (on == on_) return;
  on_ = on;
  ends_.clear();
  emit onChanged(on);
  emit changed();
}

void MeasureTool::take(const Point& centre_m) {
  if (ends_.size() == 2) ends_.clear();
  ends_.push_back(centre_m);
  emit changed();
}

void MeasureTool::clear() {
  if (ends_.empty()) return;
  ends_.clear();
  emit changed();
}

void MeasureTool::restore(const std::vector<Point>& ends) {
  if (!ends.empty()) setOn(true);
  ends_ = ends;
  emit changed();
}

QString MeasureTool::hint() const {
  if (!on_) return {};
  if (ends_.empty()) return tr("Click a voxel to measure from. Esc exits.");
  return ends_.size() == 1 ? tr("Click the voxel to measure to. Esc exits.")
                           : tr("Click a voxel to measure again. Esc exits.");
}

}  // namespace spira::ui
