#include "engine/run/voxel_scene.hpp"

#include "engine/base/error.hpp"

#include <algorithm>

namespace spira {

const CoordSet& VoxelScene::level(int stride) const {
  std::string there;
  for (const auto& coords : levels) {
    if (coords->stride == stride) return *coords;
    there += (there.empty() ? "" : ", ") + std::to_string(coords->stride);
  }
  throw Error(ErrorKind::usage, "no level has stride " + std::to_string(stride) + "; available: " + there);
}

bool has_level(const VoxelScene& scene, int stride) noexcept {
  return std::any_of(scene.levels.begin(), scene.levels.end(),
                     [stride](const auto& one) { return one->stride == stride; });
}

Point VoxelScene::centre_m(Voxel voxel, int stride) const {
  Point centre{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double cell = static_cast<double>(voxel[axis]) + static_cast<double>(shift[axis]) + (0.5 * stride);
    centre[axis] = cell * grid.voxel_m[axis];
  }
  return centre;
}

void require_kernel(const VoxelScene& scene, int kernel_size) {
  const auto& axes = scene.fit.axes;
  require_fit({axes[0].extent, axes[1].extent, axes[2].extent}, scene.pack, kernel_size,
              scene.levels.back()->stride);
}

}  // namespace spira
