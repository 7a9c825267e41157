#include "ui/model/scene_statistics.hpp"

#include "engine/backend/host_read.hpp"
#include "engine/base/text.hpp"
#include "ui/theme/screen_number.hpp"

#include <QCoreApplication>

#include <algorithm>

namespace spira::ui {
namespace {

QString tr(const char* text) {
  return QCoreApplication::translate("spira::ui", text);
}

QString count(std::int64_t value) {
  return onScreen(count_text(value));
}

QString share(double part, double whole, int decimals) {
  return onScreen(percent_text(whole > 0 ? part / whole : 0.0, decimals));
}

QString extent_text(const Bounds& box, std::size_t axis, const VoxelScene& scene) {
  const double low = box.low.at(axis), high = box.high.at(axis);
  const auto shown = [&](double value) {
    return onScreen(fixed(value, metre_decimals(scene.grid.voxel_m.at(axis))));
  };
  return tr("%1 to %2, %3").arg(shown(low), shown(high), withUnit(shown(high - low), scene.cloud->unit()));
}

/// Returns the extents of the occupied cells, in whole voxels.
Bounds extents_of_voxels(const VoxelScene& scene) {
  Bounds box;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double cell = scene.grid.voxel_m[axis];
    // Number of cells along the axis, counted from the shifted origin.
    const std::int64_t last = scene.fit.axes[axis].extent;
    box.low.at(axis) = static_cast<double>(scene.shift[axis] + last - scene.span[axis]) * cell;
    box.high.at(axis) = static_cast<double>(scene.shift[axis] + last) * cell;
  }
  return box;
}

/// Adds a row for the view offset. Only scenes with large coordinates have a view offset.
void add_shift(const Point& shift, LengthUnit unit, std::vector<std::pair<QString, QString>>& rows) {
  if (shift == Point{0, 0, 0}) return;
  const auto at = [&](std::size_t axis) { return onScreen(fixed(shift.at(axis), 0)); };
  rows.emplace_back(tr("view offset"), withUnit(tr("%1, %2, %3").arg(at(0), at(1), at(2)), unit));
}

}  // namespace

std::vector<std::pair<QString, QString>> scene_statistics(const VoxelScene& scene,
                                                          const std::optional<Bounds>& extents) {
  const PointCloud& cloud = *scene.cloud;
  const std::int64_t voxels = size_of(scene.level(1));
  const double cells = static_cast<double>(scene.span[0]) * static_cast<double>(scene.span[1]) *
                       static_cast<double>(scene.span[2]);
  std::vector<std::pair<QString, QString>> rows;
  rows.emplace_back(tr("points"), count(cloud.size()));
  rows.emplace_back(
      tr("NaN or infinite points"),
      cloud.dropped_non_finite > 0 ? tr("%1 (removed)").arg(count(cloud.dropped_non_finite)) : count(0));
  rows.emplace_back(tr("points in the crop"), count(scene.kept));
  rows.emplace_back(tr("voxels"), count(voxels));
  rows.emplace_back(tr("duplicates"),
                    tr("%1 (%2): points in voxels that already contain a point")
                        .arg(count(scene.kept - voxels), share(static_cast<double>(scene.kept - voxels),
                                                               static_cast<double>(scene.kept), 1)));
  rows.emplace_back(tr("occupancy"),
                    tr("%1 of %2 x %3 x %4 cells")
                        .arg(share(static_cast<double>(voxels), cells, 3), count(scene.span[0]),
                             count(scene.span[1]), count(scene.span[2])));
  for (std::size_t axis = 0; extents && axis < 3; ++axis)
    rows.emplace_back(QString("xyz"[axis]), extent_text(*extents, axis, scene));
  add_shift(scene.origin, cloud.unit(), rows);
  for (std::size_t axis = 0; scene.grid.crop_m && axis < 3; ++axis)
    rows.emplace_back(tr("%1 in the crop").arg(QString("xyz"[axis])),
                      extent_text(extents_of_voxels(scene), axis, scene));
  const auto& axes = scene.fit.axes;
  rows.emplace_back(tr("bits needed"),
                    tr("%1 + %2 + %3 = %4 (packing: %5)")
                        .arg(axes[0].bits_needed)
                        .arg(axes[1].bits_needed)
                        .arg(axes[2].bits_needed)
                        .arg(axes[0].bits_needed + axes[1].bits_needed + axes[2].bits_needed)
                        .arg(QString::fromStdString(scene.pack.text())));
  for (const auto& level : scene.levels) {
    if (level->rule.is_points()) {
      rows.emplace_back(tr("points that the network reads"), count(size_of(*level)));
    } else if (level->stride > 1) {
      rows.emplace_back(
          tr("voxels at stride %1").arg(QString::fromStdString(level_text(scene, level->stride))),
          count(size_of(*level)));
    }
  }
  return rows;
}

QString small_lengths_text(const std::vector<double>& lengths, LengthUnit unit) {
  constexpr double mm_per_m = 1000;
  const bool metres = unit == LengthUnit::metres;
  QStringList numbers;
  for (const double length : lengths)
    numbers += metres ? onScreen(length * mm_per_m, 'f', 1) : onScreen(length, 'g', 3);
  return metres ? tr("%1\u00a0mm").arg(numbers.join(", ")) : withUnit(numbers.join(", "), unit);
}

std::vector<std::pair<QString, QString>> position_statistics(const PositionFacts& positions,
                                                             LengthUnit unit) {
  return {{tr("positions"), positions.kind == PositionKind::nearest ? tr("point nearest to the centre")
                                                                    : tr("corner of the voxel")},
          {tr("distance to centre"), tr("rms %1, 95 % within %2")
                                         .arg(small_lengths_text({positions.rms_m}, unit),
                                              small_lengths_text({positions.p95_m}, unit))},
          {tr("points merged"), count(positions.merged)}};
}

std::vector<std::pair<QString, QString>> attributeRanges(const PointCloud& cloud) {
  constexpr int digits = 6;
  std::vector<std::pair<QString, QString>> rows;
  for (const AttributeFacts& attribute : cloud.attributes) {
    QString range =
        tr("%1 to %2").arg(onScreen(attribute.low, 'g', digits), onScreen(attribute.high, 'g', digits));
    if (attribute.non_finite > 0)
      range = tr("%1; NaN or infinite: %2").arg(range, count(attribute.non_finite));
    if (!attribute.kept) range = tr("%1 (not used)").arg(range);
    rows.emplace_back(QString::fromStdString(attribute.name), range);
  }
  return rows;
}

QStringList notesOf(const VoxelScene& scene) {
  QStringList all;
  for (const auto* notes : {&scene.cloud->notes, &scene.notes}) {
    for (const auto& note : *notes)
      all += QString::fromStdString(printable(note));
  }
  return all;
}

}  // namespace spira::ui
