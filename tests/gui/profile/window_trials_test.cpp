// Tests dragging the divider of t. The window immediately shows the modelled time and then measures the time
// automatically.
#include "engine/scene/point_cloud.hpp"
#include "tests/gui/mouse.hpp"
#include "tests/gui/window_fixture.hpp"
#include "tests/support/small_session.hpp"
#include "ui/charts/density_chart.hpp"
#include "ui/charts/stage_chart.hpp"
#include "ui/charts/sweep_chart.hpp"
#include "ui/charts/threshold_bars.hpp"
#include "ui/charts/timeline/timeline_chart.hpp"
#include "ui/features/sweep/sweep_panel.hpp"
#include "ui/model/measured/measured_here.hpp"
#include "ui/model/measured/threshold_times.hpp"
#include "ui/panels/density_panel.hpp"
#include "ui/panels/profile/breakdown_panel.hpp"
#include "ui/panels/profile/samples_pane.hpp"
#include "ui/panels/profile/summary_panel.hpp"
#include "ui/panels/profile/timeline_panel.hpp"
#include "ui/view3d/voxels/voxel_colours.hpp"

#include <QComboBox>
#include <QTabWidget>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QToolButton>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace spira::ui {
namespace {

using testing::HasSubstr;

class TrialsTest : public WindowTest {
 protected:
  void SetUp() override {
    const QString file = folder.filePath("room.ply");
    write_scene(*test::small_room(2000), file.toStdString());
    open(file);
    app.jobs().runs().useNetwork(std::make_shared<const Network>(test::little_unet()));
    ASSERT_TRUE(app.commands().trigger("run.measure"));
    ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().results().measurement(); }));
    app.selection().setLayer(2);
    app.docks().tabs(DockLayout::Side::right).setCurrentWidget(&child<DensityPanel>(window));
    QTest::qWait(0);
  }
  [[nodiscard]] DensityChart& chart() { return *child<DensityPanel>(window).chart(); }
  [[nodiscard]] const std::vector<ThresholdBar>& times() {
    return child<DensityPanel>(window).times()->times();
  }
  void press() { QTest::mousePress(&chart(), Qt::LeftButton, {}, chart().dividerAt(4) + QPoint(0, 30)); }
  void moveTo(int t) {
    const QPointF at = chart().dividerAt(t) + QPoint(0, 30);
    move_mouse(chart(), at, Qt::LeftButton);
  }
  void release(int t) {
    QTest::mouseRelease(&chart(), Qt::LeftButton, {}, chart().dividerAt(t) + QPoint(0, 30));
  }
  [[nodiscard]] StageBar bar() {
    const auto& bars = window.findChild<BreakdownPanel*>()->chart()->bars();
    return *std::find_if(bars.begin(), bars.end(),
                         [](const StageBar& one) { return one.layer == 2 && !one.is_map; });
  }

  QTemporaryDir folder;
};

TEST_F(TrialsTest, AModelledBarAppearsAtOnceAndTheMeasuredOneAutomatically) {
  ASSERT_EQ(times().size(), 1U);
  EXPECT_EQ(times()[0].name, "t = max (4)");
  EXPECT_FALSE(times()[0].modelled);
  press();
  moveTo(2);
  ASSERT_EQ(times().size(), 2U) << "the modelled time must be shown while the button is pressed";
  EXPECT_EQ(times()[1].name, "t = 2");
  EXPECT_TRUE(times()[1].modelled);
  EXPECT_THAT(times()[1].text.toStdString(), HasSubstr("modelled"));
  EXPECT_TRUE(bar().other_modelled);
  EXPECT_GT(bar().other_ms, 0);
  EXPECT_EQ(app.workspace().requested().plan().layers[2].threshold, 4)
      << "the plan must keep its t until the button is released";
  EXPECT_FALSE(app.jobs().lane().trying()) << "the trial must not start while the divider moves";
  ASSERT_TRUE(waitFor([&] { return times().size() == 2 && !times()[1].modelled; }));
  EXPECT_THAT(times()[1].text.toStdString(), HasSubstr("median of "));
  EXPECT_FALSE(bar().other_modelled);
  EXPECT_THAT(bar().tip().toStdString(), HasSubstr("measured in separate isolated passes"));
  EXPECT_THAT(bar().tip().toStdString(), HasSubstr("Interleaved samples: "));
  const auto compared = threshold_comparison(app.workspace(), app.selection(), 2);
  ASSERT_TRUE(compared) << "both settings must be measured in one job";
  EXPECT_EQ(compared->baseline.threshold, 4);
  EXPECT_EQ(compared->baseline.n, compared->tried.n) << "interleaved series must have the same length";
  EXPECT_GE(compared->tried.n, 7);
  EXPECT_EQ(times()[0].text, compared->baseline.text()) << "the time of t = 4 must come from the same job";
  EXPECT_EQ(times()[1].text, compared->tried.text());
  EXPECT_EQ(child<DensityPanel>(window).times()->verdict(), compared->text());
  EXPECT_THAT(child<DensityPanel>(window).times()->toolTip().toStdString(), HasSubstr("interleaved samples"));
  const auto time = features_at(app.workspace(), 2, 2);
  ASSERT_TRUE(time);
  EXPECT_EQ(time->source, ThresholdTime::Source::trial);
  EXPECT_GE(time->n, 1);
  release(2);
  EXPECT_EQ(app.workspace().requested().plan().layers[2].threshold, 2);
  EXPECT_FALSE(app.selection().tried());
  EXPECT_FALSE(times()[1].modelled);
  EXPECT_FALSE(app.jobs().lane().busy()) << "a measured t must not be measured again";
}

TEST_F(TrialsTest, AfterASingleRunMediansAreComparedWithMedians) {
  ASSERT_TRUE(app.commands().trigger("run.run"));
  ASSERT_TRUE(waitFor([&] { return idle(); }));
  app.workspace().results().setMeasurement(nullptr);
  ASSERT_EQ(features_at(app.workspace(), 2, 4)->n, 1) << "the run must have a single sample";
  press();
  moveTo(2);
  EXPECT_TRUE(waitFor([&] {
    return times().size() == 2 && times()[0].text.contains("median of") &&
           times()[1].text.contains("median of");
  })) << times()[0].text.toStdString();
  EXPECT_TRUE(threshold_comparison(app.workspace(), app.selection(), 2));
  release(2);
  EXPECT_TRUE(waitFor([&] { return idle(); }));
}

TEST_F(TrialsTest, ASecondDragIsComparedWithTheCurrentT) {
  press();
  moveTo(2);
  ASSERT_TRUE(waitFor([&] { return threshold_comparison(app.workspace(), app.selection(), 2).has_value(); }));
  release(2);
  ASSERT_EQ(threshold_of_run(app.workspace(), 2), 4) << "the run must keep its t";
  QTest::mousePress(&chart(), Qt::LeftButton, {}, chart().dividerAt(2) + QPoint(0, 30));
  moveTo(1);
  EXPECT_EQ(compared_threshold(app.workspace(), app.selection(), 2), 2);
  EXPECT_FALSE(threshold_comparison(app.workspace(), app.selection(), 2))
      << "the times of t = 2 and t = 1 must not come from two jobs";
  EXPECT_EQ(child<DensityPanel>(window).times()->verdict(), "");
  ASSERT_TRUE(waitFor([&] { return threshold_comparison(app.workspace(), app.selection(), 2).has_value(); }));
  EXPECT_EQ(times()[0].name, "t = 2");
  EXPECT_EQ(times()[1].name, "t = 1");
  release(1);
  EXPECT_EQ(times()[0].name, "t = 2") << "releasing the divider must keep the comparison";
  EXPECT_FALSE(app.jobs().lane().busy());
  app.workspace().choosePrecision(Precision::fp16);
  EXPECT_FALSE(threshold_comparison(app.workspace(), app.selection(), 2))
      << "a comparison in another precision must be removed";
}

TEST_F(TrialsTest, TimesOfAFormerSettingAreMarkedOrRemoved) {
  const auto marked = [&] {
    const auto labels = child<SummaryPanel>(window).overview()->findChildren<QLabel*>();
    return std::any_of(labels.begin(), labels.end(),
                       [](const QLabel* label) { return label->text().contains("Out of date: "); });
  };
  const Workspace& workspace = app.workspace();
  EXPECT_EQ(formerSettingsText(workspace), "");
  EXPECT_FALSE(marked());
  ASSERT_TRUE(app.commands().trigger("t.down"));
  EXPECT_EQ(formerSettingsText(workspace), "1 layer was measured with different settings");
  EXPECT_TRUE(waitFor([&] { return idle() && marked(); }));
  EXPECT_FALSE(times_are_void(workspace)) << "the other layers must not be grey";
  Sweep sweep;
  sweep.layer = 2;
  app.workspace().results().setThresholdSweep(std::make_shared<const Sweep>(sweep));
  app.workspace().choosePrecision(Precision::fp16);
  EXPECT_EQ(formerSettingsText(workspace), "measured in fp32; the precision is now fp16");
  EXPECT_TRUE(times_are_void(workspace));
  EXPECT_FALSE(workspace.results().thresholdSweep()) << "a sweep in another precision must be removed";
  app.workspace().choosePrecision(std::nullopt);
  EXPECT_FALSE(times_are_void(workspace));
}

TEST(ThresholdComparisonTest, NamesBothSettingsAndTheInterval) {
  ThresholdComparison compared{{4, ThresholdTime::Source::trial, 2.0, 7, 0.01, {}},
                               {2, ThresholdTime::Source::trial, 1.8, 7, 0.01, {}},
                               Verdict::faster,
                               MedianRatio{2.0, 1.8, 0.88, 0.93}};
  EXPECT_EQ(compared.text(),
            "t = 2 is faster: it takes 0.90 times as long as t = 4 (95 % interval: 0.88 to 0.93)");
  compared.verdict = Verdict::same;
  EXPECT_EQ(compared.text(), "t = 2 and t = 4 are tied");
  compared.verdict = Verdict::undecided;
  EXPECT_EQ(compared.text(), "t = 2 compared with t = 4: undecided");
  EXPECT_EQ(compared.tried.text(), "1.800 ms (trial, median of 7 samples, IQR 0.010 ms)");
}

TEST_F(TrialsTest, DraggingTColoursVoxelsByTheSideOfTheirMatches) {
  ColourLegend legend;
  QObject::connect(&app.sceneView(), &SceneView::legendChanged,
                   [&](const ColourLegend& now) { legend = now; });
  const auto shown = [&] {
    QTest::qWait(0);
    EXPECT_TRUE(waitFor([&] { return app.sceneView().settled(); }));
    return app.sceneView().grab3d();
  };
  auto* colours = window.findChild<QComboBox*>("colourBy");
  const QImage before = shown();
  press();
  moveTo(2);
  const QImage at_two = shown();
  EXPECT_NE(at_two, before);
  EXPECT_THAT(legend.title.toStdString(), HasSubstr("t = 2"));
  EXPECT_EQ(legend.scale.size(), 3U);
  EXPECT_THAT(legend.range_text.toStdString(), HasSubstr("weight-stationary (WS): "));
  EXPECT_EQ(colours->currentText(), "Dataflow at t");
  moveTo(1);
  EXPECT_NE(shown(), at_two);
  EXPECT_THAT(legend.title.toStdString(), HasSubstr("t = 1"));
  release(1);
  EXPECT_EQ(shown(), before) << "releasing the divider must restore the selected colouring";
  EXPECT_EQ(legend.title, "height, m");
  EXPECT_EQ(colours->currentText(), "Height");
}

TEST_F(TrialsTest, TheSidesOfTStayIfSelectedAndFollowThePlan) {
  ColourLegend legend;
  QObject::connect(&app.sceneView(), &SceneView::legendChanged,
                   [&](const ColourLegend& now) { legend = now; });
  app.selection().look().setColourBy(ColourBy::threshold_sides);
  EXPECT_TRUE(waitFor([&] { return legend.title.contains("t = "); }));
  EXPECT_THAT(legend.title.toStdString(), HasSubstr("t = 4"));
  ASSERT_TRUE(app.commands().trigger("t.down"));
  ASSERT_TRUE(waitFor([&] { return app.sceneView().settled(); }));
  EXPECT_THAT(legend.title.toStdString(), HasSubstr("t = 3"));
}

TEST_F(TrialsTest, TheSweepHasACursorAtTheTriedT) {
  Sweep sweep;
  sweep.layer = 2;
  for (const int t : {0, 2, 4}) {
    SweepRow row;
    row.label = "t = " + std::to_string(t);
    row.threshold = t;
    row.wall.ms = {1.0 + t, 1.1 + t};
    sweep.rows.push_back(row);
  }
  app.workspace().results().setThresholdSweep(std::make_shared<const Sweep>(sweep));
  const SweepChart& curve = *child<SweepPanel>(window).findChild<SweepChart*>("sweep.thresholds.chart");
  EXPECT_EQ(curve.triedRow(), -1);
  press();
  moveTo(2);
  EXPECT_EQ(curve.triedRow(), 1);
  moveTo(1);
  EXPECT_EQ(curve.triedRow(), -1) << "a t that was not swept must have no row";
  release(4);
  EXPECT_EQ(curve.triedRow(), -1);
}

TEST_F(TrialsTest, ASettingOfASweepOpensItsSamples) {
  Sweep sweep;
  sweep.layer = 2;
  for (const int t : {2, 4}) {
    SweepRow row;
    row.label = "t = " + std::to_string(t);
    row.threshold = t;
    row.wall.ms = {1.0 + t, 1.1 + t, 1.2 + t};
    sweep.rows.push_back(row);
  }
  app.workspace().results().setThresholdSweep(std::make_shared<const Sweep>(sweep));
  SweepPanel& panel = child<SweepPanel>(window);
  EXPECT_TRUE(panel.findChild<SamplesPane*>("sweep.thresholds.samples")->isHidden());
  auto* rows = panel.findChild<SamplesPane*>("sweep.thresholds.samples")
                   ->parentWidget()
                   ->findChild<QTableWidget*>("rows");
  ASSERT_EQ(rows->rowCount(), 2);
  emit rows->cellActivated(1, 0);
  EXPECT_FALSE(panel.findChild<SamplesPane*>("sweep.thresholds.samples")->isHidden());
  EXPECT_THAT(panel.findChild<SamplesPane*>("sweep.thresholds.samples")->text().toStdString(),
              HasSubstr("(n = 3)"));
  app.workspace().results().setThresholdSweep(std::make_shared<const Sweep>(sweep));
  EXPECT_TRUE(panel.findChild<SamplesPane*>("sweep.thresholds.samples")->isHidden())
      << "the samples of the previous sweep must be hidden";
}

TEST_F(TrialsTest, ASpanOfTheTimelineShowsItsSamples) {
  auto* panel = window.findChild<TimelinePanel*>();
  auto* chart = panel->findChild<TimelineChart*>();
  const auto buttons = panel->findChildren<QToolButton*>("chip");
  auto* samples_switch = *std::find_if(buttons.begin(), buttons.end(),
                                       [](const QToolButton* button) { return button->text() == "Samples"; });
  EXPECT_TRUE(panel->samples()->isHidden());
  samples_switch->click();
  EXPECT_FALSE(panel->samples()->isHidden());
  chart->setFocus();
  QTest::keyClick(chart, Qt::Key_Period);
  ASSERT_GE(chart->view().current, 0);
  const auto& span = app.workspace().results().measurement()->timeline.spans.at(
      static_cast<std::size_t>(chart->view().current));
  EXPECT_THAT(panel->samples()->text().toStdString(),
              HasSubstr("n = " + std::to_string(span.samples_ms.size())));
  samples_switch->click();
  EXPECT_TRUE(panel->samples()->isHidden());
}

TEST_F(TrialsTest, TheNextMoveReplacesTheTrialOfThePreviousOne) {
  press();
  moveTo(2);
  moveTo(1);
  EXPECT_EQ(times()[1].name, "t = 1");
  moveTo(4);
  EXPECT_EQ(times().size(), 1U) << "moving back to the t of the run must remove the trial";
  release(4);
  QTest::qWait(400);
  EXPECT_FALSE(app.jobs().lane().busy());
  EXPECT_FALSE(features_at(app.workspace(), 2, 2)->measured()) << "a replaced trial must not be measured";
}

TEST_F(TrialsTest, OtherWorkStopsATrial) {
  app.jobs().sweeps().tryThreshold(2, 0, 4);
  EXPECT_TRUE(app.jobs().lane().readyToRun());
  EXPECT_TRUE(app.commands().unavailableReason("run.measure").isEmpty());
  ASSERT_TRUE(app.commands().trigger("run.measure"));
  EXPECT_FALSE(app.jobs().lane().trying());
  ASSERT_TRUE(waitFor([&] { return idle(); }));
  EXPECT_NE(app.workspace().results().measurement(), nullptr);
}

TEST_F(TrialsTest, ATrialIsDiscardedWithItsScene) {
  app.jobs().sweeps().tryThreshold(2, 0, 4);
  ASSERT_TRUE(waitFor([&] { return features_at(app.workspace(), 2, 0)->measured(); }));
  app.jobs().scenes().voxelize();
  ASSERT_TRUE(waitFor([&] { return idle(); }));
  EXPECT_FALSE(features_at(app.workspace(), 2, 0).has_value());
}

}  // namespace
}  // namespace spira::ui
