// Voxel indexing of a scene on a back end: builds level 0 and the coordinate sets of all strides
// (section 5.5).
#pragma once

#include "engine/backend/backend.hpp"
#include "engine/run/voxel_scene.hpp"

#include <memory>
#include <vector>

namespace spira {

struct LevelRequest {
  PackSpec pack;
  Precision precision = Precision::fp32;
  int max_kernel_size = 3, max_stride = 1;
  std::vector<int> strides;  ///< Ascending. Stride 1 is always built.
};

/// The inputs of voxel indexing. index_again() repeats the indexing with the same inputs.
struct IndexRequest {
  std::shared_ptr<const UploadedPoints> points;
  Grid grid;
  VoxelizeRequest voxelize;
  std::vector<int> strides;  ///< Ascending. Stride 1 is always built.
};

/// Coordinate sets of all strides and the input features, in the back end's memory.
struct DeviceLevels {
  std::vector<std::shared_ptr<const CoordSet>> levels;  ///< Ascending strides.
  std::shared_ptr<const Features> features;             ///< Features of level 0.
};

struct BuiltLevels {
  std::shared_ptr<VoxelScene> scene;  ///< In host memory. `stages` is left empty.
  DeviceLevels device;                ///< Has the same levels as `scene->levels`.
  IndexRequest again;                 ///< Request for index_again().
};

/// Voxelises a scene and builds the coordinate sets of all strides. Throws `Error(does_not_fit)` before any
/// kernel runs, and `Error(input)` if no point lies inside the crop.
[[nodiscard]] BuiltLevels build_levels(Backend& backend, std::shared_ptr<const PointCloud> cloud,
                                       const Grid& grid, const LevelRequest& request, Job& job);

/// Repeats the indexing of build_levels() on the back end, from the points that were uploaded there. Does
/// not copy any result to the host.
[[nodiscard]] DeviceLevels index_again(Backend& backend, const IndexRequest& request, Job& job);

}  // namespace spira
