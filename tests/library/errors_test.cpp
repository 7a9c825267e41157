// Tests that wrong arguments and files throw one line with the right kind, and that objects stay usable.
#include "tests/library/library_fixture.hpp"

#include <gmock/gmock.h>

#include <functional>
#include <limits>
#include <spira/error.hpp>
#include <spira/profile.hpp>

namespace spira::test {
namespace {

void expect_error(ErrorKind kind, const std::string& message, const std::function<void()>& work) {
  try {
    work();
    ADD_FAILURE() << "no error; expected " << message;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    EXPECT_EQ(std::string(error.what()), message);
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
  }
}

TEST_F(Library, WrongTensorsAreOneLine) {
  const std::vector<float> six(6);
  const std::vector<std::int32_t> cells(6);
  const auto matrix = Tensor::view(six, {2, 3});
  expect_error(ErrorKind::usage, "tensor: the shape [2, 4] needs 8 values, but there are 6", [&] {
    static_cast<void>(Tensor::view(six, {2, 4}));
  });
  expect_error(ErrorKind::usage, "tensor: the shape [-2, 3] is not possible", [&] {
    static_cast<void>(Tensor::view(six, {-2, 3}));
  });
  expect_error(ErrorKind::usage, "tensor: the address is a null pointer, but the shape is [2]",
               [&] { static_cast<void>(Tensor::view(nullptr, DataType::float32, {2})); });
  expect_error(
      ErrorKind::usage,
      "tensor: the strides are [1, 2], but the shape [2, 3] needs [3, 1] (row-major order, no gaps); "
      "copy the array first",
      [&] {
        static_cast<void>(Tensor::view(six.data(), DataType::float32, {2, 3}, Memory::host, {1, 2}));
      });
  EXPECT_EQ(Tensor::view(six.data(), DataType::float32, {1, 6}, Memory::host, {99, 1}).size(), 6);
  expect_error(ErrorKind::usage, "tensor: the values are float32, but the program reads float64",
               [&] { static_cast<void>(matrix.values<double>()); });
  expect_error(ErrorKind::usage, "positions: is int32 [2, 3]; expected float32 or float64 [points, 3]", [&] {
    static_cast<void>(Scene::points(Tensor::view(cells, {2, 3})));
  });
  expect_error(ErrorKind::usage, "positions: is float32 [3, 2]; expected float32 or float64 [points, 3]",
               [&] {
                 static_cast<void>(Scene::points(Tensor::view(six, {3, 2})));
               });
  expect_error(ErrorKind::usage, "positions: is in GPU memory; scenes are read from host memory", [&] {
    static_cast<void>(Scene::points(Tensor::view(six.data(), DataType::float32, {2, 3}, Memory::cuda)));
  });
  expect_error(ErrorKind::usage, "intensity: has 6 values, but positions has 2 rows",
               [&] { static_cast<void>(Scene::points(matrix, Tensor::view(six, {6}))); });
  expect_error(
      ErrorKind::usage,
      "coordinates: is float32 [2, 3]; expected int32 [voxels, 3], or [voxels, 4] with the batch index first",
      [&] { static_cast<void>(Scene::voxels(matrix, matrix)); });
}

TEST_F(Library, WrongValuesAreOneLine) {
  std::vector<float> six(6);
  six[4] = std::numeric_limits<float>::quiet_NaN();
  expect_error(ErrorKind::input, "positions: row 1 has a value that is NaN or infinite", [&] {
    static_cast<void>(Scene::points(Tensor::view(six, {2, 3})));
  });
  const std::vector<std::int32_t> twice(6, 5);
  const std::vector<float> features(2);
  expect_error(
      ErrorKind::input, "voxels: the voxel of row 0 occurs again in row 1; each voxel may occur only once",
      [&] {
        static_cast<void>(Scene::voxels(Tensor::view(twice, {2, 3}), Tensor::view(features, {2, 1})));
      });
}

TEST_F(Library, WrongArgumentsOfVoxelizeAreOneLine) {
  std::vector<float> six(6);
  const std::vector<float> nowhere;
  const Tensor matrix = Tensor::view(six, {2, 3});
  const auto refused = [&](ErrorKind kind, const std::string& message, const Tensor& positions,
                           const std::array<double, 3>& edges, const Tensor& features) {
    expect_error(kind, message, [&] { static_cast<void>(voxelize(positions, edges, features)); });
  };
  refused(ErrorKind::usage, "voxel_m: each edge must be finite and greater than 0", matrix, {1, 0, 1}, {});
  refused(ErrorKind::usage, "features: is float32 [6]; expected float32 [points, channels]", matrix,
          half_metre, Tensor::view(six, {6}));
  refused(ErrorKind::usage, "features: has 6 rows, but positions has 2", matrix, half_metre,
          Tensor::view(six, {6, 1}));
  refused(ErrorKind::input, "positions: contains no points", Tensor::view(nowhere, {0, 3}), half_metre, {});
  six[3] = 3e9F;
  refused(ErrorKind::does_not_fit,
          "positions: a voxel has the coordinate 3000000000, but coordinates are at most 2^30; use larger "
          "voxels",
          Tensor::view(six.data() + 3, DataType::float32, {1, 3}), {1, 1, 1}, {});
  std::vector<float> broken(2);
  broken[1] = std::numeric_limits<float>::infinity();
  six[3] = 1;
  refused(ErrorKind::input, "features: row 1 has a value that is NaN or infinite", matrix, half_metre,
          Tensor::view(broken, {2, 1}));
}

TEST_F(Library, MessagesBeginWithTheNameOfTheScene) {
  const std::vector<std::int32_t> cells{0, 0, 0, 1, 0, 0};
  const std::vector<float> features(2);
  const auto made = [&](const std::string& name) {
    return Scene::voxels(Tensor::view(cells, {2, 3}), Tensor::view(features, {2, 1}), name);
  };
  Runner runner(little());
  const std::string fault = ": each voxel has 1 input feature, but network little reads 4";
  expect_error(ErrorKind::input, "voxels" + fault, [&] { static_cast<void>(runner.run(made({}))); });
  expect_error(ErrorKind::input, "frame 7" + fault, [&] { static_cast<void>(runner.run(made("frame 7"))); });
  const std::vector<float> nowhere;
  const Scene empty = Scene::points(Tensor::view(nowhere, {0, 3}), {}, "scan 3");
  expect_error(ErrorKind::input, "scan 3: contains no points",
               [&] { static_cast<void>(runner.run(empty, {.voxel_m = half_metre})); });
}

TEST_F(Library, VoxelsAreNotDividedAgain) {
  const Network net = network(
      R"({"schema": "spira.network 2", "name": "gridded", "in_channels": 1,
          "input": {"features": "file", "grid": {"voxel_m": 0.5, "low_m": [0, 0, 0], "cells": [9000, 9000, 9000]}},
          "layers": [{"name": "stem", "out_channels": 2}]})");
  const Model model(net, on_cpu());
  const std::vector<std::int32_t> cells{0, 0, 0, 1, 0, 0};
  const std::vector<float> features(2);
  const Scene made = Scene::voxels(Tensor::view(cells, {2, 3}), Tensor::view(features, {2, 1}));
  const std::string file =
      std::string(SPIRA_SOURCE_DIR) + "/tests/fixtures/oracle/second/second.batch.safetensors";
  const std::string fault =
      ": contains voxels with an edge of 1; the voxel size 0.5 would split or merge them; leave voxel_m at "
      "zeros";
  for (const auto& [scene, name] :
       {std::pair(made, "voxels"), {read_scene(file), "second.batch.safetensors"}}) {
    const auto refused = [&, name = name](const std::function<void()>& work) {
      expect_error(ErrorKind::usage, name + fault, work);
    };
    refused([&, scene = scene] { static_cast<void>(Runner(model).run(scene, {.voxel_m = half_metre})); });
    refused([&, scene = scene] { static_cast<void>(profile(model, scene, {.voxel_m = half_metre})); });
    refused([&, scene = scene] { static_cast<void>(tune(model, {scene}, {.voxel_m = half_metre})); });
  }
  EXPECT_EQ(Runner(model).run(made, {.voxel_m = {1, 1, 1}}).outputs[0].features.rows(), 2);
}

TEST_F(Library, FilesOfAnotherVersionAreOneLine) {
  const auto file =
      folder_.write("later.json", R"({"schema": "spira.network 3", "name": "later", "layers": []})");
  try {
    const Network later(file.string());
    ADD_FAILURE() << later.name();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    EXPECT_THAT(error.what(), testing::StartsWith(file.string() + ": "));
    EXPECT_THAT(error.what(), testing::HasSubstr("spira.network"));
  }
}

TEST_F(Library, MissingFilesAndUnknownNamesOfNetworksAreDifferentErrors) {
  for (const std::string file : {"missing.json", "missing/resn21"})
    expect_error(ErrorKind::input, file + ": file not found", [&] { static_cast<void>(Network(file)); });
  expect_error(ErrorKind::usage,
               "network 'resn12': expected resn21, minkunet42, resnl20, fcgf, sbnet or a JSON file",
               [&] { static_cast<void>(Network("resn12")); });
}

TEST_F(Library, ARunnerIsUsableAfterEachError) {
  const Scene scene = random_scene(1000, 1);
  Runner runner(little());
  const auto run = [&](const Scene& of, const RunOptions& options) { return runner.run(of, options); };
  const auto right = copy_of<float>(run(scene, {.voxel_m = half_metre}).outputs.back().features);
  const auto expect_usable = [&] {
    EXPECT_EQ(copy_of<float>(run(scene, {.voxel_m = half_metre}).outputs.back().features), right);
  };
  expect_error(
      ErrorKind::usage,
      "voxel_m: the voxel size is missing; network little does not name one, so the program must set it",
      [&] { static_cast<void>(run(scene, {})); });
  expect_error(ErrorKind::usage, "outputs: network little has no layer 'head'",
               [&] { static_cast<void>(run(scene, {.voxel_m = half_metre, .outputs = {"head"}})); });
  expect_error(ErrorKind::usage, "memory: the model runs on the CPU, so its outputs are in host memory",
               [&] { static_cast<void>(run(scene, {.voxel_m = half_metre, .memory = Memory::cuda})); });
  expect_usable();
  const std::vector<double> far{0, 0, 0, 1e9, 1e9, 1e9};
  try {
    static_cast<void>(run(Scene::points(Tensor::view(far, {2, 3})), {.voxel_m = {1e-3, 1e-3, 1e-3}}));
    ADD_FAILURE() << "a scene of 10^12 voxels along each axis fits";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::does_not_fit) << error.what();
  }
  expect_usable();
  std::stop_source stop;
  stop.request_stop();
  expect_error(ErrorKind::cancelled, "cancelled: measuring the extent",
               [&] { static_cast<void>(run(scene, {.voxel_m = half_metre, .stop = stop.get_token()})); });
  expect_usable();
}

TEST_F(Library, ARunnerWithTooLittleMemoryCanRunSmallerScenes) {
  ModelOptions options = on_cpu();
  options.device.memory_limit_bytes = 1'000'000;
  Runner runner(Model(network(little_network), options));
  try {
    static_cast<void>(runner.run(random_scene(60'000, 1), {.voxel_m = {0.1, 0.1, 0.1}}));
    ADD_FAILURE() << "60,000 points fit in 1 MB";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::memory) << error.what();
    EXPECT_THAT(error.what(), testing::StartsWith("memory limit: "));
  }
  EXPECT_GT(runner.run(random_scene(100, 1), {.voxel_m = half_metre}).outputs[0].features.rows(), 0);
}

/// A network whose weights need 442 kB.
constexpr const char* heavy_network = R"({"schema": "spira.network 2", "name": "heavy", "layers": [
  {"name": "widen", "kernel_size": 1, "out_channels": 64}, {"name": "heavy", "out_channels": 64}]})";

TEST_F(Library, TheFirstRunThrowsIfTheWeightsDoNotFit) {
  ModelOptions options = on_cpu();
  options.device.memory_limit_bytes = 400'000;
  Runner runner(Model(network(heavy_network), options));
  try {
    static_cast<void>(runner.run(random_scene(10, 1), {.voxel_m = half_metre}));
    ADD_FAILURE() << "442 kB fit in 400 kB";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::memory) << error.what();
  }
}

TEST_F(Library, WeightsAndKeptOutputsCountForTheMemoryLimit) {
  std::vector<Result> kept;
  const auto refused = [&](Runner& runner) {
    try {
      kept.push_back(runner.run(random_scene(100, 1), {.voxel_m = half_metre}));
      return std::string();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::memory);
      return std::string(error.what());
    }
  };
  const auto fault = testing::MatchesRegex(
      "points: the run needs about [0-9.]+ kB, but the memory limit is [0-9.]+ kB; use larger voxels or a "
      "smaller scene");
  ModelOptions options = on_cpu();
  options.device.memory_limit_bytes = 460'000;
  Runner small(Model(network(heavy_network), options));
  EXPECT_THAT(refused(small), fault);
  options.device.memory_limit_bytes = 700'000;
  Runner large(Model(network(heavy_network), options));
  std::string why;
  while (why.empty() && kept.size() < 20)
    why = refused(large);
  EXPECT_GT(kept.size(), 1U);
  EXPECT_THAT(why, fault);
  kept.clear();
  EXPECT_EQ(refused(large), "");
}

TEST_F(Library, ARunThatNeedsTooMuchMemoryIsRefusedBeforeItBegins) {
  ModelOptions options = on_cpu();
  const Scene scene = random_scene(60'000, 1);
  const auto refused = [&](const RunOptions& run) {
    try {
      static_cast<void>(Runner(Model(network(little_network), options)).run(scene, run));
      return std::string();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::memory);
      return std::string(error.what());
    }
  };
  // The coordinate sets and input features of the scene fit in 5 MB.
  options.device.memory_limit_bytes = 5'000'000;
  EXPECT_THAT(refused({.voxel_m = {0.1, 0.1, 0.1}}),
              testing::MatchesRegex("points: the run needs about [0-9.]+ MB, but the memory limit is 5.0 MB; "
                                    "use larger voxels or a smaller scene"));
  // All outputs of a run exist at the same time only if the result keeps them.
  options.device.memory_limit_bytes = 21'000'000;
  EXPECT_EQ(refused({.voxel_m = {0.1, 0.1, 0.1}}), "");
  EXPECT_THAT(refused({.voxel_m = {0.1, 0.1, 0.1}, .outputs = {"stem", "down", "deep", "up", "join"}}),
              testing::HasSubstr("but the memory limit is"));
}

TEST_F(Library, ADeviceThatIsMissingIsAnError) {
  for (const DeviceInfo& device : devices()) {
    if (device.kind == DeviceKind::cuda && device.usable) GTEST_SKIP() << "this machine has " << device.name;
  }
  ModelOptions options;
  options.device.kind = DeviceKind::cuda;
  try {
    const Model model(network(little_network), options);
    ADD_FAILURE() << model.device().name;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::device) << error.what();
  }
}

TEST_F(Library, TuningChecksItsOptions) {
  const Model model = little();
  expect_error(ErrorKind::usage, "scenes: tuning needs at least one scene",
               [&] { static_cast<void>(tune(model, {})); });
  expect_error(ErrorKind::usage, "budget_s: must be finite and greater than 0",
               [&] { static_cast<void>(tune(model, {random_scene(10, 1)}, {.budget_s = 0})); });
  expect_error(ErrorKind::usage, "repetitions must be 1 to 10,000, and warmup 0 to 10,000",
               [&] { static_cast<void>(profile(model, random_scene(10, 1), {.repetitions = 0})); });
  expect_error(ErrorKind::input, "current: schema: missing", [&] {
    static_cast<void>(compare(profile(model, random_scene(10, 1), {.voxel_m = half_metre}), "{}"));
  });
  ModelOptions options = on_cpu();
  options.precision = DataType::int32;
  expect_error(ErrorKind::usage, "precision: is int32; expected float32 or float16",
               [&] { Model(network(little_network), options); });
}

}  // namespace
}  // namespace spira::test
