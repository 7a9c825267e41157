// Builds level 0 of a scene and the coordinate sets of all strides on a back end (section 5.5 of the Spira
// paper).
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

/// The inputs of the indexing. index_again() repeats the indexing with the same inputs.
struct IndexRequest {
  std::shared_ptr<const UploadedPoints> points;
  Grid grid;
  VoxelizeRequest voxelize;
  std::vector<int> strides;  ///< Ascending. Stride 1 is always built.
};

/// The coordinate sets of all strides and the input features, in the memory of the back end.
struct DeviceLevels {
  std::vector<std::shared_ptr<const CoordSet>> levels;  ///< In ascending order of strides.
  std::shared_ptr<const Features> features;             ///< Features of level 0.
};

struct BuiltLevels {
  std::shared_ptr<VoxelScene> scene;  ///< In host memory. Its field `stages` is empty.
  DeviceLevels device;                ///< Has the same levels as `scene->levels`.
  IndexRequest again;                 ///< The request that index_again() needs.
};

/// Voxelises a scene and builds the coordinate sets of all strides. Throws `Error(does_not_fit)` before any
/// kernel runs if the scene does not fit the packing, and `Error(input)` if no point lies inside the crop.
[[nodiscard]] BuiltLevels build_levels(Backend& backend, std::shared_ptr<const PointCloud> cloud,
                                       const Grid& grid, const LevelRequest& request, Job& job);

/// Repeats the indexing of build_levels() from the points that are already on the back end. Copies no result
/// to the host.
[[nodiscard]] DeviceLevels index_again(Backend& backend, const IndexRequest& request, Job& job);

}  // namespace spira
