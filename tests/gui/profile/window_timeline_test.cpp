// Tests the Timeline tab in the window: it is never blank without an explanation, shows runs of this machine
// and of reports, and is linked with all other views.
#include "engine/report/report.hpp"
#include "tests/gui/window_fixture.hpp"
#include "tests/support/made_timeline.hpp"
#include "tests/support/small_session.hpp"
#include "ui/charts/replot.hpp"
#include "ui/charts/timeline/timeline_chart.hpp"
#include "ui/model/tables/timeline_area_model.hpp"
#include "ui/panels/profile/timeline_panel.hpp"

#include <QApplication>
#include <QLabel>
#include <QPushButton>
#include <QTabWidget>
#include <QTableView>
#include <QTemporaryDir>
#include <QToolButton>

#include <gmock/gmock.h>

namespace spira::ui {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class TimelineWindow : public WindowTest {
 protected:
  TimelineWindow() { window.bottomTabs().setCurrentWidget(&panel()); }
  [[nodiscard]] TimelinePanel& panel() { return window.timelinePanel(); }
  [[nodiscard]] TimelineChart& chart() { return *panel().chart(); }
  /// Returns all visible texts of the panel.
  [[nodiscard]] std::string said() {
    QStringList all;
    for (const QLabel* label : panel().findChildren<QLabel*>()) {
      if (label->isVisible()) all += label->text();
    }
    return all.join('\n').toStdString();
  }
  void openReport(const Timeline& timeline) {
    test::SmallSession some;
    some.load();
    SamplingProtocol how;
    how.min_samples = how.max_samples = 2;
    Job job;
    Report report = make_report(some.session, *some.session.measure(some.plan, how, job), {"spira", "run"});
    report.measurement.device = {BackendKind::cuda,  "A far GPU", "sm_90", 132, 1,
                                 Clock::cuda_events, "1.2.3",     "",      {}};
    report.measurement.timeline = timeline;
    write_report(folder.filePath("r.spira.json").toStdString(), report);
    window.open(folder.filePath("r.spira.json"));
    ASSERT_TRUE(waitFor([&] { return idle() && window.workspace().report(); }));
    QApplication::processEvents();
    replot_charts(window);
  }

  QTemporaryDir folder;
};

TEST_F(TimelineWindow, SaysWhatToDoWhileThereIsNothing) {
  EXPECT_THAT(said(), HasSubstr("Open a scene and measure a network"));
  open("room");
  EXPECT_THAT(said(), HasSubstr("Nothing measured yet: Measure (Ctrl+M)"));
  const auto buttons = panel().findChildren<QPushButton*>();
  ASSERT_EQ(buttons.size(), 1);
  EXPECT_EQ(buttons.front()->text(), "Measure");
  EXPECT_TRUE(buttons.front()->isVisible());
}

TEST_F(TimelineWindow, AMeasuredRunHasItsStagesOneAfterAnotherAndKeysOfItsOwn) {
  open("room");
  runNetwork("resn21");
  ASSERT_TRUE(window.commands().trigger("run.measure"));
  ASSERT_TRUE(waitFor([&] { return idle() && window.workspace().measurement(); }));
  window.bottomTabs().setCurrentWidget(&panel());
  EXPECT_THAT(panel().headline().toStdString(),
              AllOf(HasSubstr("Sequential stages, no overlap"), HasSubstr("median of n = "),
                    HasSubstr("overlap factor 1.00"), HasSubstr("timer overhead"),
                    HasSubstr("In-situ timing requires an NVIDIA GPU: ")))
      << "the way on";
  EXPECT_EQ(chart().lanes().count(), 2) << "stages, and those in them";
  replot_charts(window);
  window.activateWindow();
  ASSERT_TRUE(QTest::qWaitForWindowActive(&window));
  chart().setFocus();
  const ColourBy colour = window.selection().colourBy();
  const double all = chart().scale().high() - chart().scale().low();
  for (const Qt::Key key : {Qt::Key_W, Qt::Key_W, Qt::Key_S})
    QTest::keyClick(&chart(), key);
  EXPECT_NEAR(chart().scale().high() - chart().scale().low(), all / 1.5, 1e-9);
  EXPECT_EQ(window.selection().colourBy(), colour) << "S is the next colouring elsewhere";
  window.selection().setLayer(3);
  QTest::keyClick(&chart(), Qt::Key_BracketRight);
  EXPECT_EQ(window.selection().layer(), 4) << "a command of all charts";
  window.jobs().runs().chooseNetwork("minkunet42");
  EXPECT_THAT(said(), HasSubstr("Nothing measured yet")) << "it was of another network";
}

TEST_F(TimelineWindow, AReportShowsWhatWasRecordedInSitu) {
  openReport(test::in_situ_timeline());
  EXPECT_THAT(
      panel().headline().toStdString(),
      AllOf(HasSubstr("In situ"), HasSubstr("A far GPU"), HasSubstr("end to end 10.0"), HasSubstr("n = 3"),
            HasSubstr("overlap factor 1.40"), HasSubstr("timer overhead is 1.000 ms")));
  EXPECT_THAT(said(), AllOf(HasSubstr("search"), HasSubstr("output-st")));
  EXPECT_EQ(chart().lanes().count(), 3);
}

TEST_F(TimelineWindow, AReportWithoutATimelineSaysSo) {
  openReport({});
  EXPECT_THAT(said(), HasSubstr("This report has no timeline"));
  EXPECT_FALSE(chart().isVisible());
  openReport(test::host_timeline());
  EXPECT_THAT(said(), AllOf(HasSubstr("Sequential stages"), HasSubstr("Not measured in situ: ")));
}

TEST_F(TimelineWindow, IsLinkedWithTheChosenLayer) {
  openReport(test::in_situ_timeline());
  QTest::mouseClick(&chart(), Qt::LeftButton, {}, chart().rectOf(5).center().toPoint());
  EXPECT_EQ(window.selection().layer(), 1) << "down";
  EXPECT_EQ(chart().currentSpan(), 5);
  window.selection().setLayer(0);
  EXPECT_EQ(chart().currentSpan(), -1) << "another layer was chosen elsewhere";
  replot_charts(window);
  const QImage before = chart().grab().toImage();
  window.selection().setLayer(1);
  replot_charts(window);
  EXPECT_NE(chart().grab().toImage(), before);
}

TEST_F(TimelineWindow, AnAreaIsAddedUpInATable) {
  openReport(test::in_situ_timeline());
  auto* table = panel().findChild<QTableView*>();
  EXPECT_FALSE(table->isVisible());
  chart().setFocus();
  QTest::keyClick(&chart(), Qt::Key_R);
  EXPECT_THAT(said(), HasSubstr("Drag over the timeline"));
  QTest::keyClick(&chart(), Qt::Key_R);
  ASSERT_TRUE(table->isVisible());
  EXPECT_EQ(panel().sums()->spanCount(), 6);
  EXPECT_THAT(said(), AllOf(HasSubstr("14.0 ms in 0.000 to 10.000 ms"), HasSubstr("1.40 concurrent")));
  QApplication::processEvents();
  QTest::mouseClick(table->viewport(), Qt::LeftButton, {},
                    table->visualRect(table->model()->index(0, 0)).center());
  EXPECT_EQ(window.selection().layer(), 1);
  chart().setFocus();
  QTest::keyClick(&chart(), Qt::Key_Escape);
  EXPECT_FALSE(table->isVisible());
}

TEST_F(TimelineWindow, EverythingHasANameAndFitsALowDock) {
  openReport(test::in_situ_timeline());
  EXPECT_FALSE(chart().accessibleName().isEmpty());
  EXPECT_FALSE(panel().findChild<QTableView*>()->accessibleName().isEmpty());
  for (const QToolButton* button : panel().findChildren<QToolButton*>()) {
    EXPECT_FALSE(button->accessibleName().isEmpty());
    EXPECT_FALSE(button->toolTip().isEmpty());
  }
  window.resize(1024, 640);
  window.bottomTabs().setCurrentWidget(&panel());
  QApplication::processEvents();
  chart().takeArea();
  chart().takeArea();
  QApplication::processEvents();
  EXPECT_GE(chart().height(), 70);
  EXPECT_LE(window.width(), 1024);
  chart().showKeys(true);
  const auto* keys = window.findChild<QLabel*>("timeline-keys");
  ASSERT_NE(keys, nullptr);
  EXPECT_TRUE(window.rect().contains(keys->geometry())) << "the list of keys is not cut";
  window.bottomTabs().setCurrentIndex(0);
  EXPECT_FALSE(keys->isVisible());
}

}  // namespace
}  // namespace spira::ui
