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

/// All that indexing a scene takes, the same each time.
struct IndexRequest {
  std::shared_ptr<const UploadedPoints> points;
  Grid grid;
  VoxelizeRequest voxelize;
  std::vector<int> strides;  ///< ascending; 1 is always made
};

/// Coordinate sets of all strides and the input features, in the back end's memory.
struct DeviceLevels {
  std::vector<std::shared_ptr<const CoordSet>> levels;  ///< ascending strides
  std::shared_ptr<const Features> features;             ///< of level 0
};

struct BuiltLevels {
  std::shared_ptr<VoxelScene> scene;  ///< host memory; `stages` is left empty
  DeviceLevels device;                ///< levels as in scene->levels
  IndexRequest again;                 ///< what index_again() takes
};

/// Throws Error(does_not_fit) before any kernel, Error(input) for a cloud without points inside the crop.
[[nodiscard]] BuiltLevels build_levels(Backend& backend, std::shared_ptr<const PointCloud> cloud,
                                       const Grid& grid, const LevelRequest& request, Job& job);

/// What build_levels() made on the back end once more, from points that are there; nothing comes to the host.
[[nodiscard]] DeviceLevels index_again(Backend& backend, const IndexRequest& request, Job& job);

}  // namespace spira
