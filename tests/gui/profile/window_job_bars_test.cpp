// Tests that a view that waits for its job shows the progress and can stop the job.
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
  /// Starts sampling that ends only when it is stopped.
  void sampleForLong() {
    window.settings().set("measure.min_samples", 10'000);
    window.settings().set("measure.max_samples", 10'000);
  }
};

TEST_F(JobBars, StandInTheViewThatWaitsAndCancel) {
  open("room");
  sampleForLong();
  JobBar& sweeps = barOf(&window.sweepPanel());
  JobBar& breakdown = barOf(window.findChild<BreakdownPanel*>());
  ASSERT_TRUE(window.commands().trigger("sweep.thresholds"));
  EXPECT_EQ(window.jobs().lane().doing(), EngineLane::Doing::sweeping);
  EXPECT_TRUE(sweeps.isHidden()) << "not in the first second";
  ASSERT_TRUE(waitFor([&] { return sweeps.isVisible(); }));
  EXPECT_TRUE(breakdown.isHidden()) << "it waits for nothing";
  EXPECT_TRUE(sweeps.text().startsWith("Sweeping t")) << sweeps.text().toStdString();
  ASSERT_TRUE(waitFor([&] { return sweeps.text().contains(" of "); })) << sweeps.text().toStdString();
  sweeps.findChild<QPushButton*>()->click();
  ASSERT_TRUE(waitFor([&] { return idle(); }));
  EXPECT_TRUE(sweeps.isHidden());
  EXPECT_EQ(window.jobs().lane().doing(), std::nullopt);
}

TEST_F(JobBars, OfAMeasurementIsInTheBreakdown) {
  open("room");
  sampleForLong();
  JobBar& breakdown = barOf(window.findChild<BreakdownPanel*>());
  ASSERT_TRUE(window.commands().trigger("run.measure"));
  window.bottomTabs().setCurrentWidget(window.findChild<BreakdownPanel*>());
  ASSERT_TRUE(waitFor([&] { return breakdown.isVisible(); }));
  EXPECT_TRUE(barOf(&window.sweepPanel()).isHidden());
  EXPECT_TRUE(barOf(&window.densityPanel()).isHidden());
  window.jobs().lane().task().cancel();
  ASSERT_TRUE(waitFor([&] { return idle() && breakdown.isHidden(); }));
}

}  // namespace
}  // namespace spira::ui
