// Tests that a view that waits for a job shows the progress of this job and can stop it.
#include "engine/scene/point_cloud.hpp"
#include "tests/gui/window_fixture.hpp"
#include "tests/support/small_session.hpp"
#include "ui/features/sweep/sweep_panel.hpp"
#include "ui/panels/density_panel.hpp"
#include "ui/panels/job_bar.hpp"
#include "ui/panels/profile/breakdown_panel.hpp"
#include "ui/settings/settings.hpp"

#include <QProgressBar>
#include <QPushButton>
#include <QRegularExpression>
#include <QTabWidget>
#include <QTemporaryDir>

namespace spira::ui {
namespace {

class JobBars : public WindowTest {
 protected:
  [[nodiscard]] JobBar& barOf(QWidget* panel) {
    auto* bar = panel->findChild<JobBar*>();
    EXPECT_NE(bar, nullptr);
    return *bar;
  }
  /// Opens a scene and a network whose sampling runs until it is stopped. The network is small, so that the
  /// first pass ends soon.
  void openForLongSampling() {
    open("room");
    app.jobs().runs().useNetwork(std::make_shared<const Network>(test::little_unet()));
    app.settings().set("measure.min_samples", 10'000);
    app.settings().set("measure.max_samples", 10'000);
  }
};

TEST_F(JobBars, AreInTheViewThatWaitsAndCancelItsJob) {
  openForLongSampling();
  JobBar& sweeps = barOf(&child<SweepPanel>(window));
  JobBar& breakdown = barOf(window.findChild<BreakdownPanel*>());
  ASSERT_TRUE(app.commands().trigger("sweep.thresholds"));
  EXPECT_EQ(app.jobs().lane().doing(), EngineLane::Doing::sweeping);
  EXPECT_TRUE(sweeps.isHidden()) << "the bar must be hidden during the first second";
  ASSERT_TRUE(waitFor([&] { return sweeps.isVisible(); }));
  EXPECT_TRUE(breakdown.isHidden()) << "a view that waits for no job must have no bar";
  EXPECT_TRUE(sweeps.text().startsWith("Sweeping t")) << sweeps.text().toStdString();
  ASSERT_TRUE(waitFor([&] { return sweeps.text().contains(": run ") && sweeps.text().contains(" left"); }))
      << sweeps.text().toStdString();
  sweeps.findChild<QPushButton*>()->click();
  ASSERT_TRUE(waitFor([&] { return idle(); }));
  EXPECT_TRUE(sweeps.isHidden());
  EXPECT_EQ(app.jobs().lane().doing(), std::nullopt);
}

TEST_F(JobBars, TheBarOfAMeasurementIsInTheBreakdown) {
  openForLongSampling();
  JobBar& breakdown = barOf(window.findChild<BreakdownPanel*>());
  ASSERT_TRUE(app.commands().trigger("run.measure"));
  app.docks().tabs(DockLayout::Side::bottom).setCurrentWidget(window.findChild<BreakdownPanel*>());
  ASSERT_TRUE(waitFor([&] { return breakdown.isVisible(); }));
  EXPECT_TRUE(barOf(&child<SweepPanel>(window)).isHidden());
  EXPECT_TRUE(barOf(&child<DensityPanel>(window)).isHidden());
  ASSERT_TRUE(waitFor([&] { return breakdown.text().contains("timing the network: run "); }))
      << breakdown.text().toStdString();
  const auto* bar = breakdown.findChild<QProgressBar*>();
  EXPECT_LT(bar->value(), bar->maximum() / 2) << "the bar must follow the runs, not the kernels in a run";
  app.jobs().lane().cancel();
  ASSERT_TRUE(waitFor([&] { return idle() && breakdown.isHidden(); }));
}

TEST_F(JobBars, MeasureAndSweepsNameTheirDurationAndItsBasis) {
  const QTemporaryDir folder;
  const QString file = folder.filePath("room.ply");
  write_scene(*test::small_room(2000), file.toStdString());
  open(file);
  app.jobs().runs().useNetwork(std::make_shared<const Network>(test::little_unet()));
  const auto tip = [&](const char* id) { return app.commands().action(id)->toolTip(); };
  const QString unknown = "The duration is not known before the first run";
  ASSERT_TRUE(waitFor([&] { return tip("run.measure").contains(unknown); }))
      << tip("run.measure").toStdString();
  ASSERT_TRUE(app.commands().trigger("run.run"));
  ASSERT_TRUE(waitFor([&] { return idle() && tip("run.measure").contains("(single run; measured on "); }))
      << tip("run.measure").toStdString();
  // One warm-up pass, and at least 5 rounds with and without timers.
  EXPECT_TRUE(tip("run.measure").contains(QRegularExpression(": 11( to \\d+)? passes of ")))
      << tip("run.measure").toStdString();
  EXPECT_TRUE(tip("sweep.network").contains("passes of ")) << tip("sweep.network").toStdString();
  const auto* sweep = child<SweepPanel>(window).findChild<QPushButton*>("sweep.thresholds");
  ASSERT_TRUE(waitFor([&] { return sweep->toolTip().contains("single run"); }))
      << sweep->toolTip().toStdString();
  ASSERT_TRUE(app.commands().trigger("run.measure"));
  ASSERT_TRUE(waitFor([&] { return idle() && tip("run.measure").contains("(median of "); }))
      << tip("run.measure").toStdString();
  const QString not_measured = "(4 passes of the network)", memory = ". One step needs about ";
  EXPECT_TRUE(tip("run.training").contains(not_measured) && tip("run.training").contains(memory))
      << tip("run.training").toStdString();
  ASSERT_TRUE(app.commands().trigger("run.training"));
  ASSERT_TRUE(waitFor([&] { return idle() && tip("run.training").contains(" (measured). One step"); }))
      << tip("run.training").toStdString();
  const auto& training = app.workspace().results().measurement()->training;
  ASSERT_TRUE(training.has_value());
  const auto forecast = app.jobs().runs().stepBytes();
  ASSERT_TRUE(forecast.has_value());
  EXPECT_NEAR(static_cast<double>(*forecast), static_cast<double>(training->peak_bytes),
              0.1 * static_cast<double>(training->peak_bytes));
  app.workspace().choosePrecision(Precision::fp16);
  ASSERT_TRUE(waitFor([&] { return tip("run.training").contains("and the memory are not known"); }))
      << tip("run.training").toStdString();
  ASSERT_TRUE(waitFor([&] { return tip("run.measure").contains(unknown); }))
      << "a run in another precision must not be the basis: " << tip("run.measure").toStdString();
}

}  // namespace
}  // namespace spira::ui
