#include "ui/view3d/voxels/changed_values.hpp"

#include "engine/backend/host_read.hpp"
#include "engine/run/voxel_scene.hpp"

#include <QCoreApplication>

#include <algorithm>

namespace spira::ui {
namespace {

QString tr(const char* text) {
  return QCoreApplication::translate("spira::ui", text);
}

}  // namespace

VoxelValues changed_values(const VoxelScene& scene, int stride, const VoxelScene& other) {
  const CoordSet& own = scene.level(stride);
  const CoordSet* theirs = has_level(other, stride) ? &other.level(stride) : nullptr;
  const std::int64_t there = theirs != nullptr ? size_of(*theirs) : 0;
  VoxelValues values;
  values.title = tr("compared with the other scene");
  values.label.reserve(static_cast<std::size_t>(size_of(own)));
  std::int64_t common = 0;
  for (std::int64_t row = 0; row < size_of(own); ++row) {
    Voxel voxel = voxel_at(own, row);
    for (std::size_t axis = 0; axis < 3; ++axis)
      voxel[axis] += static_cast<std::int32_t>(scene.shift[axis] - other.shift[axis]);
    const bool outside = std::any_of(voxel.begin(), voxel.end(), [](std::int32_t at) { return at < 0; });
    const bool both = theirs != nullptr && !outside && row_of_voxel(*theirs, voxel);
    common += both ? 1 : 0;
    values.label.push_back(both ? 0 : 1);
  }
  values.classes = {{tr("in both"), {150, 150, 150}},
                    {tr("only in this scene"), {200, 0, 120}},
                    {tr("only in the other (not drawn)"), {150, 150, 150}, there - common}};
  return values;
}

}  // namespace spira::ui
