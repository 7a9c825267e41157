#include "engine/run/level_build.hpp"

#include "engine/backend/backend.hpp"
#include "engine/backend/host_read.hpp"
#include "engine/base/error.hpp"
#include "engine/base/fp16.hpp"
#include "engine/base/text.hpp"
#include "engine/job/stage_tree.hpp"
#include "engine/run/session.hpp"
#include "engine/scene/batch.hpp"
#include "engine/scene/extents.hpp"
#include "engine/voxel/grid.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

namespace spira {

namespace {

/// Chooses the positions of the levels with strides of up to `native_stride`, from those of level 0. A level
/// chooses from the level with half its stride, which is built here if the network does not have it.
void add_positions(Backend& backend, int native_stride, Positions of_level0, DeviceLevels& made, Job& job) {
  made.positions[1] = std::make_shared<const Positions>(std::move(of_level0));
  std::shared_ptr<const CoordSet> fine = made.levels.front();
  for (int stride = 2; stride <= native_stride; stride *= 2) {
    const auto stage = job.stage(StageKey("downsample", std::to_string(stride)).text());
    const LevelRule rule{PerAxis(stride)};
    const auto found = std::find_if(made.levels.begin(), made.levels.end(),
                                    [&](const auto& one) { return one->rule == rule; });
    const auto coarse = found != made.levels.end()
                            ? *found
                            : std::make_shared<const CoordSet>(backend.downsample(
                                  *made.levels.front(), SceneLevel(stride), made.shift, job));
    made.positions[stride] = std::make_shared<const Positions>(
        backend.downsample(*fine, *made.positions.at(stride / 2), *coarse, job));
    fine = coarse;
  }
}

/// Builds the coordinate sets and the input features of a scene on the back end. Moves the coordinates and
/// the features out of `level0`. The lists of points stay in `level0`.
DeviceLevels index_scene(Backend& backend, const IndexRequest& request, Voxelized& level0, Job& job) {
  {
    const auto stage = job.stage("voxelize");
    level0 = backend.voxelize(*request.points, request.grid, request.voxelize, job);
  }
  DeviceLevels made;
  made.points = request.points_of_network;
  made.shift = level0.shift;
  made.features = std::make_shared<const Features>(std::move(level0.features));
  made.levels.push_back(std::make_shared<const CoordSet>(std::move(level0.coords)));
  for (const SceneLevel& level : request.levels) {
    if (level.number == 1) continue;
    if (level.rule.is_points()) {
      if (request.points_of_network.rows) made.levels.push_back(request.points_of_network.rows);
      continue;
    }
    const auto stage = job.stage(StageKey("downsample", level_text(request.levels, level.number)).text());
    const auto level_of = [&](const LevelRule& rule) -> const CoordSet* {
      const auto found = std::find_if(made.levels.begin(), made.levels.end(),
                                      [&](const auto& one) { return one->rule == rule; });
      SPIRA_ASSERT(found != made.levels.end(), "a level is built before the levels on which it depends");
      return found->get();
    };
    if (level.rule.is_union()) {
      std::vector<const CoordSet*> parts;
      for (const LevelRule& part : level.rule.parts())
        parts.push_back(level_of(part));
      made.levels.push_back(std::make_shared<const CoordSet>(backend.unite(parts, level, job)));
      continue;
    }
    made.levels.push_back(std::make_shared<const CoordSet>(
        backend.downsample(*level_of(level.rule.base()), level, level0.shift, job)));
  }
  if (level0.positions)
    add_positions(backend, request.native_stride, std::move(*level0.positions), made, job);
  return made;
}

std::string why_no_points(const PointCloud& cloud, const Grid& grid) {
  if (!grid.crop_m || cloud.size() == 0) return cloud.name + ": contains no points";
  return cloud.name + ": no point lies inside the crop, " + text_of(*grid.crop_m, cloud.unit()) +
         "; the points span " + text_of(bounds(cloud), cloud.unit());
}

}  // namespace

DeviceLevels index_again(Backend& backend, const IndexRequest& request, Job& job) {
  Voxelized level0;
  return index_scene(backend, request, level0, job);
}

namespace {

void require_inside_cells(const PointCloud& cloud, const Grid& grid, const Network& network) {
  if (!network.grid || !network.grid->limited()) return;
  for (const Point& point : cloud.positions) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double cell = std::floor(point[axis] / grid.voxel_m[axis]);
      const std::int64_t cells = network.grid->cells.at(axis);
      if (cell >= 0 && cell < static_cast<double>(cells)) continue;
      throw Error(ErrorKind::input, cloud.name + ": a voxel has " + std::string(1, "xyz"[axis]) + " = " +
                                        shortest(cell) + ", but the input of network " + network.name +
                                        " has only the cells 0 to " + count_text(cells - 1) +
                                        " on this axis");
    }
  }
}

}  // namespace

std::shared_ptr<const PointCloud> gridded_cloud(std::shared_ptr<const PointCloud> cloud, const Grid& grid,
                                                const Network& network, Job& job) {
  if (cloud->feature_channels > 0 || network.features_from_file || !network.grid) return cloud;
  if (grid.voxel_m != network.grid->voxel_m)
    throw Error(ErrorKind::usage, "the voxel size is " + grid_text(grid.voxel_m) + " m, but network " +
                                      network.name + " reads voxels of " + grid_text(network.grid->voxel_m) +
                                      " m (input.grid in the network file); use this voxel size");
  if (grid.crop_m)
    throw Error(ErrorKind::usage,
                "network " + network.name +
                    " has its own origin and limits (input.grid in the network file); remove the crop");
  return for_each_frame(cloud, [&](const std::shared_ptr<const PointCloud>& frame) {
    return on_input_grid(*frame, *network.grid, network.features, job);
  });
}

bool has_limits(const Network& network) {
  return std::any_of(network.layers.begin(), network.layers.end(),
                     [](const Layer& layer) { return layer.cells != std::array<std::int64_t, 3>{}; });
}

std::shared_ptr<const PointCloud> input_cloud(std::shared_ptr<const PointCloud> cloud, const Grid& grid,
                                              const Network& network, Job& job) {
  const auto channels = [](int count) { return counted_text(count, "input feature", "input features"); };
  if (cloud->feature_channels > 0) {
    const std::array<double, 3> edge{1, 1, 1};
    const bool gridded = network.grid && grid.voxel_m == network.grid->voxel_m;
    if (grid.voxel_m != edge && !gridded)
      throw Error(ErrorKind::usage,
                  cloud->name + ": the voxels of this file have an edge length of 1, but the voxel size is " +
                      grid_text(grid.voxel_m) + "; set the voxel size to 1");
    require_inside_cells(*cloud, grid, network);
    if (cloud->feature_channels == network.in_channels) return cloud;
    throw Error(ErrorKind::input, cloud->name + ": each voxel has " + channels(cloud->feature_channels) +
                                      ", but network " + network.name + " reads " +
                                      std::to_string(network.in_channels));
  }
  if (network.features_from_file)
    throw Error(ErrorKind::input, cloud->name + ": is a point cloud, but network " + network.name +
                                      " reads " + channels(network.in_channels) +
                                      " per voxel from a file; open a voxel file");
  if (has_limits(network))
    throw Error(ErrorKind::input,
                cloud->name + ": is a point cloud, but network " + network.name +
                    " has a limited number of cells, counted from the grid origin of the library that "
                    "trained it; open a voxel file of that library, or add input.grid to "
                    "the network file");
  if (network.features.empty()) return cloud;
  return for_each_frame(cloud, [&](const std::shared_ptr<const PointCloud>& frame) {
    return with_input_features(*frame, grid, network.features, job);
  });
}

namespace {

/// Returns the first layer that reads or makes points. The network must have one.
const std::string& layer_with_points(const Network& network) {
  const auto found = std::find_if(network.layers.begin(), network.layers.end(), [](const Layer& layer) {
    return layer.moves_points() || layer.residual == points_source ||
           std::find(layer.inputs.begin(), layer.inputs.end(), points_source) != layer.inputs.end();
  });
  return found->name;
}

/// Returns the features of a point of a scan. The features of a voxel are the means of these features.
std::vector<float> features_of_scan(const PointCloud& cloud, const Point& origin, std::size_t point) {
  if (cloud.feature_channels > 0) {
    const auto channels = static_cast<std::ptrdiff_t>(cloud.feature_channels);
    const auto first = cloud.features.begin() + (static_cast<std::ptrdiff_t>(point) * channels);
    return {first, first + channels};
  }
  const Point& p = cloud.positions[point];
  return {static_cast<float>(p[0] - origin[0]), static_cast<float>(p[1] - origin[1]),
          static_cast<float>(p[2] - origin[2]), cloud.intensity.empty() ? 1.0F : cloud.intensity[point]};
}

/// Returns the points that the layers of a network read: the points of the voxel file, or of the scan.
/// `cloud` has the input features of the network.
PointRows rows_of_points(const PointCloud& cloud, const Grid& grid, const Point& origin,
                         const Network& network) {
  const bool features = reads_point_features(network);
  if (cloud.point_rows) {
    const PointRows& rows = *cloud.point_rows;
    if (features && rows.channels != network.in_channels)
      throw Error(
          ErrorKind::input,
          cloud.name + ": " +
              (rows.channels == 0 ? "contains no point_features"
                                  : "each point has " + counted_text(rows.channels, "feature", "features")) +
              ", but network " + network.name + " reads " +
              counted_text(network.in_channels, "feature", "features") + " of each point");
    return rows;
  }
  if (cloud.from_voxel_file)
    throw Error(ErrorKind::input, cloud.name + ": contains no points, but layer " +
                                      layer_with_points(network) + " of network " + network.name +
                                      " needs them; add the array points to the voxel file");
  PointRows rows;
  rows.channels = features ? network.in_channels : 0;
  for (int frame = 0; frame < cloud.batch(); ++frame) {
    const auto at_frame = static_cast<std::size_t>(frame);
    const std::int64_t begin = cloud.batch() > 1 ? cloud.frame_starts[at_frame] : 0,
                       end = cloud.batch() > 1 ? cloud.frame_starts[at_frame + 1] : cloud.size();
    for (auto at = static_cast<std::size_t>(begin); at < static_cast<std::size_t>(end); ++at) {
      const Point& point = cloud.positions[at];
      if (!grid.keeps(point)) continue;
      rows.positions.push_back(
          {point[0] / grid.voxel_m[0], point[1] / grid.voxel_m[1], point[2] / grid.voxel_m[2]});
      if (cloud.batch() > 1) rows.frames.push_back(static_cast<std::uint8_t>(frame));
      if (!features) continue;
      const auto values = features_of_scan(cloud, origin, at);
      rows.features.insert(rows.features.end(), values.begin(), values.end());
    }
  }
  return rows;
}

/// Returns the coordinate set of points in host memory. The key of each point is its number.
CoordSet rows_as_level(std::int64_t points, const SceneLevel& level, const PackSpec& pack) {
  CoordSet rows;
  rows.pack = pack;
  rows.stride = level.number;
  rows.rule = level.rule;
  rows.capacity = points;
  rows.size = points;
  const auto memory = make_host_pool();
  rows.keys =
      Buffer(memory, static_cast<std::size_t>(points) * static_cast<std::size_t>(pack.word_bits()) / 8);
  rows.count = Buffer(memory, sizeof(std::int64_t));
  rows.count.host_span<std::int64_t>()[0] = points;
  const auto number = [](auto keys) { std::iota(keys.begin(), keys.end(), 0); };
  if (pack.word_bits() == 32) {
    number(rows.keys.host_span<std::uint32_t>());
  } else {
    number(rows.keys.host_span<std::uint64_t>());
  }
  return rows;
}

NetworkPoints network_points(Backend& backend, PointRows rows, const SceneLevel& level,
                             const LevelRequest& request, const PackSpec& pack) {
  NetworkPoints made;
  made.rows = std::make_shared<const CoordSet>(backend.upload(rows_as_level(rows.size(), level, pack)));
  if (reads_point_features(*request.network)) {
    Features features{rows.size(), rows.channels, request.precision, {}};
    features.data = Buffer(make_host_pool(), rows.features.size() * bytes_of(request.precision));
    if (request.precision == Precision::fp16) {
      std::transform(rows.features.begin(), rows.features.end(), features.data.host_span<Fp16>().begin(),
                     [](float value) { return float_to_fp16(value); });
    } else {
      std::copy(rows.features.begin(), rows.features.end(), features.data.host_span<float>().begin());
    }
    made.features = std::make_shared<const Features>(backend.upload(features));
  }
  made.points = std::make_shared<const PointRows>(std::move(rows));
  return made;
}

}  // namespace

BuiltLevels build_levels(Backend& backend, std::shared_ptr<const PointCloud> cloud, const Grid& grid,
                         const LevelRequest& request, Job& job) {
  if (request.network != nullptr) cloud = gridded_cloud(std::move(cloud), grid, *request.network, job);
  const auto points = request.network == nullptr ? cloud : input_cloud(cloud, grid, *request.network, job);
  const VoxelRange range = voxel_range(*cloud, grid, job);
  if (range.points == 0) throw Error(ErrorKind::input, why_no_points(*cloud, grid));
  const auto extent = range.extent(request.needs.levels);
  const PackSpec pack = request.pack.with_batch(cloud->batch());
  const PackNeeds needs = request.needs.with_batch(cloud->batch());
  require_fit(extent, pack, needs);
  auto scene = std::make_shared<VoxelScene>();
  scene->grid = grid;
  scene->pack = pack;
  scene->span = range.span();
  scene->kept = range.points;
  scene->origin = display_origin(*cloud, grid.crop_m);
  if (request.notes) scene->notes = grid_notes(*cloud, grid, extents_of(*cloud, grid.crop_m));
  scene->fit = fit(extent, pack, needs);
  BuiltLevels built;
  built.again = {std::make_shared<const UploadedPoints>(backend.upload_points(points, job)),
                 grid,
                 {pack, needs.levels, request.precision, range, true, scene->origin},
                 request.levels,
                 request.native_stride};
  if (request.native_stride > 0) built.again.voxelize.positions = grid.positions;
  const auto of_points = std::find_if(request.levels.begin(), request.levels.end(),
                                      [](const SceneLevel& level) { return level.rule.is_points(); });
  if (of_points != request.levels.end() && request.network != nullptr) {
    built.again.points_of_network = network_points(
        backend, rows_of_points(*points, grid, scene->origin, *request.network), *of_points, request, pack);
  }
  Voxelized level0;
  built.device = index_scene(backend, built.again, level0, job);
  built.again.voxelize.point_lists = false;
  scene->cloud = std::move(cloud);
  scene->shift = level0.shift;
  scene->point_rows = built.device.points.points;
  scene->points_per_voxel = std::move(level0.points_per_voxel);
  scene->voxel_of_point = std::move(level0.voxel_of_point);
  for (const auto& level : built.device.levels) {
    scene->levels.push_back(backend.results_are_host_memory()
                                ? level
                                : std::make_shared<const CoordSet>(backend.download(*level)));
  }
  for (const auto& [stride, positions] : built.device.positions) {
    scene->positions[stride] = backend.results_are_host_memory()
                                   ? positions
                                   : std::make_shared<const Positions>(download(backend, *positions));
  }
  built.scene = std::move(scene);
  return built;
}

NetworkRunRequest run_request(const VoxelScene& scene, std::shared_ptr<const Network> network,
                              const Plan& plan, Job& job) {
  NetworkRunRequest request;
  request.levels = levels_of(*network);
  request.network = std::move(network);
  request.plan = plan;
  request.grid = scene.grid;
  request.pack = scene.pack;
  request.shift = scene.shift;
  request.capacity.points = scene.cloud->size();
  request.capacity.feature_channels = scene.cloud->feature_channels > 0
                                          ? scene.cloud->feature_channels
                                          : static_cast<int>(request.network->features.size());
  for (const SceneLevel& level : request.levels.sets)
    request.capacity.voxels.push_back(size_of(scene.level(level.number)));
  const VoxelRange range = voxel_range(*scene.cloud, scene.grid, job);
  request.capacity.frame_extent = range.extent(request.levels.needs.levels);
  request.capacity.batch = scene.cloud->batch();
  request.capacity.extent = scene.pack.batch_extent(request.capacity.frame_extent, request.capacity.batch);
  return request;
}

std::shared_ptr<const VoxelScene> voxelize_scene(Backend& backend, std::shared_ptr<const PointCloud> cloud,
                                                 const Grid& grid, PackSpec pack, const PackNeeds& needs,
                                                 Job& job, std::vector<SceneLevel> levels,
                                                 int native_stride) {
  const bool usual = levels.empty();
  LevelRequest request{pack, Precision::fp32, needs, std::move(levels)};
  request.native_stride = native_stride;
  for (int stride = 1; usual && stride <= needs.levels.coarsest.largest(); stride *= 2)
    request.levels.emplace_back(stride);
  Recorder recorder(backend.stages());
  Job timed = job.with_recorder(&recorder);
  const BuiltLevels built = build_levels(backend, std::move(cloud), grid, request, timed);
  auto scene = std::make_shared<VoxelScene>(*built.scene);
  scene->stages = recorder.take();
  return scene;
}

namespace {

/// Checks that the queries of one map cannot overflow the fields of the packing. Only the stride of its
/// inputs decides this, so a packing that was chosen for the map is never refused.
void require_packing(const VoxelScene& scene, const MapKey& key) {
  const auto& axes = scene.fit.axes;
  const PerAxis stride_in = scene.level(key.stride_in).rule.stride(),
                stride_out = scene.level(key.stride_out).rule.stride();
  const SearchedCells cells = searched_cells(key.kernel);
  PackNeeds needs = needs_of({key.kernel, stride_in.largest(), stride_out.largest()});
  needs.guard = guard_cells(cells.below, cells.above, stride_in);
  require_fit({axes[0].extent, axes[1].extent, axes[2].extent}, scene.pack,
              needs.with_batch(scene.cloud->batch()));
}

}  // namespace

std::shared_ptr<const KernelMap> map_of_scene(Backend& backend, const VoxelScene& scene, MapKey key,
                                              Job& job) {
  const CoordSet &in = scene.level(key.stride_in), &out = scene.level(key.stride_out);
  require_packing(scene, key);
  auto offsets = std::make_shared<const KernelOffsets>(key.kernel, in.rule.stride());
  const int all = key.kernel.native() ? 0 : offsets->max_threshold();
  const MapRequest request = with_positions(
      request_for_threshold(std::move(offsets), MapAlgorithm::z_delta, all, key.submanifold()), scene, key);
  const auto stage = job.stage("map[scene]");
  if (backend.results_are_host_memory())
    return std::make_shared<const KernelMap>(backend.build_map(in, out, request, job));
  return std::make_shared<const KernelMap>(make_host_adapter(backend)->build_map(in, out, request, job));
}

}  // namespace spira
