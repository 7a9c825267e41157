// Builds level 0 of a scene and the coordinate sets of all strides on a back end. This is the network-wide
// indexing of section 5.5 of the Spira paper.
#pragma once

#include "engine/backend/backend.hpp"
#include "engine/run/voxel_scene.hpp"
#include "engine/voxel/coord_set.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

namespace spira {

struct LevelRequest {
  PackSpec pack;
  Precision precision = Precision::fp32;
  PackNeeds needs{3, 1};
  std::vector<SceneLevel> levels;  ///< Level 0 is always built.
  /// The network, which determines the input features. If it is `nullptr`, the features of the cloud are
  /// used.
  const Network* network = nullptr;
  /// Levels up to this stride get positions. 0 means none (Levels::native_stride).
  int native_stride = 0;
  /// If false, VoxelScene::notes stays empty. The notes need more time than the voxels on a GPU.
  bool notes = true;
};

/// The points that layers of a network read.
struct NetworkPoints {
  std::shared_ptr<const PointRows> points;  ///< In host memory.
  /// One row for each point (LevelRule::of_points()), in the memory of the back end.
  std::shared_ptr<const CoordSet> rows;
  /// The features of the points, in the memory of the back end. `nullptr` if no layer reads them.
  std::shared_ptr<const Features> features;
};

/// The inputs of the indexing. index_again() repeats the indexing with them.
struct IndexRequest {
  std::shared_ptr<const UploadedPoints> points;
  Grid grid;
  VoxelizeRequest voxelize;
  std::vector<SceneLevel> levels;     ///< Level 0 is built even if it is missing here.
  int native_stride = 0;              ///< LevelRequest::native_stride.
  NetworkPoints points_of_network{};  ///< Set if `levels` contains points and the network is known.
};

/// The coordinate sets of all strides and the input features, in the memory of the back end.
struct DeviceLevels {
  std::vector<std::shared_ptr<const CoordSet>> levels;  ///< Level 0, followed by the requested levels.
  /// The positions of the levels whose number is a stride of at most LevelRequest::native_stride, by this
  /// stride.
  std::map<int, std::shared_ptr<const Positions>> positions{};
  std::shared_ptr<const Features> features;  ///< The features of level 0.
  NetworkPoints points{};                    ///< Set if the network reads points.
  std::array<std::int64_t, 3> shift{};       ///< VoxelScene::shift.
  /// Returns the features of the source "input" or "points" of a network.
  [[nodiscard]] const Features* source(std::string_view name) const {
    return name == points_source && points.features ? points.features.get() : features.get();
  }
};

struct BuiltLevels {
  std::shared_ptr<VoxelScene> scene;  ///< In host memory. Its field `stages` is empty.
  DeviceLevels device;                ///< The same levels as `scene->levels`, in the memory of the back end.
  IndexRequest again;                 ///< The argument for index_again().
};

/// Returns the points of a scan as the library of the network voxelises them (on_input_grid()), if the
/// network file describes that. Otherwise, and for voxel files, returns `cloud`. Throws `Error(usage)` if
/// `grid` has a crop or a different voxel size.
[[nodiscard]] std::shared_ptr<const PointCloud> gridded_cloud(std::shared_ptr<const PointCloud> cloud,
                                                              const Grid& grid, const Network& network,
                                                              Job& job);
/// Returns true if a layer limits its output voxels (Layer::cells). The limits are relative to the origin of
/// a voxel file, so such a network cannot read a point cloud.
[[nodiscard]] bool has_limits(const Network& network);

/// Returns the points that a network reads, with the input features that its file describes. Returns `cloud`
/// if it already has these features. Throws `Error(input)` if the cloud lacks an attribute, or if the network
/// needs a voxel file. Throws the same error if the voxel file has a different number of features, or voxels
/// outside the cells of the network.
[[nodiscard]] std::shared_ptr<const PointCloud> input_cloud(std::shared_ptr<const PointCloud> cloud,
                                                            const Grid& grid, const Network& network,
                                                            Job& job);

/// Voxelises a scene and builds the coordinate sets of all strides. The cloud of the scene is the result of
/// gridded_cloud(). Throws `Error(does_not_fit)` before any kernel runs if the scene does not fit the
/// packing, and `Error(input)` if no point lies inside the crop, or if the network reads points and the voxel
/// file contains none. The points of a scan are the points of its voxels, in the order of the cloud.
[[nodiscard]] BuiltLevels build_levels(Backend& backend, std::shared_ptr<const PointCloud> cloud,
                                       const Grid& grid, const LevelRequest& request, Job& job);

/// Repeats the indexing of build_levels(). The points are already on the back end. No result is downloaded.
[[nodiscard]] DeviceLevels index_again(Backend& backend, const IndexRequest& request, Job& job);

}  // namespace spira
