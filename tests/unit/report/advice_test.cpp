// Tests each advice rule on synthetic runs. The rule applies to some of these runs and not to the others.
// Also tests the order and the texts of the advice.
#include "engine/report/report_exports.hpp"
#include "tests/support/made_run.hpp"
#include "tests/support/recorded_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace spira {
namespace {

using test::around;
using test::MadeRun;
using testing::HasSubstr;
using testing::SizeIs;

TEST(Advice, IsEmptyForAnOrdinaryRun) {
  EXPECT_THAT(advise(MadeRun().facts()), SizeIs(0));
  EXPECT_THAT(advise({}), SizeIs(0)) << "without facts there must be no advice";
}

TEST(Advice, RanksByGain) {
  MadeRun run;
  run.scene.pack = PackSpec::bits64();
  run.measurement.state_after.throttled_by = {"power cap"};
  run.sweepLayer(0, {{0, 5.0}, {2, 1.0}, {4, 3.0}});
  const auto all = advise(run.facts());
  ASSERT_THAT(all, SizeIs(3));
  EXPECT_EQ(all[0].rule, AdviceRule::faster_threshold) << "advice that saves time must come first";
  EXPECT_EQ(all[1].rule, AdviceRule::wide_packing) << "advice that saves memory must come second";
  EXPECT_EQ(all[2].rule, AdviceRule::held_back) << "advice with an unknown gain must come last";
  EXPECT_THAT(advice_text(all, 1), HasSubstr("1. use t = 2 for a (at most 2.0")) << advice_text(all, 1);
  EXPECT_THAT(advice_markdown(all), HasSubstr("gain not known"));
}

TEST(Advice, NamesSixtyFourBitsIfFewerSuffice) {
  MadeRun run;
  run.scene.pack = PackSpec::bits64();
  auto all = run.all(AdviceRule::wide_packing);
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].gain.bytes, 4 * 50'000);
  EXPECT_EQ(all[0].gain.text(), "at most 200.0 kB, modelled");
  EXPECT_EQ(all[0].change.pack, PackSpec::bits32());
  run.packs.rows = {{"64", -1, PackSpec::bits64(), "", {around(3), false}, {}},
                    {"32", -1, PackSpec::bits32(), "", {around(2), false}, {}}};
  all = run.all(AdviceRule::wide_packing);
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].gain.kind, GainKind::measured);
  run.scene.fit_extent = {9000, 9000, 9000};
  EXPECT_THAT(run.all(AdviceRule::wide_packing), SizeIs(0))
      << "a scene that does not fit in 32 bits must get no advice about its packing";
}

TEST(Advice, NamesAPackingThatALargerKernelWouldLeave) {
  MadeRun run;
  // K = 3 needs one of the 256 cells as a guard cell.
  run.scene.fit_extent[2] = 255;
  const auto all = run.all(AdviceRule::tight_packing);
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_THAT(all[0].evidence,
              HasSubstr("255 cells along z; with K = 5, the packing 12/12/8 holds only 254"));
  EXPECT_TRUE(all[0].change.pack.has_value());
  run.scene.fit_extent[2] = 250;
  EXPECT_THAT(run.all(AdviceRule::tight_packing), SizeIs(0));
}

TEST(Advice, LargerKernelsAreJudgedWithTheStridesOfEachAxis) {
  MadeRun run;
  run.network = parse_network(R"({"schema": "spira.network 2", "name": "made", "layers": [
      {"name": "a", "out_channels": 8}, {"name": "b", "out_channels": 8},
      {"name": "down", "out_channels": 8, "kernel_size": [1, 1, 4], "stride": [1, 1, 4]}]})",
                              "made.json");
  run.scene.fit_extent[2] = 250;
  // On a level of stride 4, K = 5 needs 2 guard cells along z.
  const auto all = run.all(AdviceRule::tight_packing);
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_THAT(all[0].evidence,
              HasSubstr("250 cells along z; with K = 5, the packing 12/12/8 holds only 248"));
  run.scene.fit_extent[2] = 240;
  EXPECT_THAT(run.all(AdviceRule::tight_packing), SizeIs(0));
}

TEST(Advice, NamesBranchesThatDoNotOverlap) {
  MadeRun run;
  run.measurement.timeline = test::in_situ_timeline();
  EXPECT_THAT(run.all(AdviceRule::no_overlap), SizeIs(0)) << "an overlap factor of 1.4 must give no advice";
  run.measurement.timeline.spans = {{"map[a]", 0, -1, 0, 4}, {"features[a]", 1, -1, 5, 10}};
  const auto all = run.all(AdviceRule::no_overlap);
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_NEAR(all[0].gain.ms, 4, 1e-9) << "the gain must be the time of the map, which could overlap";
  run.measurement.timeline = test::host_timeline();
  EXPECT_THAT(run.all(AdviceRule::no_overlap), SizeIs(0))
      << "a run without parallel streams must get no advice about overlap";
}

TEST(Advice, NamesLayersTooSmallForAGpu) {
  MadeRun run;
  run.measurement.layers[2].outputs = 1999;
  run.measurement.layers[2].useful_flops = 1000;
  EXPECT_THAT(run.all(AdviceRule::few_voxels), SizeIs(0)) << "a CPU must get no advice about small layers";
  run.measurement.device.kind = BackendKind::cuda;
  const auto all = run.all(AdviceRule::few_voxels);
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_THAT(all[0].evidence, HasSubstr("1 layer has fewer than 2,000 outputs"));
  EXPECT_EQ(all[0].gain.kind, GainKind::modelled);
  run.measurement.layers[2].outputs = 2000;
  EXPECT_THAT(run.all(AdviceRule::few_voxels), SizeIs(0));
}

TEST(Advice, NamesFlatDensities) {
  MadeRun run;
  run.setDensities(0.012, 0.011);
  const auto all = run.all(AdviceRule::flat_densities);
  ASSERT_THAT(all, SizeIs(1)) << "a map that two layers share must get advice only once";
  EXPECT_EQ(all[0].layer, 0);
  EXPECT_EQ(all[0].gain.kind, GainKind::unknown);
  run.setDensities(0.00012, 0.00011);
  EXPECT_THAT(run.all(AdviceRule::flat_densities), SizeIs(0)) << "too few pairs must give no advice";
}

TEST(Advice, GivesNoDataflowsToNativeLayers) {
  MadeRun run;
  run.setDensities(0.012, 0.011);
  set_neighbourhood(run.network, {NeighbourShape::ball});
  EXPECT_THAT(run.all(AdviceRule::flat_densities), SizeIs(0));
  for (LayerMeasurement& layer : run.measurement.layers)
    layer.stages.nodes.push_back({"map[" + layer.name + "].filter", 0, around(0.9)});
  EXPECT_THAT(run.all(AdviceRule::post_processing), SizeIs(0));
}

TEST(Advice, NamesNativeLayersForWhichVoxelsWouldDo) {
  MadeRun run;
  EXPECT_THAT(run.all(AdviceRule::voxels_would_do), SizeIs(0)) << "no layer is native";
  set_neighbourhood(run.network, {NeighbourShape::ball});
  NeighbourCounts& counts = run.measurement.layers[0].neighbours.emplace();
  counts.triplets = counts.in_voxel_map = 1000;
  counts.groups = 990;
  counts.same_column = 950;
  const auto all = run.all(AdviceRule::voxels_would_do);
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_THAT(all[0].evidence, HasSubstr("95.0 % of the triplets")) << all[0].evidence;
  EXPECT_THAT(all[0].evidence, HasSubstr("the fan-in is 1.01"));
  counts.same_column = 949;
  EXPECT_THAT(run.all(AdviceRule::voxels_would_do), SizeIs(0)) << "too many columns change";
  counts.same_column = 950;
  counts.groups = 952;
  EXPECT_THAT(run.all(AdviceRule::voxels_would_do), SizeIs(0)) << "a fan-in of 1.0504";
}

TEST(Advice, ReportsThrottlingOfTheDevice) {
  MadeRun run;
  run.measurement.state_before.sm_clock_mhz = 1980;
  run.measurement.state_after.sm_clock_mhz = 1800;
  EXPECT_THAT(run.all(AdviceRule::held_back), SizeIs(0)) << "a clock of 91 % must give no advice";
  run.measurement.state_after.sm_clock_mhz = 1485;
  ASSERT_THAT(run.all(AdviceRule::held_back), SizeIs(1));
  EXPECT_NEAR(run.all(AdviceRule::held_back)[0].gain.ms, 2.5, 0.01)
      << "the gain must be a quarter of 10 ms, because the clock was a quarter lower";
  run.measurement.state_before.sm_clock_mhz.reset();
  EXPECT_THAT(run.all(AdviceRule::held_back), SizeIs(0)) << "an unknown clock must give no advice";
}

TEST(Advice, ComparesClocksOfSamplesWithTheDefaultClock) {
  MadeRun run;
  run.measurement.state_before.sm_clock_mhz = run.measurement.state_after.sm_clock_mhz = 1200;
  EXPECT_THAT(run.all(AdviceRule::held_back), SizeIs(0))
      << "without a default clock, equal clocks before and after must give no advice";
  run.measurement.device.sm_default_mhz = 1600;
  ASSERT_THAT(run.all(AdviceRule::held_back), SizeIs(1));
  EXPECT_THAT(run.all(AdviceRule::held_back)[0].evidence,
              HasSubstr("the device clock was 1200 MHz, 75 % of the default 1600"));
  run.measurement.wall.sm_clock_mhz = {1200, 1580, 1590};
  EXPECT_THAT(run.all(AdviceRule::held_back), SizeIs(0)) << "the median clock of the samples must decide";
  run.measurement.wall.sm_clock_mhz = {800, 800, 1590};
  ASSERT_THAT(run.all(AdviceRule::held_back), SizeIs(1));
  EXPECT_NEAR(run.all(AdviceRule::held_back)[0].gain.ms, 5, 0.01) << "the gain must be half of 10 ms";
}

TEST(Advice, DoesNotRecommendTheGraphWhoseTimeLeads) {
  MadeRun run;
  run.measurement.device.kind = BackendKind::cuda;
  const auto before = advise(run.facts()).size();
  run.measurement.compiled_wall.ms = around(2);
  EXPECT_THAT(advise(run.facts()), SizeIs(before)) << "the time of the graph is already the time of the run";
}

TEST(Advice, NamesAProfileThatDoesNotMatchAllLayers) {
  MadeRun run;
  AppliedProfile applied;
  applied.plan.source = "2 of 3 layers from profile x";
  applied.why_not = {"", "", "tuned for 50 outputs; this layer has 12 (limit: 2x)"};
  AdviceFacts facts = run.facts();
  facts.applied = &applied;
  const auto all = advise(facts);
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].rule, AdviceRule::other_profile);
  EXPECT_EQ(all[0].evidence,
            "2 of 3 layers from profile x; not applied to down: tuned for 50 outputs; this layer has 12 "
            "(limit: 2x)");
  applied.why_not[2].clear();
  EXPECT_THAT(advise(facts), SizeIs(0));
}

TEST(Advice, NamesAProfileOfAnotherDensityOrDevice) {
  MadeRun run;
  AppliedProfile applied;
  applied.plan.source = "3 of 3 layers from profile x";
  applied.why_not = {"", "", ""};
  applied.density = {0.1, 0.16, "street"};
  AdviceFacts facts = run.facts();
  facts.applied = &applied;
  EXPECT_THAT(advise(facts), SizeIs(0)) << "a density within the limit must give no advice";
  applied.density = {0.41, 0.16, "street"};
  auto all = advise(facts);
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].rule, AdviceRule::other_profile);
  EXPECT_EQ(all[0].action, "tune on this scene too");
  EXPECT_EQ(all[0].evidence,
            "the density differs by 0.41 from street, the most similar scene of the profile; the limit is "
            "0.16");
  EXPECT_EQ(all[0].gain.kind, GainKind::unknown) << "the gain must be unknown, because it was not measured";
  EXPECT_EQ(all[0].view, AdviceView::tuning);
  applied.why_not[2] = "the profile has no layer with this shape";
  all = advise(facts);
  ASSERT_THAT(all, SizeIs(2));
  EXPECT_EQ(all[1].evidence,
            "3 of 3 layers from profile x; not applied to down: the profile has no layer with this shape");
  applied.why_not[2].clear();
  applied.density.reset();
  applied.ignored = "the device differs (A in the profile, B here)";
  all = advise(facts);
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].action, "tune on this device");
  EXPECT_EQ(all[0].evidence, "the profile is used although the device differs (A in the profile, B here)");
}

TEST(Advice, NamesTheChoiceOfAProfileThatIsNotInUse) {
  MadeRun run;
  TuningProfile profile;
  TunedShape shape;
  shape.layers = {"a", "b"};
  shape.choice.setting = 2;
  shape.choice.costs = {{2, 9, 1.0, 0.1, 0, 0, true}, {4, 9, 2.0, 0.1, 0, 2.0, true}};
  profile.choices = {shape};
  AppliedProfile applied;
  applied.why_not = {"", "", ""};
  AdviceFacts facts = run.facts();
  facts.profile = &profile;
  facts.applied = &applied;
  const auto all = advise(facts);
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].action, "use t = 2 for a and 1 more");
  EXPECT_NEAR(all[0].gain.ms, 2.0, 1e-9);
  profile.choices[0].choice.why = ChoiceReason::tie_simpler;
  EXPECT_THAT(advise(facts), SizeIs(0)) << "a choice by simplicity has no gain, so there must be no advice";
}

TEST(Advice, IsInTheMarkdownOfAReport) {
  const std::string text = report_markdown(test::recorded_report());
  EXPECT_THAT(text, HasSubstr("## Advice"));
  EXPECT_THAT(text, HasSubstr("throttled by power cap"));
}

}  // namespace
}  // namespace spira
