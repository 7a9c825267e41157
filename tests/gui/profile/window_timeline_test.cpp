// Tests the Timeline tab in the window. It explains why it is empty, shows runs of this machine and of
// reports, and is linked with all other views.
#include "engine/report/report.hpp"
#include "engine/report/report_exports.hpp"
#include "tests/gui/window_fixture.hpp"
#include "tests/support/made_timeline.hpp"
#include "tests/support/small_session.hpp"
#include "ui/charts/chart.hpp"
#include "ui/charts/timeline/timeline_chart.hpp"
#include "ui/model/tables/timeline_area.hpp"
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
using testing::ContainsRegex;
using testing::HasSubstr;

class TimelineWindow : public WindowTest {
 protected:
  TimelineWindow() { app.docks().tabs(DockLayout::Side::bottom).setCurrentWidget(&panel()); }
  [[nodiscard]] TimelinePanel& panel() { return child<TimelinePanel>(window); }
  [[nodiscard]] TimelineChart& chart() { return *panel().chart(); }
  /// Returns all visible texts of the panel.
  [[nodiscard]] std::string said() {
    QStringList all;
    for (const QLabel* label : panel().findChildren<QLabel*>()) {
      if (label->isVisible()) all += label->text();
    }
    return all.join('\n').toStdString();
  }
  /// Opens a report with this timeline. If `threshold` is not -1, all layers have this threshold.
  void openReport(const Timeline& timeline, int threshold = -1) {
    test::SmallSession some;
    some.load();
    SamplingProtocol how;
    how.min_samples = how.max_samples = 2;
    Job job;
    Report report = make_report(some.session, *some.session.measure(some.plan, how, job), {"spira", "run"});
    report.measurement.device = {BackendKind::cuda,  "A far GPU", "sm_90", 132, 1,
                                 Clock::cuda_events, "1.2.3",     "",      {}};
    report.measurement.timeline = timeline;
    for (LayerPlan& layer : report.measurement.plan.layers)
      layer.threshold = threshold < 0 ? layer.threshold : threshold;
    write_report(folder.filePath("r.spira.json").toStdString(), report);
    app.opening().open(folder.filePath("r.spira.json"));
    ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().results().report(); }));
    QApplication::processEvents();
    replot_charts(window);
  }

  QTemporaryDir folder;
};

TEST_F(TimelineWindow, DescribesTheNextStepWhileItIsEmpty) {
  EXPECT_THAT(said(), HasSubstr("Open a scene and measure a network"));
  open("room");
  EXPECT_THAT(said(), HasSubstr("Nothing has been measured yet. Press Measure (Ctrl+M)"));
  const auto buttons = panel().findChildren<QPushButton*>();
  ASSERT_EQ(buttons.size(), 1);
  EXPECT_EQ(buttons.front()->text(), "Measure");
  EXPECT_TRUE(buttons.front()->isVisible());
}

TEST_F(TimelineWindow, AMeasuredRunHasConsecutiveStagesAndItsOwnKeys) {
  measureBriefly();
  openWith("room", 0.1);
  app.jobs().runs().useNetwork(std::make_shared<const Network>(test::little_unet()));
  ASSERT_TRUE(app.commands().trigger("run.measure"));
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().results().measurement(); }));
  app.docks().tabs(DockLayout::Side::bottom).setCurrentWidget(&panel());
  EXPECT_THAT(panel().headline().toStdString(),
              AllOf(HasSubstr("Sequential stages, no overlap"), HasSubstr("median of "),
                    ContainsRegex("overlap factor [01][.][0-9]"), HasSubstr("timer overhead"),
                    HasSubstr("In-situ timing requires an NVIDIA GPU: ")))
      << "the headline must describe the timing and how to measure in situ";
  EXPECT_EQ(chart().view().lanes.count(), 2) << "the lanes must be the stages and the nested stages";
  replot_charts(window);
  // The activation is repeated, because the window of another test can become active in between.
  ASSERT_TRUE(waitFor([&] {
    window.activateWindow();
    chart().setFocus();
    return QApplication::focusWidget() == &chart();
  }));
  const ColourBy colour = app.selection().look().colourBy();
  const double all = chart().scale().high() - chart().scale().low();
  for (const Qt::Key key : {Qt::Key_W, Qt::Key_W, Qt::Key_S})
    QTest::keyClick(&chart(), key);
  EXPECT_NEAR(chart().scale().high() - chart().scale().low(), all / 1.5, 1e-9);
  EXPECT_EQ(app.selection().look().colourBy(), colour)
      << "S must not change the colouring while the timeline has the focus";
  app.selection().setLayer(3);
  QTest::keyClick(&chart(), Qt::Key_BracketRight);
  EXPECT_EQ(app.selection().layer(), 4) << "the shortcut for the next layer must work in the timeline";
  app.jobs().runs().chooseNetwork("minkunet42");
  EXPECT_THAT(said(), HasSubstr("Nothing has been measured yet"))
      << "the run of another network must be removed";
}

TEST_F(TimelineWindow, AReportShowsItsInSituRun) {
  openReport(test::in_situ_timeline());
  EXPECT_THAT(panel().headline().toStdString(),
              AllOf(HasSubstr("In situ"), HasSubstr("A far GPU"), HasSubstr("end to end 10.0"),
                    HasSubstr("median of 3"), HasSubstr("overlap factor 1.40"),
                    HasSubstr("timer overhead is 1.000 ms")));
  EXPECT_THAT(said(), AllOf(HasSubstr("search"), HasSubstr("output-st")));
  EXPECT_EQ(chart().view().lanes.count(), 3);
}

TEST_F(TimelineWindow, TheLegendNamesWeightStationaryIfALayerIsWeightStationary) {
  openReport(test::in_situ_timeline(), 0);
  EXPECT_THAT(said(), HasSubstr("weight-st"));
  const auto keys = chart().legendEntries();
  const QColor orange = app.theme().stage(StageGroup::weight_stationary);
  EXPECT_TRUE(
      std::any_of(keys.begin(), keys.end(), [&](const LegendEntry& key) { return key.colour == orange; }));
}

TEST_F(TimelineWindow, AReportWithoutATimelineGivesTheReason) {
  openReport({});
  EXPECT_THAT(said(), HasSubstr("This report has no timeline"));
  EXPECT_FALSE(chart().isVisible());
  openReport(test::host_timeline());
  EXPECT_THAT(said(), AllOf(HasSubstr("Sequential stages"), HasSubstr("Not measured in situ: ")));
}

TEST_F(TimelineWindow, IsLinkedWithTheSelectedLayer) {
  openReport(test::in_situ_timeline());
  QTest::mouseClick(&chart(), Qt::LeftButton, {}, chart().rectOf(5).center().toPoint());
  EXPECT_EQ(app.selection().layer(), 1) << "a click on a span must select its layer";
  EXPECT_EQ(chart().view().current, 5);
  app.selection().setLayer(0);
  EXPECT_EQ(chart().view().current, -1) << "selecting another layer elsewhere must clear the current span";
  replot_charts(window);
  const QImage before = chart().grab().toImage();
  app.selection().setLayer(1);
  replot_charts(window);
  EXPECT_NE(chart().grab().toImage(), before);
}

TEST_F(TimelineWindow, AnAreaIsSummedInATable) {
  openReport(test::in_situ_timeline());
  auto* table = panel().findChild<QTableView*>();
  EXPECT_FALSE(table->isVisible());
  chart().setFocus();
  QTest::keyClick(&chart(), Qt::Key_R);
  EXPECT_THAT(said(), HasSubstr("Drag across the timeline"));
  QTest::keyClick(&chart(), Qt::Key_R);
  ASSERT_TRUE(table->isVisible());
  EXPECT_EQ(panel().sums()->spanCount(), 6);
  EXPECT_THAT(said(), AllOf(HasSubstr("Sum: 14.0 ms"), HasSubstr("from 0.000 to 10.000 ms"),
                            HasSubstr("average concurrency 1.40")));
  QApplication::processEvents();
  QTest::mouseClick(table->viewport(), Qt::LeftButton, {},
                    table->visualRect(table->model()->index(0, 0)).center());
  EXPECT_EQ(app.selection().layer(), 1);
  chart().setFocus();
  QTest::keyClick(&chart(), Qt::Key_Escape);
  EXPECT_FALSE(table->isVisible());
}

TEST_F(TimelineWindow, EveryWidgetHasANameAndFitsALowDock) {
  openReport(test::in_situ_timeline());
  EXPECT_FALSE(chart().accessibleName().isEmpty());
  EXPECT_FALSE(panel().findChild<QTableView*>()->accessibleName().isEmpty());
  for (const QToolButton* button : panel().findChildren<QToolButton*>()) {
    EXPECT_FALSE(button->accessibleName().isEmpty());
    EXPECT_FALSE(button->toolTip().isEmpty());
  }
  window.resize(1024, 640);
  app.docks().tabs(DockLayout::Side::bottom).setCurrentWidget(&panel());
  QApplication::processEvents();
  chart().takeArea();
  chart().takeArea();
  QApplication::processEvents();
  EXPECT_GE(chart().height(), 70);
  EXPECT_LE(window.width(), 1024);
  chart().toggleKeys();
  const auto* keys = window.findChild<QLabel*>("timeline-keys");
  ASSERT_NE(keys, nullptr);
  EXPECT_TRUE(window.rect().contains(keys->geometry())) << "the list of keys must not be cut off";
  app.docks().tabs(DockLayout::Side::bottom).setCurrentIndex(0);
  EXPECT_FALSE(keys->isVisible());
}

}  // namespace
}  // namespace spira::ui
