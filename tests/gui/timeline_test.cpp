// A timeline without the window: moments and pixels, lanes, sums over an area, and the chart with real keys
// and a real mouse.
#include "tests/support/made_timeline.hpp"
#include "ui/charts/replot.hpp"
#include "ui/charts/timeline_chart.hpp"
#include "ui/model/timeline_area_model.hpp"
#include "ui/theme/theme.hpp"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QSignalSpy>
#include <QTest>
#include <QToolTip>
#include <QWheelEvent>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace spira::ui {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(TimelineScale, ShowsAllOfATimelineFirst) {
  TimelineScale scale;
  scale.setPixels(100, 1000);
  scale.setWall(10);
  EXPECT_LT(scale.low(), 0);
  EXPECT_GT(scale.high(), 10);
  EXPECT_NEAR(scale.x(scale.low()), 100, 1e-9);
  EXPECT_NEAR(scale.x(scale.high()), 1100, 1e-9);
  for (const double ms : {0.0, 2.5, 10.0})
    EXPECT_NEAR(scale.ms(scale.x(ms)), ms, 1e-9) << "there and back";
}

TEST(TimelineScale, ZoomsAroundThePointer) {
  TimelineScale scale;
  scale.setPixels(0, 1000);
  scale.setWall(10);
  const double x = 300, at = scale.ms(x), before = scale.high() - scale.low();
  scale.zoom(0.5, x);
  EXPECT_NEAR(scale.ms(x), at, 1e-9);
  EXPECT_NEAR(scale.high() - scale.low(), before / 2, 1e-9);
  scale.zoom(100, x);
  EXPECT_NEAR(scale.high() - scale.low(), before, 1e-9) << "no further out than all of it";
  for (int step = 0; step < 200; ++step)
    scale.zoom(0.5, x);
  EXPECT_GT(scale.high() - scale.low(), 0) << "there is an end to it";
  EXPECT_GT(scale.high(), scale.low());
}

TEST(TimelineScale, StaysWithinTheTimeline) {
  TimelineScale scale;
  scale.setPixels(0, 1000);
  scale.setWall(10);
  const double low = scale.low(), high = scale.high();
  scale.pan(5000);
  EXPECT_NEAR(scale.low(), low, 1e-9) << "all is shown: there is nowhere to go";
  scale.zoom(0.1, 500);
  const double length = scale.high() - scale.low();
  scale.pan(1e6);
  EXPECT_NEAR(scale.high(), high, 1e-9);
  scale.pan(-1e6);
  EXPECT_NEAR(scale.low(), low, 1e-9);
  EXPECT_NEAR(scale.high() - scale.low(), length, 1e-9);
}

TEST(TimelineScale, ShowsAPartAndRevealsNoMoreThanItMust) {
  TimelineScale scale;
  scale.setPixels(0, 1000);
  scale.setWall(10);
  scale.show(4, 5);
  EXPECT_LT(scale.low(), 4);
  EXPECT_GT(scale.high(), 5);
  EXPECT_LT(scale.high() - scale.low(), 1.5);
  const double low = scale.low();
  scale.reveal(4.2, 4.4);
  EXPECT_EQ(scale.low(), low) << "it is there already";
  scale.reveal(6, 6.5);
  EXPECT_NEAR(scale.high(), 6.5, 1e-9);
  scale.reveal(2, 8);
  EXPECT_LT(scale.low(), 2) << "longer than what is shown";
  EXPECT_GT(scale.high(), 8);
  scale.setWall(0);
  EXPECT_GT(scale.high(), scale.low());
}

TEST(TimelineLanes, HaveARowATrackAndOneForEachDepth) {
  const TimelineLanes gpu = lanes_of(test::in_situ_timeline());
  EXPECT_EQ(gpu.first_lane, (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(gpu.lane_of, (std::vector<int>{0, 1, 2, 0, 0, 0}));
  const TimelineLanes host = lanes_of(test::host_timeline());
  EXPECT_EQ(host.count(), 2);
  EXPECT_EQ(host.lane_of, (std::vector<int>{0, 1, 0, 1, 0, 1, 1}));
}

TEST(TimelineLanes, StepsGoAlongALaneAndAcross) {
  const Timeline timeline = test::in_situ_timeline();
  const TimelineLanes lanes = lanes_of(timeline);
  EXPECT_EQ(span_along(timeline, lanes, -1, 1), 0) << "the first of all";
  EXPECT_EQ(span_along(timeline, lanes, 0, 1), 3);
  EXPECT_EQ(span_along(timeline, lanes, 0, -1), 0);
  EXPECT_EQ(span_along(timeline, lanes, 5, 1), 5);
  EXPECT_EQ(span_across(timeline, lanes, 4, 1), 1) << "the nearest in time";
  EXPECT_EQ(span_across(timeline, lanes, 1, 1), 2);
  EXPECT_EQ(span_across(timeline, lanes, 2, 1), 2) << "there is no lane below";
  EXPECT_EQ(span_across(timeline, lanes, 2, -1), 1);
  EXPECT_EQ(span_along({}, {}, -1, 1), -1);
}

TEST(TimelineColours, FollowThePhaseAndTheLongestPart) {
  EXPECT_EQ(colours_of(test::in_situ_timeline()),
            (std::vector<StageGroup>{StageGroup::voxelize, StageGroup::search, StageGroup::search,
                                     StageGroup::voxelize, StageGroup::output_stationary,
                                     StageGroup::output_stationary}));
  const auto host = colours_of(test::host_timeline());
  EXPECT_EQ(host[1], StageGroup::voxelize);
  EXPECT_EQ(host[4], StageGroup::weight_stationary) << "3 ms of 5";
  EXPECT_EQ(host[5], StageGroup::output_stationary);
}

TEST(TimelineArea, AddsUpByLayerAndPhase) {
  const Timeline timeline = test::in_situ_timeline();
  const auto rows = add_up(timeline, lanes_of(timeline), {3, 8, 0, 2});
  ASSERT_EQ(rows.size(), 4U);  // input ends where the area begins
  EXPECT_EQ(rows[0].layer, "down");
  EXPECT_EQ(rows[0].group, StageGroup::search);
  EXPECT_DOUBLE_EQ(rows[0].total_ms, 3) << "only what lies in the area";
  EXPECT_DOUBLE_EQ(rows[1].total_ms, 2);
  EXPECT_EQ(rows[1].group, StageGroup::output_stationary);
  EXPECT_EQ(add_up(timeline, lanes_of(timeline), {3, 8, 1, 1}).size(), 1U) << "one lane";
  EXPECT_TRUE(add_up(timeline, lanes_of(timeline), {5.2, 5.8, 0, 1}).empty()) << "a gap";
}

TEST(TimelineArea, CountsNestedTimeOnce) {
  const Timeline timeline = test::host_timeline();
  double sum = 0;
  std::map<StageGroup, double> groups;
  for (const AreaRow& row : add_up(timeline, lanes_of(timeline), {0, 10, 0, 1})) {
    sum += row.total_ms;
    groups[row.group] += row.total_ms;
  }
  EXPECT_DOUBLE_EQ(sum, 10);
  EXPECT_DOUBLE_EQ(groups[StageGroup::weight_stationary], 3);
  EXPECT_DOUBLE_EQ(groups[StageGroup::residual], 3) << "what their parts leave of voxels, map and features";
  EXPECT_DOUBLE_EQ(groups[StageGroup::search], 2);
}

TEST(TimelineAreaTable, KeepsTheRulesOfModels) {
  TimelineAreaModel model;
  const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
  const Timeline timeline = test::in_situ_timeline();
  model.setRows(add_up(timeline, lanes_of(timeline), {0, 10, 0, 2}));
  EXPECT_EQ(model.spanCount(), 6);
  EXPECT_DOUBLE_EQ(model.totalMs(), 14);
  const auto text = [&](int row, int column) { return model.index(row, column).data().toString(); };
  EXPECT_EQ(text(0, TimelineAreaModel::layer), "down");
  EXPECT_EQ(text(0, TimelineAreaModel::total), "4.000");
  EXPECT_EQ(text(0, TimelineAreaModel::share), "28.6 %");
  EXPECT_EQ(text(0, TimelineAreaModel::phase), "map: search");
  EXPECT_EQ(model.headerData(TimelineAreaModel::total, Qt::Horizontal).toString(), "Total, ms");
  model.setRows({});
  EXPECT_EQ(model.rowCount(), 0);
}

class TimelineChartTest : public testing::Test {
 protected:
  void SetUp() override {
    chart.resize(900, 240);
    chart.show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(&chart));
    chart.setTimeline(std::make_shared<const Timeline>(test::in_situ_timeline()), {-1, 0, 1, -1, 0, 1});
    replot_charts(chart);
    chart.setFocus();
  }
  void key(Qt::Key which, Qt::KeyboardModifiers with = {}) { QTest::keyClick(&chart, which, with); }
  [[nodiscard]] double shown() const { return chart.scale().high() - chart.scale().low(); }
  [[nodiscard]] QPoint centre(int span) const { return chart.rectOf(span).center().toPoint(); }
  void wheel(const QPoint& at, int turned) {
    QWheelEvent event(at, chart.mapToGlobal(at), {}, {0, turned}, Qt::NoButton, Qt::NoModifier,
                      Qt::NoScrollPhase, false);
    QApplication::sendEvent(&chart, &event);
  }
  void drag(const QPoint& from, const QPoint& to, Qt::KeyboardModifiers with = {}) {
    QTest::mousePress(&chart, Qt::LeftButton, with, from);
    QTest::mouseMove(&chart, (from + to) / 2);
    QTest::mouseMove(&chart, to);
    QTest::mouseRelease(&chart, Qt::LeftButton, with, to);
  }

  Theme theme;
  TimelineChart chart{&theme};
};

TEST_F(TimelineChartTest, DrawsSpansOfATrackInARowInOrder) {
  EXPECT_EQ(chart.rectOf(0).top(), chart.rectOf(5).top());
  EXPECT_LT(chart.rectOf(0).right(), chart.rectOf(3).right());
  EXPECT_LT(chart.rectOf(0).bottom(), chart.rectOf(1).top());
  EXPECT_LT(chart.rectOf(4).right() + 10, chart.rectOf(5).left()) << "a gap is seen";
  const QImage picture = chart.grab().toImage();
  const auto colour_at = [&](const QPointF& at) { return picture.pixelColor(at.toPoint()); };
  const QPointF inside = chart.rectOf(5).topLeft() + QPointF(40, 4);
  const QPointF between(chart.rectOf(5).left() - 8, inside.y());
  EXPECT_NE(colour_at(inside), colour_at(between));
}

TEST_F(TimelineChartTest, MakesRoomForALongerBaselineAndTakesItBack) {
  const double own = chart.scale().wall();
  auto longer = std::make_shared<Timeline>(test::in_situ_timeline());
  for (TimelineSpan& span : longer->spans)
    span.end_ms += own;
  chart.setBaseline(longer);
  EXPECT_GT(chart.scale().wall(), own);
  const auto other_stages = std::make_shared<Timeline>(*longer);
  for (TimelineSpan& span : other_stages->spans)
    span.stage += "?";
  chart.setBaseline(other_stages);
  EXPECT_EQ(chart.scale().wall(), own) << "nothing of it is drawn";
  chart.setBaseline(longer);
  chart.setBaseline(nullptr);
  EXPECT_EQ(chart.scale().wall(), own);
}

TEST_F(TimelineChartTest, KeysZoomPanAndFocus) {
  const double all = shown();
  key(Qt::Key_W);
  EXPECT_NEAR(shown(), all / 1.5, 1e-9);
  const double low = chart.scale().low();
  key(Qt::Key_D);
  EXPECT_GT(chart.scale().low(), low);
  key(Qt::Key_A);
  EXPECT_NEAR(chart.scale().low(), low, 1e-9);
  key(Qt::Key_S);
  EXPECT_NEAR(shown(), all, 1e-9);
  key(Qt::Key_Period);
  EXPECT_EQ(chart.currentSpan(), 0);
  key(Qt::Key_Period);
  key(Qt::Key_Period);
  EXPECT_EQ(chart.currentSpan(), 4);
  EXPECT_THAT(chart.accessibleDescription().toStdString(), HasSubstr("features[stem]"));
  key(Qt::Key_Comma);
  EXPECT_EQ(chart.currentSpan(), 3);
  key(Qt::Key_Down);
  EXPECT_EQ(chart.currentSpan(), 1);
  key(Qt::Key_F);
  EXPECT_LT(shown(), 3) << "map[stem] takes 2 ms";
  EXPECT_LT(chart.scale().low(), 2);
  EXPECT_GT(chart.scale().high(), 4);
  key(Qt::Key_F);
  EXPECT_NEAR(shown(), all, 1e-9) << "again: all of it";
  key(Qt::Key_Escape);
  EXPECT_EQ(chart.currentSpan(), -1);
}

TEST_F(TimelineChartTest, ThePointerIsWhereTheWheelZooms) {
  const QPoint at = centre(5);
  const double before = 8;  // the middle of 6 to 10 ms
  wheel(at, 240);
  EXPECT_LT(shown(), 6);
  EXPECT_NEAR(chart.scale().ms(at.x()), before, 0.02);
  const double low = chart.scale().low();
  drag(at, at + QPoint(100, 0));
  EXPECT_LT(chart.scale().low(), low) << "dragged to the right: earlier moments come in";
  EXPECT_EQ(chart.currentSpan(), -1) << "a drag is no click";
  wheel(at, -1200);
  EXPECT_NEAR(shown(), 10.2, 0.01);
}

TEST_F(TimelineChartTest, AClickChoosesTheLayerAndALayerIsOutlined) {
  const QSignalSpy clicked(&chart, &TimelineChart::layerClicked);
  QTest::mouseClick(&chart, Qt::LeftButton, {}, centre(2));
  ASSERT_EQ(clicked.count(), 1);
  EXPECT_EQ(clicked.at(0).at(0).toInt(), 1);
  EXPECT_EQ(chart.currentSpan(), 2);
  QTest::mouseClick(&chart, Qt::LeftButton, {}, centre(0));
  EXPECT_EQ(clicked.count(), 1) << "voxelize is of no layer";
  EXPECT_EQ(chart.currentSpan(), 0);
  key(Qt::Key_Down);
  key(Qt::Key_Return);
  ASSERT_EQ(clicked.count(), 2);
  EXPECT_EQ(clicked.at(1).at(0).toInt(), 0);
  key(Qt::Key_Escape);
  replot_charts(chart);
  const QImage before = chart.grab().toImage();
  chart.setChosenLayer(1);
  replot_charts(chart);
  EXPECT_NE(chart.grab().toImage(), before);
  key(Qt::Key_F);
  EXPECT_GT(chart.scale().low(), 0.4) << "F shows the chosen layer";
}

TEST_F(TimelineChartTest, WhatIsNotOfTheChosenLayerStepsBack) {
  const auto colour_of_span = [&](int span) {
    replot_charts(chart);
    const QRectF rect = chart.rectOf(span);
    return chart.grab().toImage().pixelColor((rect.bottomRight() - QPointF(4, 3)).toPoint());
  };
  const QColor own = colour_of_span(5), other = colour_of_span(4), none = colour_of_span(0);
  chart.setChosenLayer(1);
  EXPECT_EQ(colour_of_span(5), own);
  EXPECT_NE(colour_of_span(4), other);
  EXPECT_NE(colour_of_span(0), none) << "of no layer";
  chart.setChosenLayer(7);
  EXPECT_EQ(colour_of_span(4), other) << "a layer without a span leaves all as they are";
}

TEST_F(TimelineChartTest, RTakesTheAreaOfTheNextDragOrAllThatIsShown) {
  const QSignalSpy changed(&chart, &TimelineChart::areaChanged);
  key(Qt::Key_R);
  EXPECT_TRUE(chart.takesArea());
  drag(centre(1), centre(2));
  EXPECT_FALSE(chart.takesArea());
  ASSERT_TRUE(chart.area());
  EXPECT_NEAR(chart.area()->low_ms, 3, 0.1);
  EXPECT_NEAR(chart.area()->high_ms, 4, 0.1);
  EXPECT_EQ(chart.area()->first_lane, 1);
  EXPECT_EQ(chart.area()->last_lane, 2);
  EXPECT_GE(changed.count(), 2);
  const double low = chart.scale().low();
  drag(centre(1), centre(2));
  EXPECT_NEAR(chart.scale().low(), low, 1e-9) << "all is shown, so nothing moves";
  EXPECT_TRUE(chart.area()) << "dragging without R moves the view";
  key(Qt::Key_Escape);
  EXPECT_FALSE(chart.area());
  key(Qt::Key_R);
  key(Qt::Key_R);
  ASSERT_TRUE(chart.area());
  EXPECT_EQ(chart.area()->low_ms, 0);
  EXPECT_EQ(chart.area()->last_lane, 2);
  drag(centre(0), centre(3), Qt::ShiftModifier);
  EXPECT_NEAR(chart.area()->low_ms, 1, 0.1) << "Shift does it without R";
}

TEST_F(TimelineChartTest, AQuestionMarkShowsTheKeysAndEscapeHidesThem) {
  EXPECT_FALSE(chart.keysShown());
  key(Qt::Key_Question, Qt::ShiftModifier);
  EXPECT_TRUE(chart.keysShown());
  key(Qt::Key_Question, Qt::ShiftModifier);
  EXPECT_FALSE(chart.keysShown());
  key(Qt::Key_Question);
  key(Qt::Key_Escape);
  EXPECT_FALSE(chart.keysShown());
}

TEST_F(TimelineChartTest, TipsHaveTheStageItsTimesAndItsSpread) {
  const QPoint at = centre(5);
  QHelpEvent help(QEvent::ToolTip, at, chart.mapToGlobal(at));
  QApplication::sendEvent(&chart, &help);
  EXPECT_THAT(QToolTip::text().toStdString(),
              AllOf(HasSubstr("features[down]"), HasSubstr("begins at 6.00"), HasSubstr("takes 4.00"),
                    HasSubstr("on main branch"), HasSubstr("median 4.00"), HasSubstr("n = 3")));
}

TEST_F(TimelineChartTest, IsNotLostWithoutATimeline) {
  chart.setTimeline(nullptr, {});
  replot_charts(chart);
  for (const Qt::Key which : {Qt::Key_W, Qt::Key_F, Qt::Key_R, Qt::Key_Period, Qt::Key_Escape})
    key(which);
  drag({300, 60}, {500, 90});
  wheel({300, 60}, 120);
  EXPECT_FALSE(chart.area());
  EXPECT_EQ(chart.currentSpan(), -1);
  EXPECT_EQ(chart.tipOf(0), QString());
}

}  // namespace
}  // namespace spira::ui
