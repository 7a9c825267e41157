#include "engine/run/kernel_fit.hpp"

namespace spira {

void require_kernel(const VoxelScene& scene, int kernel_size) {
  const auto& axes = scene.fit.axes;
  require_fit({axes[0].extent, axes[1].extent, axes[2].extent}, scene.pack, kernel_size,
              scene.levels.back()->stride);
}

}  // namespace spira
