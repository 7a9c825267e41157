// What the window does when its GPU fails in the middle of the work.
#include "tests/gui/window_fixture.hpp"
#include "tests/support/altered_backend.hpp"
#include "tests/support/small_session.hpp"
#include "ui/jobs/parameter_history.hpp"
#include "ui/window/banner.hpp"

#include <atomic>

namespace spira::ui {
namespace {

/// A registry whose "GPU" is the CPU under another name, and fails when `lost` is set.
std::shared_ptr<const Registry> registry_with_gpu(
    const std::shared_ptr<std::atomic<bool>>& lost,
    const std::shared_ptr<std::atomic<bool>>& lost_at_maps = std::make_shared<std::atomic<bool>>(false)) {
  const auto gpu = [lost, lost_at_maps](const BackendOptions&) -> std::shared_ptr<Backend> {
    auto device = std::make_shared<test::AlteredBackend>(app::make_registry().make("cpu"));
    device->facts_instead = DeviceFacts{};
    device->facts_instead->kind = BackendKind::cuda;
    device->facts_instead->name = "a GPU";
    device->before_convolve = [lost] {
      if (*lost) throw Error(ErrorKind::device, "out of GPU memory");
    };
    device->alter_map = [lost_at_maps](KernelMap&) {
      if (*lost_at_maps) throw Error(ErrorKind::device, "the GPU is gone");
    };
    return device;
  };
  const auto cpu = [](const BackendOptions& options) { return app::make_registry().make("cpu", options); };
  const auto usable = [](BackendKind kind) {
    return [kind] {
      DeviceListing row;
      row.facts.kind = kind;
      row.usable = true;
      return std::vector<DeviceListing>{row};
    };
  };
  return std::make_shared<const Registry>(
      std::vector<Registry::Entry>{{BackendKind::cuda, usable(BackendKind::cuda), gpu},
                                   {BackendKind::cpu, usable(BackendKind::cpu), cpu}});
}

TEST(WindowDeviceTest, TheCpuGoesOnWhereTheGpuFails) {
  const auto lost = std::make_shared<std::atomic<bool>>(false);
  MainWindow window(registry_with_gpu(lost), QString());
  QSignalSpy opened(&window.jobs(), &EngineJobs::opened);
  window.open("street");
  ASSERT_TRUE(
      QTest::qWaitFor([&] { return opened.count() == 1 && !window.jobs().runner()->busy(); }, 60'000));
  EXPECT_EQ(window.workspace().device().name, "a GPU");
  const auto voxels = window.workspace().voxels();
  window.jobs().chooseNetwork("resn21");
  *lost = true;
  ASSERT_TRUE(window.commands().trigger("run.run"));
  const int layers = static_cast<int>(window.workspace().network()->layers.size());
  ASSERT_TRUE(QTest::qWaitFor(
      [&] { return !window.jobs().runner()->busy() && window.workspace().layersRun() == layers; }, 60'000));
  EXPECT_EQ(window.workspace().device().kind, BackendKind::cpu);
  EXPECT_EQ(window.workspace().voxels(), voxels);  // what was open stays
  EXPECT_TRUE(window.banner().text().contains("out of GPU memory; the CPU goes on with it"))
      << window.banner().text().toStdString();
}

TEST(WindowDeviceTest, ThePrecisionFollowsTheDeviceUntilItIsChosen) {
  const auto lost = std::make_shared<std::atomic<bool>>(false);
  MainWindow window(registry_with_gpu(lost), QString());
  const auto idle = [&] { return !window.jobs().runner()->busy() && window.workspace().shownMap(-1).map; };
  const auto precision = [&] { return window.workspace().plan().precision; };
  EXPECT_EQ(precision(), Precision::fp32);
  window.open("street");
  ASSERT_TRUE(QTest::qWaitFor(idle, 60'000));
  EXPECT_EQ(precision(), Precision::fp16) << "a GPU";
  EXPECT_FALSE(window.history().stack()->canUndo()) << "nobody changed anything";
  window.jobs().useNetwork(std::make_shared<const Network>(test::little_unet()));
  EXPECT_EQ(precision(), Precision::fp16) << "the plan of another network too";
  const auto run = [&] {
    ASSERT_TRUE(window.commands().trigger("run.run"));
    ASSERT_TRUE(QTest::qWaitFor([&] { return idle() && window.workspace().layersRun() == 7; }, 60'000));
  };
  run();
  EXPECT_EQ(window.workspace().layer(6)->features->precision, Precision::fp16);
  ASSERT_TRUE(window.commands().trigger("precision.fp32"));
  EXPECT_TRUE(window.commands().action("precision.fp32")->isChecked());
  run();  // the scene is loaded again
  EXPECT_EQ(window.workspace().layer(6)->features->precision, Precision::fp32);
  ASSERT_TRUE(window.commands().trigger("edit.undo"));
  EXPECT_EQ(precision(), Precision::fp16);
  EXPECT_TRUE(window.commands().action("precision.auto")->isChecked());
  *lost = true;
  run();
  EXPECT_EQ(precision(), Precision::fp32) << "the CPU took over";
}

TEST(WindowDeviceTest, AGpuThatIsLostAfterTheSceneWasOpenedLeavesItOpen) {
  const auto lost = std::make_shared<std::atomic<bool>>(true);
  MainWindow window(registry_with_gpu(std::make_shared<std::atomic<bool>>(false), lost), QString());
  window.open("street");
  ASSERT_TRUE(QTest::qWaitFor(
      [&] { return !window.jobs().runner()->busy() && window.workspace().shownMap(-1).map; }, 60'000));
  EXPECT_EQ(window.workspace().device().kind, BackendKind::cpu);
  EXPECT_TRUE(window.workspace().voxels());
}

}  // namespace
}  // namespace spira::ui
