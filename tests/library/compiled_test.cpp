// Tests CompiledRunner as a program uses it that computes on the same GPU: inputs, runs and outputs follow
// each other on streams, without the host.
#include "tests/library/library_fixture.hpp"

#include <cuda_runtime_api.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <random>
#include <spira/compiled_runner.hpp>
#include <spira/device.hpp>
#include <spira/error.hpp>
#include <spira/profile.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace spira::test {
namespace {

using testing::HasSubstr;

void require(cudaError_t result) {
  if (result != cudaSuccess) throw std::runtime_error(cudaGetErrorString(result));
}

/// An array in GPU memory.
template <class T> class OnGpu {
 public:
  explicit OnGpu(std::size_t count) : count_(count) {
    void* data = nullptr;
    require(cudaMalloc(&data, count * sizeof(T)));
    data_.reset(static_cast<T*>(data), [](T* used) { static_cast<void>(cudaFree(used)); });
  }
  explicit OnGpu(const std::vector<T>& values) : OnGpu(values.size()) {
    require(cudaMemcpy(data_.get(), values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  }
  [[nodiscard]] T* data() const { return data_.get(); }
  [[nodiscard]] std::size_t bytes() const { return count_ * sizeof(T); }
  [[nodiscard]] Tensor tensor(std::vector<std::int64_t> shape) const {
    return Tensor::view(data_.get(), DataTypeOf<T>::value, std::move(shape), Memory::cuda);
  }

 private:
  std::size_t count_;
  std::shared_ptr<T> data_;
};

template <class T> std::vector<T> on_host(const Tensor& tensor, std::int64_t count) {
  std::vector<T> values(static_cast<std::size_t>(count));
  require(cudaMemcpy(values.data(), tensor.data(), values.size() * sizeof(T), cudaMemcpyDeviceToHost));
  return values;
}

std::int32_t rows_of(const CompiledOutput& output) {
  return on_host<std::int32_t>(output.rows, 1).front();
}

float value_of(std::uint16_t half) {
  const float sign = (half & 0x8000U) != 0 ? -1.0F : 1.0F;
  const int exponent = (half >> 10U) & 31U;
  const auto mantissa = static_cast<float>(half & 1023U);
  return sign * (exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024.0F + mantissa, exponent - 25));
}
float value_of(float value) {
  return value;
}

/// The points of a scan, on the host and on the GPU.
struct Scan {
  std::vector<float> positions, intensities;
  OnGpu<float> gpu_positions, gpu_intensities;

  Scan(std::vector<float> xyz, std::vector<float> values)
      : positions(std::move(xyz)),
        intensities(std::move(values)),
        gpu_positions(positions),
        gpu_intensities(intensities) {}
  [[nodiscard]] std::int64_t size() const { return std::ssize(intensities); }
  [[nodiscard]] Scene scene() const {
    return Scene::points(Tensor::view(positions, {size(), 3}), Tensor::view(intensities, {size()}));
  }
  void enqueue(CompiledRunner& runner, void* stream = nullptr) const {
    runner.enqueue(gpu_positions.tensor({size(), 3}), gpu_intensities.tensor({size()}), stream);
  }
};

/// Returns random points in the cube from `low` to `high`.
Scan scan_of(std::int64_t count, unsigned seed, float low = 0, float high = 10) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> place(low, high), intensity(0, 1);
  std::vector<float> positions(static_cast<std::size_t>(count) * 3),
      intensities(static_cast<std::size_t>(count));
  std::generate(positions.begin(), positions.end(), [&] { return place(random); });
  std::generate(intensities.begin(), intensities.end(), [&] { return intensity(random); });
  return {std::move(positions), std::move(intensities)};
}

class CompiledLibrary : public Library {
 protected:
  void SetUp() override {
    for (const DeviceInfo& device : devices()) {
      if (device.kind == DeviceKind::cuda && device.usable) return;
    }
    GTEST_SKIP() << "this machine has no usable GPU";
  }
  [[nodiscard]] static ModelOptions on_gpu(DataType precision = DataType::float32) {
    ModelOptions options;
    options.device.kind = DeviceKind::cuda;
    options.precision = precision;
    return options;
  }
  [[nodiscard]] Model little_on_gpu(DataType precision = DataType::float32) const {
    return Model(network(little_network), on_gpu(precision));
  }
};

const CompileOptions ten_metres{
    .voxel_m = half_metre, .headroom = 1.5, .low = {0, 0, 0}, .high = {10, 10, 10}};

/// Expects that a compiled run has the outputs of a run layer by layer.
template <class Value>
void expect_outputs(const CompiledRunner& runner, const Result& wanted, double tolerance) {
  ASSERT_EQ(runner.outputs().size(), wanted.outputs.size());
  for (std::size_t at = 0; at < wanted.outputs.size(); ++at) {
    const Output& output = wanted.outputs[at];
    const CompiledOutput& made = runner.outputs()[at];
    EXPECT_EQ(made.layer, output.layer);
    const bool dense = made.coordinates.empty();
    ASSERT_EQ(dense, output.coordinates.empty());
    if (dense) {
      EXPECT_EQ(made.features.shape(), output.features.shape());
      EXPECT_GT(rows_of(made), 0);
    } else {
      ASSERT_EQ(rows_of(made), output.features.rows());
      const std::int64_t columns = output.coordinates.shape()[1];
      auto cells = on_host<std::int32_t>(made.coordinates, output.coordinates.size());
      auto wanted_cells = copy_of<std::int32_t>(output.coordinates);
      // The bounding boxes differ, and therefore the shifts.
      for (std::size_t cell = 0; cell < cells.size(); ++cell) {
        const std::int64_t axis = static_cast<std::int64_t>(cell) % columns - (columns - 3);
        if (axis < 0) continue;
        cells[cell] += static_cast<std::int32_t>(runner.shift().at(static_cast<std::size_t>(axis)));
        wanted_cells[cell] += static_cast<std::int32_t>(wanted.shift.at(static_cast<std::size_t>(axis)));
      }
      ASSERT_EQ(cells, wanted_cells);
    }
    const auto features = on_host<Value>(made.features, output.features.size());
    const auto wanted_features = output.features.values<Value>();
    double worst = 0;
    for (std::size_t value = 0; value < features.size(); ++value) {
      const double right = value_of(wanted_features[value]);
      worst = std::max(worst, std::abs(value_of(features[value]) - right) / std::max(1.0, std::abs(right)));
    }
    EXPECT_LT(worst, tolerance) << made.layer;
  }
}

TEST_F(CompiledLibrary, OutputsEqualThoseOfARunnerInBothPrecisions) {
  const Scan example = scan_of(3000, 1);
  for (const DataType precision : {DataType::float32, DataType::float16}) {
    const Model model = little_on_gpu(precision);
    CompiledRunner compiled(model, example.scene(), ten_metres);
    Runner runner(model);
    for (const unsigned seed : {1U, 2U, 3U}) {
      const Scan scan = scan_of(3000 + (100 * seed), seed);
      scan.enqueue(compiled);
      compiled.wait();
      const Result wanted = runner.run(scan.scene(), {.voxel_m = half_metre});
      precision == DataType::float32 ? expect_outputs<float>(compiled, wanted, 1e-4)
                                     : expect_outputs<std::uint16_t>(compiled, wanted, 1e-2);
    }
  }
}

TEST_F(CompiledLibrary, OtherOutputsFloat64AndNoIntensity) {
  const Scan scan = scan_of(3000, 4);
  const std::vector<double> wide(scan.positions.begin(), scan.positions.end());
  const OnGpu<double> positions(wide);
  const Scene without = Scene::points(Tensor::view(scan.positions, {scan.size(), 3}));
  const Model model = little_on_gpu();
  CompileOptions options = ten_metres;
  options.outputs = {"stem", "up"};
  CompiledRunner compiled(model, without, options);
  compiled.enqueue(positions.tensor({scan.size(), 3}), Tensor(), nullptr);
  compiled.wait();
  Runner runner(model);
  expect_outputs<float>(compiled, runner.run(without, {.voxel_m = half_metre, .outputs = {"stem", "up"}}),
                        1e-4);
}

/// A network that ends with a bird's-eye view.
constexpr const char* bev_network = R"({"schema": "spira.network 2", "name": "bev", "in_channels": 5,
  "input": {"features": "file"}, "layers": [
  {"name": "stem", "out_channels": 8},
  {"name": "down", "kernel_size": 2, "stride": 2, "out_channels": 8},
  {"name": "bev", "op": "dense", "cells": [8, 8, 4]},
  {"name": "xyz", "inputs": ["down"], "op": "dense", "cells": [8, 9, 5], "axes": "xyz"}], "outputs": ["stem", "bev", "xyz"]})";

/// Voxels of a batch with features.
struct Voxels {
  std::vector<std::int32_t> cells;
  std::vector<float> features;
  std::int64_t count = 0;

  explicit Voxels(unsigned seed, int frames = 2, int channels = 5) {
    std::mt19937 random(seed);
    std::normal_distribution<float> value;
    for (int frame = 0; frame < frames; ++frame)
      for (int x = 0; x < 16; ++x)
        for (int y = 0; y < 16; ++y)
          for (int z = 0; z < 8; ++z) {
            if (random() % 4 != 0) continue;
            for (const int cell : {frame, x, y, z})
              cells.push_back(cell);
            for (int channel = 0; channel < channels; ++channel)
              features.push_back(value(random));
            ++count;
          }
  }
  [[nodiscard]] Scene scene() const {
    return Scene::voxels(Tensor::view(cells, {count, 4}), Tensor::view(features, {count, 5}));
  }
};

void enqueue(CompiledRunner& runner, const Voxels& voxels) {
  const OnGpu<std::int32_t> cells(voxels.cells);
  const OnGpu<float> features(voxels.features);
  runner.enqueue(cells.tensor({voxels.count, 4}), features.tensor({voxels.count, 5}), nullptr);
  require(cudaDeviceSynchronize());  // The arrays are freed here.
}

TEST_F(CompiledLibrary, BatchesOfVoxelsGiveABirdsEyeViewInBothPrecisions) {
  for (const int frames : {1, 2}) {
    for (const DataType precision : {DataType::float32, DataType::float16}) {
      const Model model(network(bev_network), on_gpu(precision));
      CompiledRunner compiled(model, Voxels(1, frames).scene(),
                              {.headroom = 1.2, .low = {0, 0, 0}, .high = {15, 15, 7}});
      Runner runner(model);
      for (const unsigned seed : {2U, 3U}) {
        const Voxels voxels(seed, frames);
        enqueue(compiled, voxels);
        compiled.wait();
        precision == DataType::float32
            ? expect_outputs<float>(compiled, runner.run(voxels.scene()), 1e-4)
            : expect_outputs<std::uint16_t>(compiled, runner.run(voxels.scene()), 1e-2);
      }
      Voxels wrong(4, frames);
      wrong.cells[0] = frames;  // This frame does not exist.
      enqueue(compiled, wrong);
      EXPECT_THROW(compiled.wait(), Error);
      EXPECT_EQ(rows_of(compiled.outputs()[1]), -1);
    }
  }
}

/// Outputs that are parts of a concatenation begin in the middle of rows, at addresses of 8 bytes.
TEST_F(CompiledLibrary, OutputsInsideJoinedRowsAreCopied) {
  const Network joined = network(R"({"schema": "spira.network 2", "name": "joined", "layers": [
    {"name": "a", "out_channels": 4},
    {"name": "b", "inputs": ["input"], "out_channels": 16},
    {"name": "c", "inputs": ["a", "b"], "out_channels": 8}], "outputs": ["a", "b", "c"]})");
  const Scan scan = scan_of(3000, 1);
  for (const DataType precision : {DataType::float32, DataType::float16}) {
    const Model model(joined, on_gpu(precision));
    CompiledRunner compiled(model, scan.scene(), ten_metres);
    scan.enqueue(compiled);
    compiled.wait();
    Runner runner(model);
    const Result wanted = runner.run(scan.scene(), {.voxel_m = half_metre});
    precision == DataType::float32 ? expect_outputs<float>(compiled, wanted, 1e-4)
                                   : expect_outputs<std::uint16_t>(compiled, wanted, 1e-2);
  }
}

TEST_F(CompiledLibrary, EmptyScenesAndScenesOfExactlyTheCapacity) {
  const Scan example = scan_of(3000, 1);
  const Model model = little_on_gpu();
  CompiledRunner compiled(model, example.scene(), {.voxel_m = half_metre});
  Runner runner(model);
  for (int round = 0; round < 2; ++round) {
    compiled.enqueue(Tensor::view(nullptr, DataType::float32, {0, 3}, Memory::cuda), {}, nullptr);
    compiled.wait();
    for (const CompiledOutput& output : compiled.outputs())
      EXPECT_EQ(rows_of(output), 0);
    example.enqueue(compiled);
    compiled.wait();
    expect_outputs<float>(compiled, runner.run(example.scene(), {.voxel_m = half_metre}), 1e-4);
  }
}

TEST_F(CompiledLibrary, TheExampleRunsOnceAndOutputsOutliveTheRunner) {
  const Scan example = scan_of(3000, 1), second = scan_of(2500, 2);
  const Model model = little_on_gpu();
  std::vector<CompiledOutput> kept;
  {
    CompiledRunner compiled(model, example.scene(), ten_metres);
    EXPECT_GT(rows_of(compiled.outputs().back()), 0);
    for (int run = 0; run < 20; ++run)
      second.enqueue(compiled);
    kept = compiled.outputs();
    // The destructor waits for the runs.
  }
  const Output wanted = Runner(model).run(second.scene(), {.voxel_m = half_metre}).outputs.back();
  EXPECT_EQ(rows_of(kept.back()), wanted.features.rows());
}

TEST_F(CompiledLibrary, ACapturedStreamIsRefusedAndDoesNotAffectTheNextRun) {
  const Scan scan = scan_of(3000, 1);
  CompiledRunner compiled(little_on_gpu(), scan.scene(), ten_metres);
  cudaStream_t stream = nullptr;
  require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  try {
    scan.enqueue(compiled, stream);
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
  }
  cudaGraph_t graph = nullptr;
  require(cudaStreamEndCapture(stream, &graph));
  static_cast<void>(cudaGraphDestroy(graph));
  scan.enqueue(compiled, stream);
  compiled.wait();
  EXPECT_GT(rows_of(compiled.outputs().back()), 0);
  static_cast<void>(cudaStreamDestroy(stream));
}

TEST_F(CompiledLibrary, ASceneThatExceedsTheCapacityDoesNotAffectTheNext) {
  const Scan example = scan_of(3000, 1), outside = scan_of(3000, 5, -1, 11), crowd = scan_of(4500, 6);
  const Model model = little_on_gpu();
  CompiledRunner compiled(model, example.scene(), ten_metres);
  // Example of few voxels: all its points are in an eighth of the box.
  CompiledRunner small(model, scan_of(4500, 7, 0, 5).scene(),
                       {.voxel_m = half_metre, .low = {0, 0, 0}, .high = {10, 10, 10}});
  Runner runner(model);
  const auto fails = [](CompiledRunner& failing, const Scan& scan, const std::string& text) {
    scan.enqueue(failing);
    try {
      failing.wait();
      ADD_FAILURE() << "no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::does_not_fit);
      EXPECT_THAT(error.what(), HasSubstr(text));
    }
    for (const CompiledOutput& output : failing.outputs())
      EXPECT_EQ(rows_of(output), -1);
    failing.wait();  // The error was reported.
  };
  fails(compiled, outside, "outside the bounding box");
  fails(small, crowd, "the network was compiled for at most");
  for (CompiledRunner* after : {&compiled, &small}) {
    const Scan scan = after == &compiled ? scan_of(2900, 8) : scan_of(4000, 8, 0, 5);
    // The host does not wait between the scene that fails and the next one.
    (after == &compiled ? outside : crowd).enqueue(*after);
    scan.enqueue(*after);
    EXPECT_THROW(after->wait(), Error);
    expect_outputs<float>(*after, runner.run(scan.scene(), {.voxel_m = half_metre}), 1e-4);
  }
  try {
    scan_of(4503, 9).enqueue(small);
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::does_not_fit);
  }
}

TEST_F(CompiledLibrary, WrongTensorsAreRefused) {
  const Scan scan = scan_of(3000, 1);
  CompiledRunner compiled(little_on_gpu(), scan.scene(), ten_metres);
  const auto refuses = [&](const Tensor& positions, const Tensor& values, const std::string& text) {
    try {
      compiled.enqueue(positions, values, nullptr);
      ADD_FAILURE() << "no error: " << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      EXPECT_EQ(error.what(), text);
    }
  };
  const Tensor right = scan.gpu_positions.tensor({3000, 3});
  refuses(Tensor::view(scan.positions, {3000, 3}), {},
          "positions: is in host memory; CompiledRunner reads GPU memory");
  refuses(scan.gpu_positions.tensor({9000}), {},
          "positions: is float32 [9000]; expected float32 or float64 [points, 3]");
  refuses(right, scan.gpu_intensities.tensor({1500, 2}),
          "values: is float32 [1500, 2]; expected float32 [points]");
  refuses(right, Tensor::view(scan.intensities, {3000}),
          "values: is in host memory; CompiledRunner reads GPU memory");
}

/// Feeds two scans in turn and logs the outputs of each run, all on `stream`. The run itself is on `run_on`.
/// Returns the number of runs with a wrong log.
int wrong_runs(CompiledRunner& runner, const std::array<Scan, 2>& scans, int runs, cudaStream_t stream,
               cudaStream_t run_on) {
  const CompiledOutput& last = runner.outputs().back();
  constexpr std::size_t logged = 600;
  std::array<std::vector<float>, 2> wanted;
  std::array<std::int32_t, 2> wanted_rows{};
  for (std::size_t at = 0; at < 2; ++at) {
    scans[at].enqueue(runner, stream);
    runner.wait();
    wanted[at] = on_host<float>(last.features, logged);
    wanted_rows[at] = rows_of(last);
  }
  const OnGpu<float> positions(static_cast<std::size_t>(scans[0].size()) * 3),
      intensities(scans[0].intensities.size());
  const OnGpu<float> log(logged * static_cast<std::size_t>(runs));
  const OnGpu<std::int32_t> log_rows(static_cast<std::size_t>(runs));
  const OnGpu<std::uint16_t> delay(std::size_t{64} << 20U);
  require(cudaMemset(positions.data(), 0, positions.bytes()));
  require(cudaDeviceSynchronize());
  for (int run = 0; run < runs; ++run) {
    const Scan& scan = scans[static_cast<std::size_t>(run % 2)];
    // Without the order of the stream, the run would read the inputs before this work is done.
    require(cudaMemsetAsync(delay.data(), run % 2, delay.bytes(), stream));
    require(cudaMemcpyAsync(positions.data(), scan.gpu_positions.data(), positions.bytes(),
                            cudaMemcpyDeviceToDevice, stream));
    require(cudaMemcpyAsync(intensities.data(), scan.gpu_intensities.data(), intensities.bytes(),
                            cudaMemcpyDeviceToDevice, stream));
    runner.enqueue(positions.tensor({scan.size(), 3}), intensities.tensor({scan.size()}), run_on);
    require(cudaMemcpyAsync(log.data() + (logged * static_cast<std::size_t>(run)), last.features.data(),
                            logged * sizeof(float), cudaMemcpyDeviceToDevice, stream));
    require(cudaMemcpyAsync(log_rows.data() + run, last.rows.data(), sizeof(std::int32_t),
                            cudaMemcpyDeviceToDevice, stream));
  }
  runner.wait();
  require(cudaDeviceSynchronize());
  const auto values =
      on_host<float>(log.tensor({std::int64_t{runs}, std::int64_t{logged}}), std::int64_t{logged} * runs);
  const auto rows = on_host<std::int32_t>(log_rows.tensor({runs}), runs);
  int wrong = 0;
  for (int run = 0; run < runs; ++run) {
    const auto scan = static_cast<std::size_t>(run % 2);
    bool right = rows[static_cast<std::size_t>(run)] == wanted_rows[scan];
    for (std::size_t at = 0; at < logged; ++at)
      right =
          right && std::abs(values[(logged * static_cast<std::size_t>(run)) + at] - wanted[scan][at]) < 1e-4F;
    wrong += right ? 0 : 1;
  }
  return wrong;
}

TEST_F(CompiledLibrary, AThousandRunsFollowTheirStreamWithoutTheHost) {
  const std::array<Scan, 2> scans{scan_of(3000, 1), scan_of(3000, 2)};
  CompiledRunner compiled(little_on_gpu(), scans[0].scene(), ten_metres);
  cudaStream_t side = nullptr, other = nullptr;
  require(cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking));
  require(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  EXPECT_EQ(wrong_runs(compiled, scans, 1000, side, side), 0);
  // The test must see a run that does not follow its stream.
  EXPECT_GT(wrong_runs(compiled, scans, 100, side, other), 0);
  EXPECT_EQ(wrong_runs(compiled, scans, 20, nullptr, nullptr), 0);
  // Runs on two streams do not overlap, although nothing else orders the streams. The last run is the second
  // scan.
  for (int round = 0; round < 50; ++round) {
    scans[0].enqueue(compiled, side);
    scans[1].enqueue(compiled, other);
  }
  compiled.wait();
  Runner runner(little_on_gpu());
  expect_outputs<float>(compiled, runner.run(scans[1].scene(), {.voxel_m = half_metre}), 1e-4);
  static_cast<void>(cudaStreamDestroy(side));
  static_cast<void>(cudaStreamDestroy(other));
}

TEST_F(CompiledLibrary, TheCurrentDeviceOfTheProgramStays) {
  int count = 0;
  require(cudaGetDeviceCount(&count));
  if (count < 2) GTEST_SKIP() << "this machine has one GPU";
  for (const int index : {0, 1}) {
    require(cudaSetDevice(1 - index));
    const auto expect_same = [&] {
      int current = -1;
      require(cudaGetDevice(&current));
      EXPECT_EQ(current, 1 - index);
    };
    ModelOptions options = on_gpu();
    options.device.index = index;
    const Model model(network(little_network), options);
    expect_same();
    const Scan example = scan_of(3000, 1);
    Result result;
    {
      Runner runner(model);
      result = runner.run(example.scene(), {.voxel_m = half_metre, .memory = Memory::cuda});
      expect_same();
    }
    result = {};
    expect_same();
    {
      CompiledRunner compiled(model, example.scene(), ten_metres);
      require(cudaSetDevice(index));
      const Scan scan = scan_of(2900, 2);
      cudaStream_t stream = nullptr;
      require(cudaStreamCreate(&stream));
      require(cudaSetDevice(1 - index));
      scan.enqueue(compiled, stream);
      compiled.wait();
      expect_same();
      const Result wanted = Runner(model).run(scan.scene(), {.voxel_m = half_metre});
      // Memory of a pool can only be read while its device is current.
      require(cudaSetDevice(index));
      expect_outputs<float>(compiled, wanted, 1e-4);
      static_cast<void>(cudaStreamDestroy(stream));
      require(cudaSetDevice(1 - index));
    }
    static_cast<void>(profile(model, example.scene(), {.voxel_m = half_metre, .repetitions = 1}));
    expect_same();
  }
  require(cudaSetDevice(0));
}

}  // namespace
}  // namespace spira::test
