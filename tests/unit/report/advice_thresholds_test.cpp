// Tests the advice on thresholds and on the kernel maps that they need. All runs are synthetic.
#include "tests/support/made_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace spira {
namespace {

using test::around;
using test::MadeRun;
using testing::HasSubstr;
using testing::SizeIs;

TEST(Advice, NamesAFasterThreshold) {
  MadeRun run;
  run.sweepLayer(0, {{0, 5.0}, {2, 1.0}, {4, 3.0}});
  const auto all = run.all(AdviceRule::faster_threshold);
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].change.thresholds, (std::vector<std::pair<int, int>>{{0, 2}}));
  EXPECT_THAT(all[0].evidence, HasSubstr(": significantly faster"));
  EXPECT_NEAR(all[0].gain.ms, 2.0, 0.01);
  run.measurement.plan.layers[0].threshold = 2;
  EXPECT_THAT(run.all(AdviceRule::faster_threshold), SizeIs(0))
      << "the current threshold must not be suggested";
  run.measurement.plan.layers[0].threshold = 1;
  EXPECT_THAT(run.all(AdviceRule::faster_threshold), SizeIs(0))
      << "without a measurement of the current threshold there must be no advice";
}

TEST(Advice, NamesASimplerThresholdOfATie) {
  MadeRun run;
  run.measurement.plan.layers[0].threshold = 2;
  run.sweepLayer(0, {{0, 5.0}, {2, 3.0}, {4, 3.0}});
  const auto all = run.all(AdviceRule::simpler_threshold);
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].change.thresholds, (std::vector<std::pair<int, int>>{{0, 4}}));
  EXPECT_THAT(all[0].evidence, HasSubstr("other layers already use the map of t = 4"));
  run.measurement.plan.layers[0].threshold = 4;
  EXPECT_THAT(run.all(AdviceRule::simpler_threshold), SizeIs(0))
      << "if the simplest threshold is in use, there must be no advice";
  run.measurement.plan.layers[0].threshold = run.measurement.plan.layers[1].threshold = 2;
  EXPECT_THAT(run.all(AdviceRule::simpler_threshold), SizeIs(0))
      << "a simpler threshold that needs an additional map must not be suggested";
}

TEST(Advice, NamesTheSimplestThresholdThatIsTiedWithTheFastest) {
  MadeRun run;
  run.sweepLayer(0, {{0, 1.001}, {2, 1.0}, {3, 1.001}, {4, 3.0}});
  const auto all = run.all(AdviceRule::faster_threshold);
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].change.thresholds, (std::vector<std::pair<int, int>>{{0, 0}}));
  EXPECT_THAT(
      all[0].evidence,
      HasSubstr(
          "t = 4 is significantly slower than the fastest, and t = 0 is the simplest setting that is tied"));
  run.measurement.plan.layers[0].threshold = 0;
  EXPECT_THAT(advise(run.facts()), SizeIs(0))
      << "the current threshold must not be suggested, even if another one has a lower median";
}

TEST(Advice, CountsTheMapThatAnotherThresholdAdds) {
  MadeRun run;
  run.sweepLayer(0, {{0, 5.0}, {2, 1.0}, {4, 3.0}});
  run.addMapsToSweep(0.5);
  auto all = run.all(AdviceRule::faster_threshold);
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].gain.kind, GainKind::modelled)
      << "the gain must be modelled, because the sweep timed the layer alone";
  EXPECT_NEAR(all[0].gain.ms, 1.5, 0.01)
      << "the gain must include the additional map, because layer b keeps its own";
  EXPECT_THAT(all[0].evidence,
              HasSubstr("other layers keep the map of t = 4, so the map of t = 2 is built in addition"));
  run.measurement.plan.layers[1].threshold = 2;
  all = run.all(AdviceRule::faster_threshold);
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_NEAR(all[0].gain.ms, 2.5, 0.01)
      << "the gain must include the map of t = 4, which is no longer built";
  EXPECT_THAT(all[0].evidence, HasSubstr("other layers already use the map of t = 2"));
  run.measurement.plan.layers[1].threshold = 1;
  all = run.all(AdviceRule::faster_threshold);
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].gain.kind, GainKind::measured)
      << "the gain must be measured, because no other layer reads these maps";
  run.measurement.plan.layers[1].threshold = 4;
  run.sweep.rows.clear();
  run.sweepLayer(0, {{2, 2.8}, {4, 3.0}});
  run.addMapsToSweep(0.5);
  EXPECT_THAT(run.all(AdviceRule::faster_threshold), SizeIs(0))
      << "the additional map costs more than the gain, so there must be no advice";
}

/// Sets a sweep whose rows have different noise. Therefore a tie between a row and the fastest row implies
/// nothing about the other rows.
void sweep_unequal_noise(MadeRun& run, const std::vector<std::pair<int, std::vector<double>>>& rows) {
  run.sweep.rows.clear();
  run.sweepLayer(0, {});
  for (const auto& [t, ms] : rows)
    run.sweep.rows.push_back({"t = " + std::to_string(t), t, run.scene.pack, "", {ms, false}, {}});
  judge(run.sweep);
}

TEST(Advice, NamesTheFastestThresholdIfTheSimplestTiedOneIsNotFaster) {
  MadeRun run;
  run.measurement.plan.layers[0].threshold = 3;
  sweep_unequal_noise(run, {{0, {0.95, 0.95, 0.95, 1.05, 1.05, 1.05, 1.05}},
                            {2, std::vector<double>(7, 1.0)},
                            {3, std::vector<double>(7, 1.01)}});
  ASSERT_EQ(run.sweep.rows[0].standing, "tied");
  ASSERT_EQ(run.sweep.rows[2].standing, "");
  ASSERT_EQ(run.sweep.pick(), 0) << "the sweep must pick t = 0, which is simpler than t = 2";
  const auto all = run.all(AdviceRule::faster_threshold);
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].change.thresholds, (std::vector<std::pair<int, int>>{{0, 2}}));
  EXPECT_NEAR(all[0].gain.ms, 0.01, 1e-9);
  EXPECT_THAT(all[0].evidence, HasSubstr(": significantly faster"));
}

TEST(Advice, DoesNotNameASimplerThresholdThatIsSlower) {
  MadeRun run;
  run.measurement.plan.layers[0].threshold = 3;
  const std::vector<double> noisy{0.9, 0.9, 0.9, 1.0, 1.1, 1.1, 1.1};
  sweep_unequal_noise(run,
                      {{0, std::vector<double>(7, 1.05)}, {2, noisy}, {3, std::vector<double>(7, 1.01)}});
  ASSERT_EQ(run.sweep.rows[0].standing, "tied");
  ASSERT_EQ(run.sweep.rows[2].standing, "tied");
  ASSERT_EQ(run.sweep.pick(), 0);
  EXPECT_THAT(advise(run.facts()), SizeIs(0)) << "t = 0 is 4 % slower, so it must not be suggested";
  sweep_unequal_noise(run,
                      {{0, std::vector<double>(7, 1.01)}, {2, noisy}, {3, std::vector<double>(7, 1.05)}});
  const auto all = run.all(AdviceRule::faster_threshold);
  ASSERT_THAT(all, SizeIs(1)) << "t = 0 must be suggested: it is tied with t = 2 and faster than t = 3";
  EXPECT_NEAR(all[0].gain.ms, 0.04, 1e-9);
}

TEST(Advice, CountsTheRowOrderOfAMap) {
  MadeRun run;
  run.sweepLayer(0, {{0, 5.0}, {2, 1.0}, {4, 3.0}});
  run.addMapsToSweep(0.5);
  for (SweepRow& row : run.sweep.rows) {
    row.stages.nodes.push_back({"features[a]", -1, around(0.4)});
    row.stages.nodes.push_back({"order", 1, around(0.25)});
  }
  const auto all = run.all(AdviceRule::faster_threshold);
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_NEAR(all[0].gain.ms, 1.25, 0.01) << "the gain must include the additional map and its row order";
}

TEST(Advice, NamesAMapThatIsBuiltTwice) {
  MadeRun run;
  run.measurement.plan.layers[1].threshold = 2;
  run.measurement.layers[1].map_shared = false;
  run.measurement.layers[1].stages.nodes.insert(run.measurement.layers[1].stages.nodes.begin(),
                                                {"map[b]", -1, around(1.5)});
  const auto all = run.all(AdviceRule::split_maps);
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].layer, 1);
  EXPECT_EQ(all[0].gain.kind, GainKind::modelled);
  EXPECT_NEAR(all[0].gain.ms, 1.5, 0.01);
  run.measurement.layers[1].stages.nodes.push_back({"order", 1, around(0.25)});
  EXPECT_NEAR(run.all(AdviceRule::split_maps)[0].gain.ms, 1.75, 0.01)
      << "the gain must include the second row order";
  run.measurement.plan.layers[1].threshold = run.measurement.plan.layers[0].threshold;
  EXPECT_THAT(run.all(AdviceRule::split_maps), SizeIs(0))
      << "maps that differ in more than t must give no advice";
}

TEST(Advice, NamesLongPostProcessing) {
  MadeRun run;
  StageTree& stages = run.measurement.layers[0].stages;
  stages.nodes.push_back({"filter", 0, around(0.9)});
  EXPECT_THAT(run.all(AdviceRule::post_processing), SizeIs(0))
      << "a run with t = max and z-runs must get no advice about post-processing";
  run.measurement.plan.layers[0].dense_layout = MapLayout::output_major;
  ASSERT_THAT(run.all(AdviceRule::post_processing), SizeIs(1));
  EXPECT_TRUE(run.all(AdviceRule::post_processing)[0].change.empty())
      << "if t = max is in use, the advice must not suggest a change";
  run.measurement.plan.layers[0].threshold = 1;
  EXPECT_EQ(run.all(AdviceRule::post_processing)[0].change.thresholds,
            (std::vector<std::pair<int, int>>{{0, 4}}));
  stages.nodes.back().samples_ms = around(0.7);
  EXPECT_THAT(run.all(AdviceRule::post_processing), SizeIs(0)) << "0.7 of 3 ms is too little for advice";
  stages.nodes.push_back({"order", 1, around(0.2)});
  ASSERT_THAT(run.all(AdviceRule::post_processing), SizeIs(1))
      << "the row order must count as post-processing";
  EXPECT_NEAR(run.all(AdviceRule::post_processing)[0].gain.ms, 0.7, 0.01)
      << "the gain must exclude the row order, which t = max in z-runs needs too";
}

}  // namespace
}  // namespace spira
