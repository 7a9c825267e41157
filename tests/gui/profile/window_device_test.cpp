// Tests the window if its GPU fails while it is used, and if the user selects another device.
#include "app/common/backends.hpp"
#include "engine/report/report_exports.hpp"
#include "engine/scene/point_cloud.hpp"
#include "tests/gui/window_fixture.hpp"
#include "tests/support/altered_backend.hpp"
#include "tests/support/small_session.hpp"
#include "ui/jobs/parameter_history.hpp"
#include "ui/settings/settings.hpp"
#include "ui/view3d/scene/scene_camera.hpp"
#include "ui/view3d/vtk_widget.hpp"
#include "ui/window/banner.hpp"

#include <QTemporaryDir>

#include <atomic>

namespace spira::ui {
namespace {

/// Returns a registry with a "GPU", which is the CPU under another name. It fails while `lost` is set.
std::shared_ptr<const Registry> registry_with_gpu(
    const std::shared_ptr<std::atomic<bool>>& lost,
    const std::shared_ptr<std::atomic<bool>>& lost_at_maps = std::make_shared<std::atomic<bool>>(false)) {
  const auto gpu = [lost, lost_at_maps](const BackendOptions&) -> std::shared_ptr<Backend> {
    auto device = std::make_shared<test::AlteredBackend>(app::make_registry().make("cpu"));
    device->facts_instead = DeviceFacts{};
    device->facts_instead->kind = BackendKind::cuda;
    device->facts_instead->name = "a GPU";
    device->before_convolve = [lost] {
      if (*lost) throw Error(ErrorKind::device_memory, "out of GPU memory");
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

TEST(WindowDeviceTest, TheCpuContinuesIfTheGpuFails) {
  const auto lost = std::make_shared<std::atomic<bool>>(false);
  Application app(registry_with_gpu(lost), QString());
  MainWindow& window = app.window();
  QSignalSpy opened(&app.jobs().scenes(), &SceneJobs::opened);
  app.opening().open("street");
  ASSERT_TRUE(QTest::qWaitFor([&] { return opened.count() == 1 && !app.jobs().lane().busy(); }, 60'000));
  EXPECT_EQ(app.workspace().device().name, "a GPU");
  const auto voxels = app.workspace().scene().voxels();
  app.jobs().runs().chooseNetwork("resn21");
  *lost = true;
  ASSERT_TRUE(app.commands().trigger("run.run"));
  const int layers = static_cast<int>(app.workspace().network()->layers.size());
  ASSERT_TRUE(QTest::qWaitFor(
      [&] { return !app.jobs().lane().busy() && app.workspace().results().layersRun() == layers; }, 60'000));
  EXPECT_EQ(app.workspace().device().kind, BackendKind::cpu);
  EXPECT_EQ(app.workspace().scene().voxels(), voxels);  // the open scene stays
  EXPECT_TRUE(banner_of(window).text().contains("out of GPU memory; the CPU is used instead"))
      << banner_of(window).text().toStdString();
}

TEST(WindowDeviceTest, ThePrecisionFollowsTheDeviceUntilTheUserSelectsOne) {
  const auto lost = std::make_shared<std::atomic<bool>>(false);
  Application app(registry_with_gpu(lost), QString());
  const auto idle = [&] { return !app.jobs().lane().busy() && app.workspace().shownMap(-1).map; };
  const auto precision = [&] { return app.workspace().requested().plan().precision; };
  EXPECT_EQ(precision(), Precision::fp32);
  app.opening().open("street");
  ASSERT_TRUE(QTest::qWaitFor(idle, 60'000));
  EXPECT_EQ(precision(), Precision::fp16) << "the precision of a GPU must be fp16";
  EXPECT_FALSE(app.history().stack()->canUndo()) << "the automatic precision must not be an undo step";
  app.jobs().runs().useNetwork(std::make_shared<const Network>(test::little_unet()));
  EXPECT_EQ(precision(), Precision::fp16) << "the plan of another network must have the precision of the GPU";
  const auto run = [&] {
    ASSERT_TRUE(app.commands().trigger("run.run"));
    ASSERT_TRUE(
        QTest::qWaitFor([&] { return idle() && app.workspace().results().layersRun() == 7; }, 60'000));
  };
  run();
  EXPECT_EQ(app.workspace().results().layer(6)->features->precision, Precision::fp16);
  ASSERT_TRUE(app.commands().trigger("precision.fp32"));
  EXPECT_TRUE(app.commands().action("precision.fp32")->isChecked());
  run();  // loads the scene again
  EXPECT_EQ(app.workspace().results().layer(6)->features->precision, Precision::fp32);
  ASSERT_TRUE(app.commands().trigger("edit.undo"));
  EXPECT_EQ(precision(), Precision::fp16);
  EXPECT_TRUE(app.commands().action("precision.auto")->isChecked());
  *lost = true;
  run();
  EXPECT_EQ(precision(), Precision::fp32)
      << "the precision must change to fp32 when the CPU replaces the GPU";
}

TEST(WindowDeviceTest, AGpuThatFailsAfterOpeningKeepsTheSceneOpen) {
  const auto lost = std::make_shared<std::atomic<bool>>(true);
  Application app(registry_with_gpu(std::make_shared<std::atomic<bool>>(false), lost), QString());
  app.opening().open("street");
  ASSERT_TRUE(
      QTest::qWaitFor([&] { return !app.jobs().lane().busy() && app.workspace().shownMap(-1).map; }, 60'000));
  EXPECT_EQ(app.workspace().device().kind, BackendKind::cpu);
  EXPECT_TRUE(app.workspace().scene().voxels());
}

TEST(WindowDeviceTest, AnotherDeviceReloadsTheSceneAndCanBeUndone) {
  Application app(registry_with_gpu(std::make_shared<std::atomic<bool>>(false)), QString());
  const auto idle = [&] { return !app.jobs().lane().busy() && app.workspace().shownMap(-1).map; };
  app.opening().open("street");
  ASSERT_TRUE(QTest::qWaitFor(idle, 60'000));
  EXPECT_EQ(app.workspace().device().name, "a GPU") << "the GPU must be selected automatically";
  const auto before = app.workspace().scene().voxels();
  ASSERT_TRUE(app.commands().trigger("device.cpu"));
  EXPECT_EQ(app.workspace().scene().voxels(), before)
      << "the voxels must stay until the other device has loaded them";
  ASSERT_TRUE(QTest::qWaitFor([&] { return idle() && app.workspace().scene().voxels() != before; }, 60'000));
  EXPECT_EQ(app.workspace().device().kind, BackendKind::cpu);
  EXPECT_EQ(app.workspace().scene().voxels()->cloud, before->cloud);
  EXPECT_TRUE(app.commands().action("device.cpu")->isChecked());
  EXPECT_EQ(app.settings().text("measure.device"), "cpu");
  EXPECT_EQ(app.history().stack()->undoText(), "device");
  ASSERT_TRUE(app.commands().trigger("edit.undo"));
  ASSERT_TRUE(QTest::qWaitFor([&] { return idle() && app.workspace().device().name == "a GPU"; }, 60'000));
  EXPECT_TRUE(app.commands().action("device.auto")->isChecked());
}

TEST(WindowDeviceTest, AnotherDeviceChangesNeitherThemeNorTextSize) {
  Application app(registry_with_gpu(std::make_shared<std::atomic<bool>>(false)), QString());
  app.theme().choose(ThemeChoice::dark);  // In the program, the command line can set this theme.
  app.theme().setTextPercent(150);        // In the program, the classroom mode sets this size.
  const double points = QApplication::font().pointSizeF();
  ASSERT_TRUE(app.commands().trigger("device.cpu"));
  EXPECT_EQ(app.theme().choice(), ThemeChoice::dark);
  EXPECT_EQ(QApplication::font().pointSizeF(), points);
  app.settings().set("look.text_percent", 110);
  EXPECT_LT(QApplication::font().pointSizeF(), points) << "the setting of the text size must apply";
  app.settings().set("look.theme", "light");
  EXPECT_EQ(app.theme().choice(), ThemeChoice::light);
  app.settings().resetAll();
}

TEST(WindowDeviceTest, AnUnusableDeviceIsDisabledWithItsReason) {
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
    Application app(registry, QString(), folder.path());
    ASSERT_TRUE(QTest::qWaitFor(
        [&] { return app.commands().unavailableReason("device.cuda") == "the driver is too old"; }, 60'000));
    EXPECT_FALSE(app.commands().trigger("device.cuda"));
    EXPECT_EQ(app.commands().unavailableReason("device.reference"), "not supported by this build");
    EXPECT_TRUE(app.commands().trigger("device.cpu"));
    app.settings().set("measure.device", "cuda");  // Simulates settings that come from another machine.
  }
  Application again(registry, QString(), folder.path());
  again.opening().open("street");
  ASSERT_TRUE(QTest::qWaitFor(
      [&] { return !again.jobs().lane().busy() && again.workspace().shownMap(-1).map; }, 60'000));
  EXPECT_EQ(again.workspace().device().kind, BackendKind::cpu);
  EXPECT_EQ(again.workspace().requested().chosenDevice(), "auto");
  EXPECT_TRUE(banner_of(again).text().contains("the driver is too old; the device is chosen automatically"))
      << banner_of(again).text().toStdString();
}

TEST(WindowDeviceTest, RunsAndSweepsUseTheProtocolOfTheSettings) {
  Application app(std::make_shared<const Registry>(app::make_registry()), QString());
  const SamplingProtocol usual = EngineLane::usualProtocol(), initial = app.jobs().lane().protocol();
  EXPECT_EQ(initial.warmup, usual.warmup);
  EXPECT_EQ(initial.min_samples, usual.min_samples);
  EXPECT_EQ(initial.max_samples, usual.max_samples);
  EXPECT_EQ(initial.max_time_ms, usual.max_time_ms);
  EXPECT_EQ(initial.target_iqr_rel, usual.target_iqr_rel);
  app.settings().set("measure.min_samples", 3);
  app.settings().set("measure.max_samples", 3);
  app.settings().set("measure.spread_permille", 0);
  const auto idle = [&] { return !app.jobs().lane().busy() && app.workspace().shownMap(-1).map; };
  const QTemporaryDir folder;
  const QString room = folder.filePath("room.ply");
  write_scene(*test::small_room(), room.toStdString());
  app.opening().open(room);
  ASSERT_TRUE(QTest::qWaitFor(idle, 60'000));
  app.jobs().runs().useNetwork(std::make_shared<const Network>(test::little_unet()));
  QSignalSpy measured(&app.jobs().runs(), &RunJobs::measured);
  ASSERT_TRUE(app.commands().trigger("run.measure"));
  ASSERT_TRUE(QTest::qWaitFor([&] { return idle() && measured.count() == 1; }, 60'000));
  const auto report = measured[0][0].value<std::shared_ptr<const Report>>();
  EXPECT_EQ(report->measurement.protocol.min_samples, 3);
  EXPECT_EQ(report->measurement.protocol.target_iqr_rel, 0);
  EXPECT_EQ(report->measurement.wall.ms.size(), 3U);
  ASSERT_TRUE(app.commands().trigger("sweep.thresholds"));
  ASSERT_TRUE(QTest::qWaitFor([&] { return idle() && app.workspace().results().thresholdSweep(); }, 60'000));
  EXPECT_EQ(app.workspace().results().thresholdSweep()->protocol.max_samples, 3);
  app.settings().resetAll();
  EXPECT_EQ(app.jobs().lane().protocol().max_samples, usual.max_samples);
}

TEST(WindowDeviceTest, ThePictureIsNotRedrawnWhileAGpuIsMeasured) {
  Application app(registry_with_gpu(std::make_shared<std::atomic<bool>>(false)), QString());
  MainWindow& window = app.window();
  window.show();
  ASSERT_TRUE(QTest::qWaitForWindowExposed(&window));
  SceneView& view = app.sceneView();
  const auto idle = [&] { return !app.jobs().lane().busy() && app.workspace().shownMap(-1).map; };
  const QTemporaryDir folder;
  const QString room = folder.filePath("room.ply");
  write_scene(*test::small_room(), room.toStdString());
  app.opening().open(room);
  ASSERT_TRUE(QTest::qWaitFor([&] { return idle() && view.settled(); }, 60'000));
  app.jobs().runs().useNetwork(std::make_shared<const Network>(test::little_unet()));
  const VtkWidget& canvas = *view.canvas();
  std::int64_t before = -1, after = -1;
  QObject::connect(&app.jobs().lane(), &EngineLane::viewsWaitChanged, &window, [&](bool wait) {
    (wait ? before : after) = canvas.frames();
    EXPECT_EQ(view.held(), wait);
    if (wait) view.camera().look(1, 0, 0);  // Rotate the view while it is held.
  });
  QSignalSpy measured(&app.jobs().runs(), &RunJobs::measured);
  ASSERT_TRUE(app.commands().trigger("run.measure"));
  EXPECT_TRUE(app.jobs().lane().viewsWait());
  ASSERT_TRUE(QTest::qWaitFor([&] { return idle() && measured.count() == 1; }, 60'000));
  EXPECT_GE(before, 0);
  EXPECT_EQ(after, before) << "the view must paint no frame during sampling";
  EXPECT_FALSE(view.held());
  EXPECT_TRUE(QTest::qWaitFor([&] { return canvas.frames() > after; }, 60'000))
      << "the view must be repainted after sampling";
  const auto report = measured[0][0].value<std::shared_ptr<const Report>>();
  EXPECT_EQ(report->measurement.rendering_paused, true);
  EXPECT_EQ(parse_report(report_json(*report), "r").measurement.rendering_paused, true);
}

TEST(WindowDeviceTest, ThePictureIsRedrawnWhileTheCpuIsMeasured) {
  Application app(std::make_shared<const Registry>(app::make_registry()), QString());
  const QSignalSpy waits(&app.jobs().lane(), &EngineLane::viewsWaitChanged);
  const auto idle = [&] { return !app.jobs().lane().busy() && app.workspace().shownMap(-1).map; };
  const QTemporaryDir folder;
  const QString room = folder.filePath("room.ply");
  write_scene(*test::small_room(), room.toStdString());
  app.opening().open(room);
  ASSERT_TRUE(QTest::qWaitFor(idle, 60'000));
  app.jobs().runs().useNetwork(std::make_shared<const Network>(test::little_unet()));
  QSignalSpy measured(&app.jobs().runs(), &RunJobs::measured);
  ASSERT_TRUE(app.commands().trigger("run.measure"));
  ASSERT_TRUE(QTest::qWaitFor([&] { return idle() && measured.count() == 1; }, 60'000));
  EXPECT_EQ(waits.count(), 0);
  EXPECT_EQ(measured[0][0].value<std::shared_ptr<const Report>>()->measurement.rendering_paused, false);
}

}  // namespace
}  // namespace spira::ui
