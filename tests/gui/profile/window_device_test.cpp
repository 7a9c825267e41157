// Tests the window when its GPU fails during work.
#include "tests/gui/window_fixture.hpp"
#include "tests/support/altered_backend.hpp"
#include "tests/support/small_session.hpp"
#include "ui/jobs/parameter_history.hpp"
#include "ui/settings/settings.hpp"
#include "ui/view3d/vtk_widget.hpp"
#include "ui/window/banner.hpp"

#include <QTemporaryDir>

#include <atomic>

namespace spira::ui {
namespace {

/// Returns a registry whose "GPU" is the CPU with another name. It fails while `lost` is set.
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
  QSignalSpy opened(&window.jobs().scenes(), &SceneJobs::opened);
  window.open("street");
  ASSERT_TRUE(QTest::qWaitFor([&] { return opened.count() == 1 && !window.jobs().lane().busy(); }, 60'000));
  EXPECT_EQ(window.workspace().device().name, "a GPU");
  const auto voxels = window.workspace().voxels();
  window.jobs().runs().chooseNetwork("resn21");
  *lost = true;
  ASSERT_TRUE(window.commands().trigger("run.run"));
  const int layers = static_cast<int>(window.workspace().network()->layers.size());
  ASSERT_TRUE(QTest::qWaitFor(
      [&] { return !window.jobs().lane().busy() && window.workspace().layersRun() == layers; }, 60'000));
  EXPECT_EQ(window.workspace().device().kind, BackendKind::cpu);
  EXPECT_EQ(window.workspace().voxels(), voxels);  // the open scene stays
  EXPECT_TRUE(window.banner().text().contains("out of GPU memory; the CPU is used instead"))
      << window.banner().text().toStdString();
}

TEST(WindowDeviceTest, ThePrecisionFollowsTheDeviceUntilItIsChosen) {
  const auto lost = std::make_shared<std::atomic<bool>>(false);
  MainWindow window(registry_with_gpu(lost), QString());
  const auto idle = [&] { return !window.jobs().lane().busy() && window.workspace().shownMap(-1).map; };
  const auto precision = [&] { return window.workspace().plan().precision; };
  EXPECT_EQ(precision(), Precision::fp32);
  window.open("street");
  ASSERT_TRUE(QTest::qWaitFor(idle, 60'000));
  EXPECT_EQ(precision(), Precision::fp16) << "a GPU";
  EXPECT_FALSE(window.history().stack()->canUndo()) << "nobody changed anything";
  window.jobs().runs().useNetwork(std::make_shared<const Network>(test::little_unet()));
  EXPECT_EQ(precision(), Precision::fp16) << "the plan of another network too";
  const auto run = [&] {
    ASSERT_TRUE(window.commands().trigger("run.run"));
    ASSERT_TRUE(QTest::qWaitFor([&] { return idle() && window.workspace().layersRun() == 7; }, 60'000));
  };
  run();
  EXPECT_EQ(window.workspace().layer(6)->features->precision, Precision::fp16);
  ASSERT_TRUE(window.commands().trigger("precision.fp32"));
  EXPECT_TRUE(window.commands().action("precision.fp32")->isChecked());
  run();  // loads the scene again
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
      [&] { return !window.jobs().lane().busy() && window.workspace().shownMap(-1).map; }, 60'000));
  EXPECT_EQ(window.workspace().device().kind, BackendKind::cpu);
  EXPECT_TRUE(window.workspace().voxels());
}

TEST(WindowDeviceTest, AnotherDeviceTakesOverWhatIsOpenAndCanBeTakenBack) {
  MainWindow window(registry_with_gpu(std::make_shared<std::atomic<bool>>(false)), QString());
  const auto idle = [&] { return !window.jobs().lane().busy() && window.workspace().shownMap(-1).map; };
  window.open("street");
  ASSERT_TRUE(QTest::qWaitFor(idle, 60'000));
  EXPECT_EQ(window.workspace().device().name, "a GPU") << "automatic";
  const auto before = window.workspace().voxels();
  ASSERT_TRUE(window.commands().trigger("device.cpu"));
  EXPECT_EQ(window.workspace().voxels(), before) << "it stays until the other device has it";
  ASSERT_TRUE(QTest::qWaitFor([&] { return idle() && window.workspace().voxels() != before; }, 60'000));
  EXPECT_EQ(window.workspace().device().kind, BackendKind::cpu);
  EXPECT_EQ(window.workspace().voxels()->cloud, before->cloud);
  EXPECT_TRUE(window.commands().action("device.cpu")->isChecked());
  EXPECT_EQ(window.settings().text("measure.device"), "cpu");
  EXPECT_EQ(window.history().stack()->undoText(), "device");
  ASSERT_TRUE(window.commands().trigger("edit.undo"));
  ASSERT_TRUE(QTest::qWaitFor([&] { return idle() && window.workspace().device().name == "a GPU"; }, 60'000));
  EXPECT_TRUE(window.commands().action("device.auto")->isChecked());
}

TEST(WindowDeviceTest, AnotherDeviceChangesNeitherThemeNorTextSize) {
  MainWindow window(registry_with_gpu(std::make_shared<std::atomic<bool>>(false)), QString());
  window.theme().choose(ThemeChoice::dark);  // the command line can set it
  window.theme().setTextPercent(150);        // the classroom mode sets it
  const double points = QApplication::font().pointSizeF();
  ASSERT_TRUE(window.commands().trigger("device.cpu"));
  EXPECT_EQ(window.theme().choice(), ThemeChoice::dark);
  EXPECT_EQ(QApplication::font().pointSizeF(), points);
  window.settings().set("look.text_percent", 110);
  EXPECT_LT(QApplication::font().pointSizeF(), points) << "its own setting is followed";
  window.settings().set("look.theme", "light");
  EXPECT_EQ(window.theme().choice(), ThemeChoice::light);
  window.settings().resetAll();
}

TEST(WindowDeviceTest, ADeviceThatCannotBeUsedIsGreyWithItsReason) {
  const auto cpu = [](const BackendOptions& options) { return app::make_registry().make("cpu", options); };
  const auto list = [](BackendKind kind, const std::string& why_not) {
    return [kind, why_not] {
      DeviceListing row;
      row.facts.kind = kind;
      row.usable = why_not.empty();
      row.why_not = why_not;
      return std::vector<DeviceListing>{row};
    };
  };
  const QTemporaryDir folder;
  const auto registry = std::make_shared<const Registry>(
      std::vector<Registry::Entry>{{BackendKind::cuda, list(BackendKind::cuda, "the driver is too old"), cpu},
                                   {BackendKind::cpu, list(BackendKind::cpu, ""), cpu}});
  {
    MainWindow window(registry, QString(), folder.path());
    ASSERT_TRUE(QTest::qWaitFor(
        [&] { return window.commands().whyNot("device.cuda") == "the driver is too old"; }, 60'000));
    EXPECT_FALSE(window.commands().trigger("device.cuda"));
    EXPECT_EQ(window.commands().whyNot("device.reference"), "not supported by this build");
    EXPECT_TRUE(window.commands().trigger("device.cpu"));
    window.settings().set("measure.device", "cuda");  // simulates settings from another machine
  }
  MainWindow again(registry, QString(), folder.path());
  again.open("street");
  ASSERT_TRUE(QTest::qWaitFor(
      [&] { return !again.jobs().lane().busy() && again.workspace().shownMap(-1).map; }, 60'000));
  EXPECT_EQ(again.workspace().device().kind, BackendKind::cpu);
  EXPECT_EQ(again.workspace().chosenDevice(), "auto");
  EXPECT_TRUE(again.banner().text().contains("the driver is too old; the device is chosen automatically"))
      << again.banner().text().toStdString();
}

TEST(WindowDeviceTest, RunsAndSweepsTakeTheProtocolOfTheSettings) {
  MainWindow window(std::make_shared<const Registry>(app::make_registry()), QString());
  const SamplingProtocol usual = EngineLane::usualProtocol(), initial = window.jobs().lane().protocol();
  EXPECT_EQ(initial.warmup, usual.warmup);
  EXPECT_EQ(initial.min_samples, usual.min_samples);
  EXPECT_EQ(initial.max_samples, usual.max_samples);
  EXPECT_EQ(initial.max_time_ms, usual.max_time_ms);
  EXPECT_EQ(initial.target_iqr_rel, usual.target_iqr_rel);
  window.settings().set("measure.min_samples", 3);
  window.settings().set("measure.max_samples", 3);
  window.settings().set("measure.spread_permille", 0);
  const auto idle = [&] { return !window.jobs().lane().busy() && window.workspace().shownMap(-1).map; };
  window.open("room");
  ASSERT_TRUE(QTest::qWaitFor(idle, 60'000));
  window.jobs().runs().useNetwork(std::make_shared<const Network>(test::little_unet()));
  QSignalSpy measured(&window.jobs().runs(), &RunJobs::measured);
  ASSERT_TRUE(window.commands().trigger("run.measure"));
  ASSERT_TRUE(QTest::qWaitFor([&] { return idle() && measured.count() == 1; }, 60'000));
  const auto report = measured[0][0].value<std::shared_ptr<const Report>>();
  EXPECT_EQ(report->measurement.protocol.min_samples, 3);
  EXPECT_EQ(report->measurement.protocol.target_iqr_rel, 0);
  EXPECT_EQ(report->measurement.wall.ms.size(), 3U);
  ASSERT_TRUE(window.commands().trigger("sweep.thresholds"));
  ASSERT_TRUE(QTest::qWaitFor([&] { return idle() && window.workspace().thresholdSweep(); }, 60'000));
  EXPECT_EQ(window.workspace().thresholdSweep()->protocol.max_samples, 3);
  window.settings().resetAll();
  EXPECT_EQ(window.jobs().lane().protocol().max_samples, usual.max_samples);
}

TEST(WindowDeviceTest, ThePictureIsHeldWhileAGpuIsMeasured) {
  MainWindow window(registry_with_gpu(std::make_shared<std::atomic<bool>>(false)), QString());
  window.show();
  ASSERT_TRUE(QTest::qWaitForWindowExposed(&window));
  SceneView& view = window.sceneView();
  const auto idle = [&] { return !window.jobs().lane().busy() && window.workspace().shownMap(-1).map; };
  window.open("room");
  ASSERT_TRUE(QTest::qWaitFor([&] { return idle() && view.settled(); }, 60'000));
  window.jobs().runs().useNetwork(std::make_shared<const Network>(test::little_unet()));
  const VtkWidget& canvas = *view.canvas();
  std::int64_t before = -1, after = -1;
  QObject::connect(&window.jobs().lane(), &EngineLane::viewsWaitChanged, &window, [&](bool wait) {
    (wait ? before : after) = canvas.frames();
    EXPECT_EQ(view.held(), wait);
    if (wait) view.look(1, 0, 0);  // rotates the view while it is held
  });
  QSignalSpy measured(&window.jobs().runs(), &RunJobs::measured);
  ASSERT_TRUE(window.commands().trigger("run.measure"));
  EXPECT_TRUE(window.jobs().lane().viewsWait());
  ASSERT_TRUE(QTest::qWaitFor([&] { return idle() && measured.count() == 1; }, 60'000));
  EXPECT_GE(before, 0);
  EXPECT_EQ(after, before) << "no frame while samples were taken";
  EXPECT_FALSE(view.held());
  EXPECT_TRUE(QTest::qWaitFor([&] { return canvas.frames() > after; }, 60'000)) << "it is seen then";
  const auto report = measured[0][0].value<std::shared_ptr<const Report>>();
  EXPECT_EQ(report->measurement.rendering_paused, true);
  EXPECT_EQ(parse_report(report_json(*report), "r").measurement.rendering_paused, true);
}

TEST(WindowDeviceTest, NothingIsHeldForTheCpu) {
  MainWindow window(std::make_shared<const Registry>(app::make_registry()), QString());
  const QSignalSpy waits(&window.jobs().lane(), &EngineLane::viewsWaitChanged);
  const auto idle = [&] { return !window.jobs().lane().busy() && window.workspace().shownMap(-1).map; };
  window.open("room");
  ASSERT_TRUE(QTest::qWaitFor(idle, 60'000));
  window.jobs().runs().useNetwork(std::make_shared<const Network>(test::little_unet()));
  QSignalSpy measured(&window.jobs().runs(), &RunJobs::measured);
  ASSERT_TRUE(window.commands().trigger("run.measure"));
  ASSERT_TRUE(QTest::qWaitFor([&] { return idle() && measured.count() == 1; }, 60'000));
  EXPECT_EQ(waits.count(), 0);
  EXPECT_EQ(measured[0][0].value<std::shared_ptr<const Report>>()->measurement.rendering_paused, false);
}

}  // namespace
}  // namespace spira::ui
