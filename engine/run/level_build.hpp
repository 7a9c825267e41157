// Voxel indexing of a scene on a back end: level 0 and the coordinate sets of all strides (section 5.5).
#pragma once

#include "engine/job/stage_names.hpp"
#include "engine/run/session.hpp"

#include <memory>
#include <vector>

namespace spira {

struct LevelRequest {
  PackSpec pack;
  Precision precision = Precision::fp32;
  int max_kernel_size = 3, max_stride = 1;
  std::vector<int> strides;  ///< ascending; 1 is always made
};

struct BuiltLevels {
  std::shared_ptr<VoxelScene> scene;  ///< host memory; `stages` is left empty
  std::vector<std::shared_ptr<const CoordSet>>
      device_levels;                         ///< as in scene->levels, in the back end's memory
  std::shared_ptr<const Features> features;  ///< of level 0
};

/// Throws Error(does_not_fit) before any kernel, Error(input) for a cloud without points inside the crop.
[[nodiscard]] BuiltLevels build_levels(Backend& backend, std::shared_ptr<const PointCloud> cloud,
                                       const Grid& grid, const LevelRequest& request, Job& job);

}  // namespace spira
