// Tests networks, models, runners and tuning through the public headers.
#include "tests/library/library_fixture.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <random>
#include <spira/error.hpp>
#include <spira/profile.hpp>
#include <thread>

namespace spira::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST_F(Library, NetworksShowTheirLayersAndOutputs) {
  const Network little = network(little_network);
  EXPECT_EQ(little.name(), "little");
  EXPECT_EQ(little.input_channels(), 4);
  EXPECT_THAT(little.outputs(), ElementsAre("deep", "join"));
  ASSERT_EQ(little.layers().size(), 5U);
  const LayerInfo& up = little.layers()[3];
  EXPECT_EQ(up.operation, "conv");
  EXPECT_TRUE(up.transposed);
  EXPECT_THAT(up.kernel_size, ElementsAre(2, 2, 2));
  EXPECT_THAT(little.layers()[4].inputs, ElementsAre("up", "stem"));
  EXPECT_EQ(little.layers()[4].in_channels, 16);
  EXPECT_THAT(Network("resn21").outputs(), ElementsAre(Network("resn21").layers().back().name));
}

TEST_F(Library, OutputsHaveARowForEachVoxel) {
  Runner runner(little());
  const Result result = runner.run(random_scene(2000, 1), {.voxel_m = half_metre});
  ASSERT_EQ(result.outputs.size(), 2U);
  const Output &deep = result.outputs[0], &join = result.outputs[1];
  EXPECT_EQ(deep.layer, "deep");
  EXPECT_THAT(join.features.shape(), ElementsAre(join.coordinates.rows(), 6));
  EXPECT_THAT(deep.coordinates.shape(), ElementsAre(deep.features.rows(), 3));
  EXPECT_LT(deep.features.rows(), join.features.rows());
  for (const std::int32_t cell : copy_of<std::int32_t>(deep.coordinates)) {
    EXPECT_EQ(cell % 2, 0);
    EXPECT_LT(cell, 20 + 2);
  }
}

// If all points are in the centres of their voxels, a ball with K = 3 has the inputs of voxels.
TEST_F(Library, NativeLayersReadPositionsOfPoints) {
  const auto features = [&](const std::string& neighbours, double offset) {
    const std::string layer = R"(, "neighbours": ")" + neighbours + R"(", "out_channels": 8})";
    const Network net = network(R"({"schema": "spira.network 2", "layers": [{"name": "a")" + layer +
                                R"(, {"name": "b")" + layer + "]}");
    std::mt19937 random(9);
    std::vector<double> positions;
    for (int cell = 0; cell < 1000; ++cell) {
      if (random() % 3 != 0) continue;
      for (const int at : {cell / 100, cell / 10 % 10, cell % 10})
        positions.push_back((at + 0.5) / 2 + (random() % 2 == 0 ? offset : -offset));
    }
    const auto points = static_cast<std::int64_t>(positions.size() / 3);
    const Scene scene = Scene::points(Tensor::view(positions, {points, 3}));
    Runner runner(Model(net, on_cpu()));
    return copy_of<float>(runner.run(scene, {.voxel_m = half_metre}).outputs[0].features);
  };
  EXPECT_THAT(features("ball", 0), testing::Pointwise(testing::FloatNear(1e-4F), features("voxels", 0)));
  EXPECT_THAT(features("ball", 0.2),
              testing::Not(testing::Pointwise(testing::FloatNear(1e-2F), features("voxels", 0.2))));
}

TEST_F(Library, OutputsOutliveTheirRunnerAndLaterRuns) {
  auto runner = std::make_unique<Runner>(little());
  const Tensor first =
      runner->run(random_scene(2000, 1), {.voxel_m = half_metre, .outputs = {"join"}}).outputs[0].features;
  const auto before = copy_of<float>(first);
  static_cast<void>(runner->run(random_scene(3000, 2), {.voxel_m = half_metre}));
  runner.reset();
  EXPECT_EQ(copy_of<float>(first), before);
}

TEST_F(Library, AnyLayerCanBeAnOutput) {
  Runner runner(little());
  const Scene scene = random_scene(1000, 3);
  const Result all = runner.run(scene, {.voxel_m = half_metre, .outputs = {"join", "stem", "down"}});
  ASSERT_EQ(all.outputs.size(), 3U);
  EXPECT_EQ(all.outputs[1].layer, "stem");
  const Result one = runner.run(scene, {.voxel_m = half_metre, .outputs = {"stem"}});
  EXPECT_EQ(copy_of<float>(one.outputs[0].features), copy_of<float>(all.outputs[1].features));
}

TEST_F(Library, FourThreadsShareAModel) {
  const Model model = little();
  constexpr std::size_t threads = 4, scenes = 3;
  std::vector<Scene> inputs;
  std::vector<std::vector<float>> expected;
  Runner serial(model);
  for (std::size_t at = 0; at < scenes; ++at) {
    inputs.push_back(random_scene(800 + static_cast<std::int64_t>(at) * 300, static_cast<unsigned>(at)));
    expected.push_back(
        copy_of<float>(serial.run(inputs[at], {.voxel_m = half_metre}).outputs.back().features));
  }
  std::vector<std::vector<std::vector<float>>> found(threads);
  std::vector<std::thread> running;
  for (std::size_t thread = 0; thread < threads; ++thread) {
    running.emplace_back([&, thread] {
      Runner runner(model);
      for (const Scene& scene : inputs)
        found[thread].push_back(
            copy_of<float>(runner.run(scene, {.voxel_m = half_metre}).outputs.back().features));
    });
  }
  for (std::thread& one : running)
    one.join();
  for (const auto& results : found)
    EXPECT_EQ(results, expected);
}

double ms_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

/// Runs the scene, and requests a stop in another thread `after_ms` later. Returns the milliseconds from the
/// request to the end of the run, or nothing if the run was complete before the request.
std::optional<double> stopping_ms(Runner& runner, const Scene& scene, double after_ms) {
  std::stop_source stop;
  std::chrono::steady_clock::time_point requested;
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(after_ms));
    requested = std::chrono::steady_clock::now();
    stop.request_stop();
  });
  std::chrono::steady_clock::time_point ended;
  bool complete = true;
  try {
    static_cast<void>(runner.run(scene, {.voxel_m = {0.05, 0.05, 0.05}, .stop = stop.get_token()}));
  } catch (const Error& error) {
    ended = std::chrono::steady_clock::now();
    complete = error.kind() != ErrorKind::cancelled;
    EXPECT_FALSE(complete) << error.what();
  }
  other.join();
  if (complete) return std::nullopt;
  return std::chrono::duration<double, std::milli>(ended - requested).count();
}

TEST_F(Library, AnotherThreadStopsARunWithin100Ms) {
  Runner runner(Model(Network("resn21"), on_cpu()));
  const Scene scene = read_scene("street");
  const auto run = [&] {
    return copy_of<float>(runner.run(scene, {.voxel_m = {0.05, 0.05, 0.05}}).outputs.back().features);
  };
  static_cast<void>(run());  // Copies the weights.
  const auto begin = std::chrono::steady_clock::now();
  const auto right = run();
  const double full_ms = ms_since(begin);
  for (const double part : {0.02, 0.3, 0.6}) {
    // Other processes can delay one run, or make it shorter than the measured one.
    std::optional<double> fastest;
    for (int attempt = 0; attempt < 5 && fastest.value_or(1e9) >= 100; ++attempt) {
      if (const auto ms = stopping_ms(runner, scene, part * full_ms))
        fastest = std::min(fastest.value_or(*ms), *ms);
    }
    EXPECT_LT(fastest.value_or(1e9), 100) << "after " << part << " of a run of " << full_ms << " ms";
  }
  EXPECT_EQ(run(), right);
}

TEST_F(Library, NumberOfThreadsDoesNotChangeABit) {
  const Network net = network(little_network);
  const Scene scene = random_scene(4000, 5);
  Runner one(Model(net, on_cpu(1))), three(Model(net, on_cpu(3)));
  EXPECT_EQ(copy_of<float>(one.run(scene, {.voxel_m = half_metre}).outputs.back().features),
            copy_of<float>(three.run(scene, {.voxel_m = half_metre}).outputs.back().features));
}

TEST_F(Library, VoxelsOfABatchKeepTheirBatchIndex) {
  const Network net = network(
      R"({"schema": "spira.network 2", "name": "one", "in_channels": 1, "input": {"features": "file"},
          "layers": [{"name": "copy", "kernel_size": 1, "out_channels": 1, "norm": false, "activation": "none"}]})");
  ModelOptions options = on_cpu();
  options.weights = folder_.write("w.safetensors", weight_bytes({{"copy.weight", {1, 1, 1}, {1}}})).string();
  const std::vector<std::int32_t> cells{1, 7, 8, 9, 0, 7, 8, 9, 0, 1, 2, 3};
  const std::vector<float> features{3, 2, 1};
  const Scene scene = Scene::voxels(Tensor::view(cells, {3, 4}), Tensor::view(features, {3, 1}));
  EXPECT_TRUE(scene.has_voxels());
  const Result result = Runner(Model(net, options)).run(scene);
  ASSERT_THAT(result.outputs[0].coordinates.shape(), ElementsAre(3, 4));
  auto rows = copy_of<std::int32_t>(result.outputs[0].coordinates);
  for (std::size_t at = 0; at < rows.size(); ++at) {
    if (at % 4 != 0) rows[at] += static_cast<std::int32_t>(result.shift.at((at % 4) - 1));
  }
  EXPECT_THAT(rows, ElementsAre(0, 1, 2, 3, 0, 7, 8, 9, 1, 7, 8, 9));
  EXPECT_THAT(copy_of<float>(result.outputs[0].features), ElementsAre(1, 2, 3));
}

TEST_F(Library, CoordinatesPlusTheShiftAreTheVoxelsOfAScene) {
  const Network net = network(
      R"({"schema": "spira.network 2", "name": "here", "layers": [{"name": "stem", "out_channels": 2}]})");
  const Network gridded = network(
      R"({"schema": "spira.network 2", "name": "gridded", "input": {"features": ["x"], "grid": {
          "voxel_m": 0.5, "low_m": [990.25, -2010, -20], "cells": [100, 100, 100]}},
          "in_channels": 1, "layers": [{"name": "stem", "out_channels": 2}]})");
  // Coordinates of a map, far from the origin and on both sides of it.
  const std::vector<double> positions{700000.1, -5000000.1, -3.2, 700003.9, -4999999.2, -0.4};
  const auto voxels = [&](const Network& of, const std::vector<double>& points, const RunOptions& options) {
    const Result result =
        Runner(Model(of, on_cpu())).run(Scene::points(Tensor::view(points, {2, 3})), options);
    std::vector<std::int64_t> cells;
    for (const std::int32_t cell : copy_of<std::int32_t>(result.outputs[0].coordinates))
      cells.push_back(cell + result.shift.at(cells.size() % 3));
    return cells;
  };
  EXPECT_THAT(voxels(net, positions, {.voxel_m = half_metre}),
              ElementsAre(1400000, -10000001, -7, 1400007, -9999999, -1));
  EXPECT_THAT(voxels(net, positions, {.voxel_m = {0.001, 0.5, 0.5}}),
              ElementsAre(700000100, -10000001, -7, 700003900, -9999999, -1));
  // The cells of a network with an origin count from this origin.
  EXPECT_THAT(voxels(gridded, {1000.1, -2000.1, -3.2, 1003.9, -1999.2, -0.4}, {}),
              ElementsAre(19, 19, 33, 27, 21, 39));
}

TEST_F(Library, VoxelizeGivesTheVoxelsOfARunAndMeans) {
  const std::vector<double> positions{700003.9, -4.2, 0.6, 700000.1, 4.2, 0.4, 700000.2, 4.3, 0.1};
  const std::vector<float> features{1, 10, 2, 20, 4, 50};
  const Tensor points = Tensor::view(positions, {3, 3});
  const Voxels made = voxelize(points, half_metre, Tensor::view(features, {3, 2}));
  EXPECT_THAT(made.coordinates.shape(), ElementsAre(2, 3));
  EXPECT_THAT(copy_of<std::int32_t>(made.coordinates), ElementsAre(1400000, 8, 0, 1400007, -9, 1));
  EXPECT_THAT(copy_of<float>(made.features), ElementsAre(3, 35, 1, 10));
  EXPECT_THAT(copy_of<std::int32_t>(made.voxel_of_point), ElementsAre(1, 0, 0));
  EXPECT_EQ(Scene::voxels(made.coordinates, made.features).size(), 2);
  EXPECT_THAT(voxelize(points, half_metre).features.shape(), ElementsAre(2, 0));
}

TEST_F(Library, NetworksGiveTheSameForPointsAndTheirVoxels) {
  const std::string layers =
      R"("layers": [{"name": "stem", "out_channels": 4}, {"name": "deep", "kernel_size": 2, "stride": 2, "out_channels": 4}]})";
  const Network points = network(
      R"({"schema": "spira.network 2", "name": "points", "in_channels": 1, "input": {"features": ["intensity"]}, )" +
      layers);
  const Network voxels = network(
      R"({"schema": "spira.network 2", "name": "voxels", "in_channels": 1, "input": {"features": "file"}, )" +
      layers);
  std::mt19937 random(4);
  std::uniform_real_distribution<float> position(-9, 9), intensity(0, 1);
  constexpr std::int64_t count = 3000;
  std::vector<float> positions(3 * count), intensities(count);
  std::generate(positions.begin(), positions.end(), [&] { return position(random); });
  std::generate(intensities.begin(), intensities.end(), [&] { return intensity(random); });
  const Tensor at = Tensor::view(positions, {count, 3});
  const Voxels made = voxelize(at, half_metre, Tensor::view(intensities, {count, 1}));
  Runner by_points(Model(points, on_cpu())), by_voxels(Model(voxels, on_cpu()));
  const Result one =
      by_points.run(Scene::points(at, Tensor::view(intensities, {count})), {.voxel_m = half_metre});
  const Result other = by_voxels.run(Scene::voxels(made.coordinates, made.features));
  EXPECT_EQ(one.shift, other.shift);
  EXPECT_EQ(copy_of<std::int32_t>(one.outputs[0].coordinates),
            copy_of<std::int32_t>(other.outputs[0].coordinates));
  EXPECT_THAT(copy_of<float>(other.outputs[0].features),
              testing::Pointwise(testing::FloatNear(1e-5F), copy_of<float>(one.outputs[0].features)));
}

/// A network that copies the feature of each voxel into a grid of 3 x 2 x 1 cells.
constexpr const char* grid_network =
    R"({"schema": "spira.network 2", "name": "bev", "in_channels": 1, "input": {"features": "file"}, "layers": [
        {"name": "copy", "kernel_size": 1, "out_channels": 1, "norm": false, "activation": "none"},
        {"name": "grid", "op": "dense", "cells": [3, 2, 1]}], "outputs": ["copy", "grid"]})";

TEST_F(Library, BatchesOfOneFrameStayBatches) {
  ModelOptions options = on_cpu();
  options.weights = folder_.write("w.safetensors", weight_bytes({{"copy.weight", {1, 1, 1}, {1}}})).string();
  Runner runner(Model(network(grid_network), options));
  const std::vector<float> features{1, 2};
  for (const std::int32_t frame : {0, 2}) {
    const std::vector<std::int32_t> cells{frame, 2, 0, 0, frame, 0, 1, 0};
    const Result result =
        runner.run(Scene::voxels(Tensor::view(cells, {2, 4}), Tensor::view(features, {2, 1})));
    EXPECT_THAT(result.outputs[0].coordinates.shape(), ElementsAre(2, 4));
    EXPECT_THAT(copy_of<std::int32_t>(result.outputs[0].coordinates),
                ElementsAre(frame, 0, 1, 0, frame, 2, 0, 0));
    const Tensor& grid = result.outputs[1].features;
    EXPECT_THAT(grid.shape(), ElementsAre(frame + 1, 1, 1, 2, 3));  // Frames, channels, z, y, x.
    std::vector<float> expected(static_cast<std::size_t>(frame) * 6);
    expected.insert(expected.end(), {0, 0, 1, 2, 0, 0});
    EXPECT_EQ(copy_of<float>(grid), expected);
  }
}

TEST_F(Library, DenseOutputsAreGrids) {
  const Network net = network(grid_network);
  ModelOptions options = on_cpu();
  options.precision = DataType::float16;
  options.weights = folder_.write("w.safetensors", weight_bytes({{"copy.weight", {1, 1, 1}, {1}}})).string();
  const std::vector<std::int32_t> cells{2, 0, 0, 0, 1, 0};
  const std::vector<float> features{1, 2};
  const Result result = Runner(Model(net, options))
                            .run(Scene::voxels(Tensor::view(cells, {2, 3}), Tensor::view(features, {2, 1})));
  const Output& grid = result.outputs[1];
  EXPECT_TRUE(grid.coordinates.empty());
  EXPECT_EQ(grid.features.type(), DataType::float16);
  EXPECT_THAT(grid.features.shape(), ElementsAre(1, 1, 2, 3));  // Channels, z, y, x.
  EXPECT_THAT(copy_of<std::uint16_t>(grid.features), ElementsAre(0, 0, 0x3C00, 0x4000, 0, 0));
}

TEST_F(Library, ATunedPlanGivesTheSameShapes) {
  const Network net = network(little_network);
  const Model model(net, on_cpu());
  const Scene scene = random_scene(3000, 7);
  EXPECT_THAT(profile(model, scene, {.voxel_m = half_metre, .repetitions = 2}),
              HasSubstr(R"("schema": "spira.report")"));
  const std::string tuned = tune(model, {scene}, {.voxel_m = half_metre, .budget_s = 1});
  ModelOptions options = on_cpu();
  options.plan = folder_.write("little.tune.json", tuned).string();
  const auto run = [&](const Model& of) {
    return copy_of<float>(Runner(of).run(scene, {.voxel_m = half_metre}).outputs.back().features);
  };
  EXPECT_THAT(run(Model(net, options)), testing::Pointwise(testing::FloatNear(1e-4F), run(model)));
}

TEST_F(Library, ReportsOfTheSameNetworkCanBeCompared) {
  const Model model = little();
  const Scene scene = random_scene(1000, 8);
  const auto report = [&] { return profile(model, scene, {.voxel_m = half_metre, .repetitions = 3}); };
  const std::string comparison = compare(report(), report());
  EXPECT_THAT(comparison, HasSubstr(R"("schema": "spira.compare")"));
  EXPECT_THAT(comparison, HasSubstr(R"("verdict": )"));
}

/// Expects that two tensors refer to the same values.
void expect_same(const Tensor& tensor, const Tensor& wanted) {
  EXPECT_EQ(tensor.data(), wanted.data());
  EXPECT_EQ(tensor.type(), wanted.type());
  EXPECT_EQ(tensor.memory(), wanted.memory());
  EXPECT_EQ(tensor.shape(), wanted.shape());
}

TEST(LibraryTensors, AreEmptyAfterTheirContentWasMoved) {
  const std::vector<std::int32_t> six(6);
  const Tensor empty, matrix = Tensor::view(six.data(), DataType::int32, {2, 3}, Memory::cuda);
  EXPECT_THAT(empty.shape(), ElementsAre(0));
  EXPECT_EQ(empty.rows() + empty.size(), 0);
  Tensor first = matrix;
  Tensor second = std::move(first);
  expect_same(second, matrix);
  expect_same(first, empty);  // NOLINT(bugprone-use-after-move)
  first = std::move(second);
  expect_same(first, matrix);
  expect_same(second, empty);  // NOLINT(bugprone-use-after-move)
  Tensor& itself = first;
  first = std::move(itself);
  expect_same(first, matrix);
}

TEST(LibraryTensors, ReleaseTheirOwnerWhenTheyAreAssigned) {
  auto owner = std::make_shared<const std::vector<float>>(6);
  Tensor tensor = Tensor::owning(owner, owner->data(), DataType::float32, {6});
  EXPECT_EQ(owner.use_count(), 2);
  tensor = Tensor();
  EXPECT_EQ(owner.use_count(), 1);
  EXPECT_EQ(tensor.rows(), 0);
}

TEST(LibraryFacts, TheVersionIsThatOfTheHeaders) {
  EXPECT_EQ(version(), std::to_string(SPIRA_VERSION_MAJOR) + "." + std::to_string(SPIRA_VERSION_MINOR) + "." +
                           std::to_string(SPIRA_VERSION_PATCH));
}

TEST(LibraryFacts, TheCpuIsAlwaysADevice) {
  const auto all = devices();
  const auto cpu = std::find_if(all.begin(), all.end(),
                                [](const DeviceInfo& device) { return device.kind == DeviceKind::cpu; });
  ASSERT_NE(cpu, all.end());
  EXPECT_TRUE(cpu->usable);
  EXPECT_GT(cpu->threads, 0);
}

}  // namespace
}  // namespace spira::test
