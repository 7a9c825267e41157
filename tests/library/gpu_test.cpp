// Tests what holds only for models on a GPU. Skipped on machines without one.
#include "tests/library/library_fixture.hpp"

#include <gmock/gmock.h>

#include <spira/device.hpp>
#include <thread>

namespace spira::test {
namespace {

class LibraryOnGpu : public Library {
 protected:
  void SetUp() override {
    for (const DeviceInfo& device : devices()) {
      if (device.kind == DeviceKind::cuda && device.usable) return;
    }
    GTEST_SKIP() << "this machine has no usable GPU";
  }
  [[nodiscard]] static ModelOptions on_gpu() {
    ModelOptions options;
    options.device.kind = DeviceKind::cuda;
    return options;
  }
};

TEST_F(LibraryOnGpu, OutputsInGpuMemoryCanBeDestroyedByAnotherThreadAndAfterTheRunner) {
  const Scene scene = random_scene(5000, 1);
  auto runner = std::make_unique<Runner>(Model(network(little_network), on_gpu()));
  const auto features_in = [&](Memory memory) {
    return runner->run(scene, {.voxel_m = half_metre, .outputs = {"join"}, .memory = memory})
        .outputs[0]
        .features;
  };
  const auto right = copy_of<float>(features_in(Memory::host));
  for (int run = 0; run < 50; ++run) {
    Tensor features = features_in(Memory::cuda);
    EXPECT_EQ(features.memory(), Memory::cuda);
    std::thread other([mine = std::move(features)]() mutable { mine = Tensor(); });
    EXPECT_EQ(copy_of<float>(features_in(Memory::host)), right);
    other.join();
  }
  Tensor last = features_in(Memory::cuda);
  const std::vector<std::int64_t> shape = last.shape();
  runner.reset();
  EXPECT_EQ(last.shape(), shape);
  std::thread([mine = std::move(last)]() mutable { mine = Tensor(); }).join();
  EXPECT_EQ(copy_of<float>(Runner(Model(network(little_network), on_gpu()))
                               .run(scene, {.voxel_m = half_metre})
                               .outputs.back()
                               .features),
            right);
}

TEST_F(LibraryOnGpu, TransposedLayersWithOverlappingKernelsGiveTheSameBitsTwice) {
  const Network net = network(R"({"schema": "spira.network 2", "name": "wide", "layers": [
    {"name": "stem", "out_channels": 16},
    {"name": "down", "kernel_size": 3, "stride": 2, "out_channels": 16},
    {"name": "up", "kernel_size": 3, "stride": 2, "transposed": true, "out_channels": 16}]})");
  const Scene scene = random_scene(20'000, 1);
  Runner runner(Model(net, on_gpu()));
  const auto run = [&] {
    return copy_of<float>(runner.run(scene, {.voxel_m = {0.2, 0.2, 0.2}}).outputs[0].features);
  };
  const auto first = run();
  for (int again = 0; again < 20; ++again)
    EXPECT_EQ(run(), first);
  Runner cpu(Model(net, on_cpu(0)));
  EXPECT_THAT(first, testing::Pointwise(
                         testing::FloatNear(1e-3F),
                         copy_of<float>(cpu.run(scene, {.voxel_m = {0.2, 0.2, 0.2}}).outputs[0].features)));
}

}  // namespace
}  // namespace spira::test
