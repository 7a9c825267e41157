#include "ui/view3d/tools/measure_tool.hpp"

#include "ui/theme/screen_number.hpp"

#include <cmath>

namespace spira::ui {

QString distance_text(const Point& from, const Point& to, const Grid& grid, LengthUnit unit) {
  double square = 0;
  std::array<QString, 3> lengths, voxels;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double along = std::abs(to[axis] - from[axis]);
    square += along * along;
    lengths.at(axis) = onScreen(along, 'f', 2);
    voxels.at(axis) = QString::number(std::lround(along / grid.voxel_m.at(axis)));
  }
  const QString distance = withUnit(onScreen(std::sqrt(square), 'f', 2), unit);
  const QString in_voxels =
      MeasureTool::tr("%1, %2, %3 voxels along x, y, z").arg(voxels[0], voxels[1], voxels[2]);
  if (unit == LengthUnit::cells) return MeasureTool::tr("%1: %2").arg(distance, in_voxels);
  const QString along = withUnit(MeasureTool::tr("%1, %2, %3").arg(lengths[0], lengths[1], lengths[2]), unit);
  return MeasureTool::tr("%1: %2 or %3").arg(distance, along, in_voxels);
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
  if (ends_.empty()) return tr("Measure: click the first voxel. Esc exits.");
  return ends_.size() == 1 ? tr("Measure: click the second voxel. Esc exits.")
                           : tr("Click a voxel to measure again. Esc exits.");
}

}  // namespace spira::ui
