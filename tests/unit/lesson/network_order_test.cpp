// Tests stage_needs() on a small U-Net. The expected dependencies were derived by hand.
#include "engine/lesson/facts/network_order.hpp"

#include "tests/support/small_session.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace spira {
namespace {

using testing::ElementsAre;

const StageNeeds& stage(const std::vector<StageNeeds>& stages, const std::string& name) {
  const auto found =
      std::find_if(stages.begin(), stages.end(), [&](const StageNeeds& one) { return one.stage == name; });
  EXPECT_NE(found, stages.end()) << name;
  return *found;
}

TEST(StageNeeds, OfALittleUNet) {
  const Network network = test::little_unet();
  const Plan plan = default_plan(network);
  EXPECT_THAT(map_builders(network, plan), ElementsAre(0, 1, 2, 3, 4, 0, 0))
      << "layer up needs pair lists, which the map of layer down lacks";
  const auto stages = stage_needs(network, plan, LevelOrder::closed_form);
  ASSERT_EQ(stages.size(), 1U + 1 + 5 + 7);
  EXPECT_THAT(stage(stages, "downsample[2]").needs, ElementsAre("voxelize"));
  EXPECT_THAT(stage(stages, "map[stem]").needs, ElementsAre("voxelize"));
  EXPECT_THAT(stage(stages, "map[down]").needs, ElementsAre("voxelize", "downsample[2]"));
  EXPECT_THAT(stage(stages, "map[deep]").needs, ElementsAre("downsample[2]"));
  EXPECT_THAT(stage(stages, "map[up]").needs, ElementsAre("voxelize", "downsample[2]"));
  EXPECT_THAT(stage(stages, "features[stem]").needs, ElementsAre("voxelize", "map[stem]"));
  EXPECT_THAT(stage(stages, "features[join.conv]").needs,
              ElementsAre("features[up]", "features[stem]", "map[stem]"));
  EXPECT_THAT(stage(stages, "features[last]").needs,
              ElementsAre("features[join.conv]", "features[join.shortcut]", "map[stem]"));
  std::set<StageKey> done;
  for (const StageNeeds& one : stages) {
    for (const StageKey& need : one.needs)
      EXPECT_TRUE(done.contains(need)) << one.stage.text() << " comes before " << need.text();
    EXPECT_TRUE(done.insert(one.stage).second);
  }
  // The longest chain is voxelize, map[stem], and then the features of stem, down, deep, up, join.conv and
  // last.
  EXPECT_EQ(longest_wait(stages), 8);
}

TEST(StageNeeds, LevelsWaitForEachOtherStepByStepOnly) {
  const Network network = network_preset("minkunet42");
  const Plan plan = default_plan(network);
  const auto steps = stage_needs(network, plan, LevelOrder::step_by_step);
  const auto closed = stage_needs(network, plan, LevelOrder::closed_form);
  EXPECT_THAT(stage(steps, "downsample[16]").needs, ElementsAre("downsample[8]"));
  EXPECT_THAT(stage(closed, "downsample[16]").needs, ElementsAre("voxelize"));
  // In the first case, the longest chain is voxelize, four levels and a map. In the second case, it is
  // voxelize, one level and a map.
  EXPECT_EQ(longest_wait(indexing_needs(network, plan, LevelOrder::step_by_step)), 6);
  EXPECT_EQ(longest_wait(indexing_needs(network, plan, LevelOrder::closed_form)), 3);
}

TEST(SerialTimeline, LaysTheStagesEndToEnd) {
  Measurement measured;
  measured.indexing.nodes = {
      {"voxelize", -1, {2.0, 1.0, 3.0}}, {"sort", 0, {1.0}}, {"downsample[2]", -1, {1.0}}};
  LayerMeasurement layer;
  layer.name = "stem";
  layer.stages.nodes = {{"map[stem]", -1, {4.0}}, {"search", 0, {3.0}}, {"features[stem]", -1, {5.0}}};
  measured.layers = {layer};
  const Timeline timeline = serial_timeline(measured);
  EXPECT_EQ(fault_of(timeline), "");
  ASSERT_EQ(timeline.spans.size(), 4U);
  EXPECT_EQ(timeline.spans[2].stage, "map[stem]");
  EXPECT_DOUBLE_EQ(timeline.spans[2].start_ms, 3);
  EXPECT_DOUBLE_EQ(timeline.spans[3].end_ms, 12);
  EXPECT_DOUBLE_EQ(timeline.shown_wall_ms(), measured.sum_of_stages_ms());
  EXPECT_DOUBLE_EQ(timeline.overlap_factor(), 1);
  EXPECT_TRUE(serial_timeline({}).empty());
}

}  // namespace
}  // namespace spira
