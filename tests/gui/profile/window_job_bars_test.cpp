// Tests that a view that waits for a job shows the progress of this job and can stop it.
#include "tests/gui/window_fixture.hpp"
#include "ui/features/sweep/sweep_panel.hpp"
#include "ui/panels/density_panel.hpp"
#include "ui/panels/job_bar.hpp"
#include "ui/panels/profile/breakdown_panel.hpp"
#include "ui/settings/settings.hpp"

#include <QProgressBar>
#include <QPushButton>
#include <QTabWidget>

namespace spira::ui {
namespace {

class JobBars : public WindowTest {
 protected:
  [[nodiscard]] JobBar& barOf(QWidget* panel) {
    auto* bar = panel->findChild<JobBar*>();
    EXPECT_NE(bar, nullptr);
    return *bar;
  }
  /// Starts sampling that runs until it is stopped.
  void sampleForLong() {
    app.settings().set("measure.min_samples", 10'000);
    app.settings().set("measure.max_samples", 10'000);
  }
};

TEST_F(JobBars, AreInTheViewThatWaitsAndCancelItsJob) {
  open("room");
  sampleForLong();
  JobBar& sweeps = barOf(&child<SweepPanel>(window));
  JobBar& breakdown = barOf(window.findChild<BreakdownPanel*>());
  ASSERT_TRUE(app.commands().trigger("sweep.thresholds"));
  EXPECT_EQ(app.jobs().lane().doing(), EngineLane::Doing::sweeping);
  EXPECT_TRUE(sweeps.isHidden()) << "the bar must be hidden during the first second";
  ASSERT_TRUE(waitFor([&] { return sweeps.isVisible(); }));
  EXPECT_TRUE(breakdown.isHidden()) << "a view that waits for no job must have no bar";
  EXPECT_TRUE(sweeps.text().startsWith("Sweeping t")) << sweeps.text().toStdString();
  ASSERT_TRUE(waitFor([&] { return sweeps.text().contains(" of "); })) << sweeps.text().toStdString();
  sweeps.findChild<QPushButton*>()->click();
  ASSERT_TRUE(waitFor([&] { return idle(); }));
  EXPECT_TRUE(sweeps.isHidden());
  EXPECT_EQ(app.jobs().lane().doing(), std::nullopt);
}

TEST_F(JobBars, TheBarOfAMeasurementIsInTheBreakdown) {
  open("room");
  sampleForLong();
  JobBar& breakdown = barOf(window.findChild<BreakdownPanel*>());
  ASSERT_TRUE(app.commands().trigger("run.measure"));
  app.docks().tabs(DockLayout::Side::bottom).setCurrentWidget(window.findChild<BreakdownPanel*>());
  ASSERT_TRUE(waitFor([&] { return breakdown.isVisible(); }));
  EXPECT_TRUE(barOf(&child<SweepPanel>(window)).isHidden());
  EXPECT_TRUE(barOf(&child<DensityPanel>(window)).isHidden());
  app.jobs().lane().cancel();
  ASSERT_TRUE(waitFor([&] { return idle() && breakdown.isHidden(); }));
}

}  // namespace
}  // namespace spira::ui
