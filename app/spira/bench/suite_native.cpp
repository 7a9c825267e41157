// Suite of `spira bench` for native layers, whose inputs are found from exact positions. Compares them with
// voxel layers, and repeats figures of the PointCNN++ paper ("PointCNN++: Performant Convolution on Native
// Points", CVPR 2026).
#include "app/spira/bench/bench.hpp"
#include "app/spira/bench/subjects.hpp"
#include "engine/backend/host_read.hpp"
#include "engine/base/error.hpp"
#include "engine/base/text.hpp"
#include "engine/run/backward.hpp"
#include "engine/run/level_build.hpp"
#include "engine/scene/extents.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>

namespace spira::app {
namespace {

constexpr std::uint64_t native_seed = 1;
constexpr int native_channels = 64, native_wide = 128;

/// What a subject of this suite runs on.
struct Variant {
  const char* name;
  Neighbourhood neighbourhood;
  PositionKind positions = PositionKind::nearest;
};
constexpr Variant on_voxels{"voxels", {}}, in_cube{"cube", {NeighbourShape::cube, 1, 0}},
    in_ball{"ball", {NeighbourShape::ball, 1, 0}},
    on_grid{"ball, positions grid", {NeighbourShape::ball, 1, 0}, PositionKind::grid};

/// A network with the neighbourhoods of a variant, on a scene.
struct NativeRun {
  std::unique_ptr<Session> session;
  Plan plan;
  [[nodiscard]] int last() const { return static_cast<int>(plan.layers.size()) - 1; }
};

NativeRun load_native(Bench& bench, std::shared_ptr<const PointCloud> cloud, Network network,
                      const Variant& variant) {
  if (variant.neighbourhood.native()) set_neighbourhood(network, variant.neighbourhood);
  NativeRun made;
  made.plan = default_plan(network);
  made.plan.precision = bench.precision();
  const Levels levels = levels_of(network);
  Grid grid = bench.scene().grid;
  grid.positions = variant.positions;
  const auto extent = voxel_range(*cloud, grid, bench.job()).extent(levels.needs.levels);
  const std::vector<PackSpec> packs = packings_that_fit(extent, levels.needs);
  if (packs.empty()) throw Error(ErrorKind::does_not_fit, cloud->name + ": no packing fits");
  auto weights =
      std::make_shared<const NetworkWeights>(seeded_weights(network, native_seed, bench.job().stop_token()));
  made.session = std::make_unique<Session>(
      bench.shared_backend(), std::make_shared<const Network>(std::move(network)), std::move(weights));
  static_cast<void>(
      made.session->load(std::move(cloud), grid, packs.front(), bench.precision(), bench.job()));
  return made;
}

/// Loads one layer, with its inputs. All layers run weight-stationary, unless `dense` is true.
NativeRun load_native_layer(Bench& bench, const std::shared_ptr<const PointCloud>& cloud, int kernel_size,
                            int out_channels, const Variant& variant, bool dense = false) {
  NativeRun made =
      load_native(bench, cloud, single_layer_network(kernel_size, 1, native_channels, out_channels), variant);
  if (!dense) set_threshold(made.plan, made.session->network(), 0);
  made.session->run_all(made.plan, bench.job(), {});
  return made;
}

Work native_work(const NativeRun& loaded, Precision precision) {
  const Layer& layer = loaded.session->network().layers.back();
  const auto result = loaded.session->result(loaded.last());
  const KernelMap& map = *result->map;
  // One product for each group is enough, because its inputs can be added first.
  return {bytes_of_features(map.inputs, layer.in_channels, precision) +
              bytes_of_features(map.outputs, layer.out_channels, precision) +
              bytes_of_features(std::int64_t{map.offsets->columns()} * layer.in_channels, layer.out_channels,
                                precision) +
              static_cast<double>(map.bytes()),
          2.0 * static_cast<double>(result->densities.pairs) * layer.in_channels * layer.out_channels};
}

BenchSubject native_map(const std::string& name, const std::shared_ptr<const NativeRun>& loaded,
                        MapAlgorithm algorithm) {
  LayerPlan plan = loaded->plan.layers.back();
  plan.algorithm = algorithm;
  const Session& session = *loaded->session;
  const auto& map = *session.result(loaded->last())->map;
  const auto keys = static_cast<double>(key_bytes(session.scene()->level(1)));
  const double positions =
      map.many() ? static_cast<double>(map.outputs * std::int64_t{sizeof(std::uint64_t)}) : 0;
  return {name,
          [loaded, plan](Job& job) { loaded->session->execute_layer(loaded->last(), plan, job, true); },
          {keys + positions + static_cast<double>(map.bytes()), 0}};
}

void native_maps(Bench& bench) {
  const std::string group = "map K=3";
  if (!bench.wants(group)) return;
  const auto& cloud = bench.scene().cloud;
  const auto layer = [&](int kernel_size, const Variant& variant) {
    return std::make_shared<const NativeRun>(
        load_native_layer(bench, cloud, kernel_size, native_channels, variant));
  };
  const auto ball = layer(3, in_ball);
  bench.measure(
      group, RatioOf::stages,
      {native_map("voxels K=5", layer(5, on_voxels), MapAlgorithm::z_delta),
       native_map("voxels", layer(3, on_voxels), MapAlgorithm::z_delta),
       native_map("cube", layer(3, in_cube), MapAlgorithm::z_delta),
       native_map("ball", ball, MapAlgorithm::z_delta), native_map("ball, hash", ball, MapAlgorithm::hash),
       native_map("ball, positions grid", layer(3, on_grid), MapAlgorithm::z_delta)});
}

BenchSubject native_features(Bench& bench, const std::string& name,
                             const std::shared_ptr<const NativeRun>& loaded) {
  const auto map = loaded->session->build_layer_map(loaded->last(), loaded->plan.layers.back(), bench.job());
  return {name,
          [loaded, map](Job& job) {
            static_cast<void>(loaded->session->execute_features(loaded->last(), *map, job));
          },
          native_work(*loaded, bench.precision())};
}

/// Measures a pass of a layer with an existing map.
BenchSubject native_pass(Bench& bench, const std::string& name,
                         const std::shared_ptr<const NativeRun>& loaded, LayerPass pass) {
  Session& session = *loaded->session;
  const auto map = session.build_layer_map(loaded->last(), loaded->plan.layers.back(), bench.job());
  const auto inputs = std::make_shared<const PassInputs>(session.pass_inputs(loaded->last(), bench.job()));
  return {name,
          [&bench, loaded, map, inputs, pass](Job& job) {
            Session& with = *loaded->session;
            {
              const auto stage = job.stage(std::string(text_of(pass)) + "[layer]");
              static_cast<void>(compute_pass(with.backend(), with.network().layers.back(),
                                             with.levels().layers.back(), pass,
                                             loaded->plan.layers.back().dataflow(), *map, *inputs, job));
            }
            bench.backend().wait();
          },
          native_work(*loaded, bench.precision())};
}

void layer_features(Bench& bench) {
  const auto& cloud = bench.scene().cloud;
  for (const int out_channels : {native_channels, native_wide}) {
    const std::string shape = std::to_string(native_channels) + ">" + std::to_string(out_channels);
    const std::string group = "features K=3 " + shape, backward = "gradients K=3 " + shape;
    if (!bench.wants(group) && !bench.wants(backward)) continue;
    const auto layer = [&](const Variant& variant, bool dense = false) {
      return std::make_shared<const NativeRun>(
          load_native_layer(bench, cloud, 3, out_channels, variant, dense));
    };
    const auto ball = layer(in_ball);
    bench.measure(group, RatioOf::stages,
                  {native_features(bench, "voxels, weight-stationary", layer(on_voxels)),
                   native_features(bench, "voxels, output-stationary", layer(on_voxels, true)),
                   native_features(bench, "cube", layer(in_cube)), native_features(bench, "ball", ball),
                   native_features(bench, "ball, positions grid", layer(on_grid))});
    if (bench.backend().extensions().gradients == nullptr) continue;
    bench.measure(backward, RatioOf::stages,
                  {native_features(bench, "ball, forward", ball),
                   native_pass(bench, "ball, input", ball, LayerPass::dgrad),
                   native_pass(bench, "ball, weight", ball, LayerPass::wgrad)});
  }
}

/// Measures the positions alone. Each row with positions computes the same as the row before it.
void native_positions(Bench& bench) {
  const std::string group = "positions";
  if (!bench.wants(group)) return;
  const VoxelScene& scene = bench.scene();
  Backend& backend = bench.backend();
  const auto points = std::make_shared<const UploadedPoints>(backend.upload_points(scene.cloud, bench.job()));
  VoxelizeRequest request{
      scene.pack, 16,          bench.precision(), voxel_range(*scene.cloud, scene.grid, bench.job()),
      false,      scene.origin};
  std::vector<BenchSubject> subjects;
  const auto add_voxelize = [&](const char* name) {
    subjects.push_back({name,
                        [&backend, &scene, points, request](Job& job) {
                          static_cast<void>(backend.voxelize(*points, scene.grid, request, job));
                          backend.wait();
                        },
                        {}});
  };
  add_voxelize("voxelize");
  request.positions = PositionKind::nearest;
  add_voxelize("voxelize, with positions");
  const auto level0 =
      std::make_shared<const Voxelized>(backend.voxelize(*points, scene.grid, request, bench.job()));
  for (const bool with : {false, true}) {
    subjects.push_back({with ? "downsample 2, with positions" : "downsample 2",
                        [&backend, level0, with](Job& job) {
                          const auto stage = job.stage("downsample");
                          const CoordSet coarse = backend.downsample(level0->coords, 2, job);
                          if (with)
                            static_cast<void>(
                                backend.downsample(level0->coords, *level0->positions, coarse, job));
                          backend.wait();
                        },
                        {}});
  }
  bench.measure(group, RatioOf::stages, std::move(subjects));
}

/// Measures networks from points to outputs, layer by layer, and the peak of their memory.
void native_networks(Bench& bench) {
  for (const char* id : {"resn21", "minkunet42"}) {
    const std::string group = id;
    if (!bench.wants(group)) continue;
    std::vector<BenchSubject> subjects;
    std::map<std::string, std::size_t> peaks;
    for (const Variant& variant : {on_voxels, in_cube, in_ball, on_grid}) {
      const auto loaded = std::make_shared<const NativeRun>(
          load_native(bench, bench.scene().cloud, network_preset(id), variant));
      MemoryPool& memory = bench.backend().memory();
      Job quiet = bench.job().with_recorder(nullptr);
      memory.reset_peak();
      const std::size_t before = memory.used_bytes();
      loaded->session->execute_network(loaded->plan, quiet);
      peaks[variant.name] = memory.peak_bytes() - before;
      subjects.push_back(
          {variant.name, [loaded](Job& job) { loaded->session->execute_network(loaded->plan, job); }, {}});
    }
    bench.measure(group, RatioOf::wall, std::move(subjects));
    const auto ratio = [&](const char* one, const char* other) {
      return fixed(static_cast<double>(peaks.at(one)) / static_cast<double>(peaks.at(other)), 2);
    };
    bench.add_claim(
        {"Native points need no more memory than positions on the grid.",
         "section 4.2, RTX 4090: 0.97 x (training)",
         group + ", inference: " + ratio("ball", "ball, positions grid") + " x; " + ratio("ball", "voxels") +
             " x that of voxels (" + bytes_text(peaks.at("ball")) + ")",
         peaks.at("ball") <= peaks.at("ball, positions grid") ? Agreement::agrees : Agreement::disagrees});
  }
}

/// Returns copies of a cloud side by side along x. The distance is a whole number of voxels, so all copies
/// have nearly the same voxels: a sum of coordinates can be rounded into the next voxel.
std::shared_ptr<const PointCloud> copies_of(const PointCloud& cloud, const Grid& grid, int copies) {
  auto all = std::make_shared<PointCloud>();
  all->name = cloud.name + " x " + std::to_string(copies);
  all->source = cloud.source;
  const Bounds box = on_whole_voxels(bounds(cloud), grid);
  constexpr double cells_between = 32;
  const double step = box.high[0] - box.low[0] + (cells_between * grid.voxel_m[0]);
  for (int copy = 0; copy < copies; ++copy) {
    for (const Point& point : cloud.positions)
      all->positions.push_back({point[0] + (step * copy), point[1], point[2]});
  }
  return all;
}

/// Repeats figures 3 and 4 of the paper: the forward and the backward pass of one layer, with growing scenes.
void growing_scenes(Bench& bench) {
  const std::int64_t most_rows = bench.backend().results_are_host_memory() ? 125'000 : 1'100'000;
  std::string ours;
  for (int copies = 1;; copies *= 2) {
    const auto cloud = copies_of(*bench.scene().cloud, bench.scene().grid, copies);
    if (copies > 1 && estimate_voxels(*cloud, bench.scene().grid, bench.job()) > most_rows) break;
    const std::string group = "layer of " + std::to_string(copies) + (copies == 1 ? " scene" : " scenes");
    if (!bench.wants(group)) continue;
    std::vector<BenchSubject> subjects;
    std::int64_t rows = 0;
    for (const Variant& variant : {in_ball, on_grid}) {
      const auto loaded =
          std::make_shared<const NativeRun>(load_native_layer(bench, cloud, 3, native_wide, variant));
      rows = size_of(loaded->session->scene()->level(1));
      const std::string suffix = std::string(", ") + variant.name;
      subjects.push_back({"forward" + suffix,
                          [loaded](Job& job) {
                            loaded->session->execute_layer(loaded->last(), loaded->plan.layers.back(), job);
                          },
                          {}});
      if (bench.backend().extensions().gradients == nullptr) continue;
      const auto input = native_pass(bench, "", loaded, LayerPass::dgrad),
                 weight = native_pass(bench, "", loaded, LayerPass::wgrad);
      subjects.push_back({"backward" + suffix,
                          [input, weight](Job& job) {
                            input.run(job);
                            weight.run(job);
                          },
                          {}});
    }
    bench.measure(group, RatioOf::stages, std::move(subjects));
    const auto series = series_of(bench, group, std::array{"forward, ball", "backward, ball"});
    ours += (ours.empty() ? "" : "; ") + count_text(rows) + " rows: " + medians_text(series);
  }
  if (ours.empty()) return;
  bench.add_claim(
      {"The time of a layer grows in proportion to the points (K = 3, 64 > 128, with its map).",
       "figures 3 and 4, RTX 4090: 13 to 28 ms forward and 22 to 46 ms backward for 455,000 to 1,065,000 "
       "points (S3DIS)",
       ours, Agreement::undecided});
}

void native_over_grid(Bench& bench) {
  const std::string group = "features K=3 64>128";
  if (!bench.wants(group)) return;
  const auto series = series_of(bench, group, std::array{"ball, positions grid", "ball"});
  if (series.size() < 2) return;
  const auto ratio = median_ratio(series[0].ms, series[1].ms);
  if (!ratio) return;
  bench.add_claim({"Exact positions cost little more time than positions on the grid.",
                   "section 4.2, RTX 4090: 1.09 x forward",
                   group + ": " + fixed(ratio->ratio(), 2) + " x (" + medians_text(series) + ")",
                   Agreement::undecided});
}

}  // namespace

void bench_native(Bench& bench) {
  bench.note(
      "not repeated: tables 1 and 2 of the paper, which need trained weights and data sets; the times of "
      "KPConv and of "
      "other engines in its figures");
  native_maps(bench);
  layer_features(bench);
  native_positions(bench);
  native_networks(bench);
  growing_scenes(bench);
  native_over_grid(bench);
}

}  // namespace spira::app
