// Tests functions of the timeline that need no chart: the conversion between times and pixels, the lanes, the
// colours, and the sums over an area.
#include "engine/backend/plan.hpp"
#include "engine/network/network.hpp"
#include "tests/support/made_timeline.hpp"
#include "ui/charts/timeline/timeline_scale.hpp"
#include "ui/model/tables/timeline_area.hpp"

#include <QAbstractItemModelTester>

#include <gtest/gtest.h>

#include <map>

namespace spira::ui {
namespace {

TEST(TimelineScale, ShowsTheWholeTimelineFirst) {
  TimelineScale scale;
  scale.setPixels(100, 1000);
  scale.setWall(10);
  EXPECT_LT(scale.low(), 0);
  EXPECT_GT(scale.high(), 10);
  EXPECT_NEAR(scale.x(scale.low()), 100, 1e-9);
  EXPECT_NEAR(scale.x(scale.high()), 1100, 1e-9);
  for (const double ms : {0.0, 2.5, 10.0})
    EXPECT_NEAR(scale.ms(scale.x(ms)), ms, 1e-9) << "converting to pixels and back must keep the time";
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
  EXPECT_NEAR(scale.high() - scale.low(), before, 1e-9) << "zooming out must stop at the whole timeline";
  for (int step = 0; step < 200; ++step)
    scale.zoom(0.5, x);
  EXPECT_GT(scale.high() - scale.low(), 0) << "zooming in must stop at a positive length";
  EXPECT_GT(scale.high(), scale.low());
}

TEST(TimelineScale, StaysWithinTheTimeline) {
  TimelineScale scale;
  scale.setPixels(0, 1000);
  scale.setWall(10);
  const double low = scale.low(), high = scale.high();
  scale.pan(5000);
  EXPECT_NEAR(scale.low(), low, 1e-9) << "panning must do nothing if the whole timeline is visible";
  scale.zoom(0.1, 500);
  const double length = scale.high() - scale.low();
  scale.pan(1e6);
  EXPECT_NEAR(scale.high(), high, 1e-9);
  scale.pan(-1e6);
  EXPECT_NEAR(scale.low(), low, 1e-9);
  EXPECT_NEAR(scale.high() - scale.low(), length, 1e-9);
}

TEST(TimelineScale, ShowsAPartAndScrollsAsLittleAsNecessary) {
  TimelineScale scale;
  scale.setPixels(0, 1000);
  scale.setWall(10);
  scale.show(4, 5);
  EXPECT_LT(scale.low(), 4);
  EXPECT_GT(scale.high(), 5);
  EXPECT_LT(scale.high() - scale.low(), 1.5);
  const double low = scale.low();
  scale.reveal(4.2, 4.4);
  EXPECT_EQ(scale.low(), low) << "revealing a visible part must not scroll";
  scale.reveal(6, 6.5);
  EXPECT_NEAR(scale.high(), 6.5, 1e-9);
  scale.reveal(2, 8);
  EXPECT_LT(scale.low(), 2) << "a part longer than the visible range must widen this range";
  EXPECT_GT(scale.high(), 8);
  scale.setWall(0);
  EXPECT_GT(scale.high(), scale.low());
}

TEST(TimelineLanes, HaveARowForEachTrackAndDepth) {
  const TimelineLanes gpu = lanes_of(test::in_situ_timeline());
  EXPECT_EQ(gpu.first_lane, (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(gpu.lane_of, (std::vector<int>{0, 1, 2, 0, 0, 0}));
  const TimelineLanes host = lanes_of(test::host_timeline());
  EXPECT_EQ(host.count(), 2);
  EXPECT_EQ(host.lane_of, (std::vector<int>{0, 1, 0, 1, 0, 1, 1}));
}

TEST(TimelineLanes, PinnedTracksAreAboveTheOthers) {
  const Timeline timeline = test::in_situ_timeline();
  const TimelineLanes lanes = lanes_of(timeline, {timeline.tracks[2], "a track of another run"});
  EXPECT_EQ(lanes.tracks, (std::vector<int>{2, 0, 1}));
  EXPECT_EQ(lanes.pinned, 1);
  EXPECT_EQ(lanes.lane_of, (std::vector<int>{1, 2, 0, 1, 1, 1}));
  EXPECT_EQ(span_across(timeline, lanes, 2, 1), 4) << "a step must follow the displayed order of lanes";
  EXPECT_EQ(lanes_of(timeline, {timeline.tracks[2], timeline.tracks[1]}).tracks, (std::vector<int>{2, 1, 0}));
}

TEST(TimelineLanes, StepsMoveAlongALaneAndAcrossLanes) {
  const Timeline timeline = test::in_situ_timeline();
  const TimelineLanes lanes = lanes_of(timeline);
  EXPECT_EQ(span_along(timeline, lanes, -1, 1), 0) << "the first step must select the first span";
  EXPECT_EQ(span_along(timeline, lanes, 0, 1), 3);
  EXPECT_EQ(span_along(timeline, lanes, 0, -1), 0);
  EXPECT_EQ(span_along(timeline, lanes, 5, 1), 5);
  EXPECT_EQ(span_across(timeline, lanes, 4, 1), 1)
      << "a step to another lane must select the nearest span in time";
  EXPECT_EQ(span_across(timeline, lanes, 1, 1), 2);
  EXPECT_EQ(span_across(timeline, lanes, 2, 1), 2) << "a step below the last lane must keep the span";
  EXPECT_EQ(span_across(timeline, lanes, 2, -1), 1);
  EXPECT_EQ(span_along({}, {}, -1, 1), -1);
}

TEST(TimelineColours, FollowThePhaseAndTheLongestPart) {
  EXPECT_EQ(colours_of(test::in_situ_timeline()),
            (std::vector<StageGroup>{StageGroup::voxelize, StageGroup::search, StageGroup::search,
                                     StageGroup::voxelize, StageGroup::output_stationary,
                                     StageGroup::output_stationary}));
  EXPECT_EQ(colours_of(test::in_situ_timeline(), {"down"}).back(), StageGroup::weight_stationary);
  const auto host = colours_of(test::host_timeline());
  EXPECT_EQ(host[1], StageGroup::voxelize);
  EXPECT_EQ(host[4], StageGroup::weight_stationary)
      << "weight-stationary takes 3 of 5 ms, so it must give the colour";
  EXPECT_EQ(host[5], StageGroup::output_stationary);
}

TEST(TimelineColours, ALayerIsWeightStationaryIfItsThresholdIsZero) {
  Network network;
  network.layers.resize(3);
  Plan plan;
  plan.layers.resize(3);
  for (std::size_t layer = 0; layer < 3; ++layer) {
    network.layers[layer].name = "layer" + std::to_string(layer);
    plan.layers[layer].threshold = static_cast<int>(layer);
  }
  EXPECT_EQ(weight_stationary_layers(network, plan), WeightStationaryLayers{"layer0"});
}

TEST(TimelineArea, AddsUpByLayerAndPhase) {
  const Timeline timeline = test::in_situ_timeline();
  const auto rows = add_up(timeline, lanes_of(timeline), {3, 8, 0, 2});
  ASSERT_EQ(rows.size(), 4U);  // The input ends where the area begins, so it is not included.
  EXPECT_EQ(rows[0].layer, "down");
  EXPECT_EQ(rows[0].group, StageGroup::search);
  EXPECT_DOUBLE_EQ(rows[0].total_ms, 3) << "only the time inside the area must count";
  EXPECT_DOUBLE_EQ(rows[1].total_ms, 2);
  EXPECT_EQ(rows[1].group, StageGroup::output_stationary);
  EXPECT_EQ(add_up(timeline, lanes_of(timeline), {3, 8, 1, 1}).size(), 1U)
      << "an area of one lane must have one row";
  EXPECT_TRUE(add_up(timeline, lanes_of(timeline), {5.2, 5.8, 0, 1}).empty())
      << "an area without spans must be empty";
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
  EXPECT_DOUBLE_EQ(groups[StageGroup::residual], 3)
      << "the residual must be the time of voxels, map and features outside their parts";
  EXPECT_DOUBLE_EQ(groups[StageGroup::search], 2);
}

TEST(TimelineAreaTable, FollowsTheRulesOfModels) {
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
  model.setRows(add_up(timeline, lanes_of(timeline), {0, 10, 0, 2}), {{"down", "do"}});
  EXPECT_EQ(text(0, TimelineAreaModel::layer), "do");
  EXPECT_EQ(model.index(0, TimelineAreaModel::layer).data(Qt::ToolTipRole).toString(), "down");
  model.setRows({});
  EXPECT_EQ(model.rowCount(), 0);
}

}  // namespace
}  // namespace spira::ui
