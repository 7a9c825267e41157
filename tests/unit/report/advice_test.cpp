// Each rule of the advice where it speaks and where it does not, on made runs; and what all of it looks like.
#include "engine/report/advice.hpp"

#include "tests/support/recorded_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace spira {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

std::vector<double> around(double ms, int n = 20) {
  std::vector<double> samples;
  for (int at = 0; at < n; ++at)
    samples.push_back(ms * (1.0 + 0.001 * (at % 3)));
  return samples;
}

/// Two submanifold layers of one map and a strided one, on a CPU: nothing to be said of them.
struct MadeRun {
  MadeRun() {
    network = parse_network(R"({"name": "made", "layers": [
      {"name": "a", "out_channels": 8}, {"name": "b", "out_channels": 8},
      {"name": "down", "out_channels": 8, "kernel_size": 2, "stride": 2}]})",
                            "made.json");
    measurement.plan = default_plan(network);
    measurement.device.kind = BackendKind::cpu;
    measurement.wall.ms = around(10);
    for (const Layer& layer : network.layers) {
      LayerMeasurement row;
      row.name = layer.name;
      row.outputs = 50'000;
      row.useful_flops = 1'000'000;
      row.map_shared = layer.name == "b";
      if (!row.map_shared) row.stages.nodes.push_back({"map[" + layer.name + "]", -1, around(1)});
      row.stages.nodes.push_back({"features[" + layer.name + "]", -1, around(2)});
      measurement.layers.push_back(row);
    }
    scene.voxels = 50'000;
    scene.pack = PackSpec::bits32();
    scene.fit_extent = {1000, 1000, 100};
    offsets = std::make_unique<KernelOffsets>(3, 1);
    setDensities(0.4, 0.2);
  }
  /// Of the offsets beyond the centre: falling with L1 from one to the other.
  void setDensities(double near, double far) {
    std::vector<std::int64_t> matches;
    for (int column = 0; column < 27; ++column) {
      const double share = near + (far - near) * (offsets->l1(column) - 1) / 2.0;
      matches.push_back(offsets->l1(column) == 0 ? 50'000 : static_cast<std::int64_t>(50'000 * share));
    }
    shown = densities(*offsets, matches, 50'000);
  }
  [[nodiscard]] AdviceFacts facts() const {
    AdviceFacts facts;
    facts.scene = &scene;
    facts.network = &network;
    facts.measurement = &measurement;
    facts.densities = {&shown, &shown, nullptr};
    facts.threshold_sweep = sweep.rows.empty() ? nullptr : &sweep;
    facts.pack_sweep = packs.rows.empty() ? nullptr : &packs;
    return facts;
  }
  [[nodiscard]] std::vector<Advice> all(AdviceRule rule) const {
    std::vector<Advice> result;
    for (Advice& one : advise(facts())) {
      if (one.rule == rule) result.push_back(std::move(one));
    }
    return result;
  }
  void sweepLayer(int layer, std::vector<std::pair<int, double>> medians) {
    sweep.layer = layer;
    for (const auto& [t, ms] : medians)
      sweep.rows.push_back({"t = " + std::to_string(t), t, scene.pack, "", {around(ms), false}, {}});
    judge(sweep);
  }
  void addMapsToSweep(double ms) {
    for (SweepRow& row : sweep.rows)
      row.stages.nodes.push_back({"map[a]", -1, around(ms)});
  }

  Network network;
  Measurement measurement;
  SceneFacts scene;
  std::unique_ptr<KernelOffsets> offsets;
  Densities shown;
  Sweep sweep, packs;
};

TEST(Advice, SaysNothingOfAnOrdinaryRun) {
  EXPECT_THAT(advise(MadeRun().facts()), SizeIs(0));
  EXPECT_THAT(advise({}), SizeIs(0)) << "and none of nothing";
}

TEST(Advice, RanksByGain) {
  MadeRun run;
  run.scene.pack = PackSpec::bits64();
  run.measurement.state_after.throttled_by = {"power cap"};
  run.sweepLayer(0, {{0, 5.0}, {2, 1.0}, {4, 3.0}});
  const auto all = advise(run.facts());
  ASSERT_THAT(all, SizeIs(3));
  EXPECT_EQ(all[0].rule, AdviceRule::faster_threshold) << "it saves time";
  EXPECT_EQ(all[1].rule, AdviceRule::wide_packing) << "it saves bytes";
  EXPECT_EQ(all[2].rule, AdviceRule::held_back) << "nobody knows what it saves";
  EXPECT_THAT(advice_text(all, 1), HasSubstr("1. use t = 2 for a (at most 2.0")) << advice_text(all, 1);
  EXPECT_THAT(advice_markdown(all), HasSubstr("gain not known"));
}

TEST(Advice, NamesAFasterThreshold) {
  MadeRun run;
  run.sweepLayer(0, {{0, 5.0}, {2, 1.0}, {4, 3.0}});
  const auto all = run.all(AdviceRule::faster_threshold);
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].change.thresholds, (std::vector<std::pair<int, int>>{{0, 2}}));
  EXPECT_THAT(all[0].evidence, HasSubstr(": faster beyond noise"));
  EXPECT_NEAR(all[0].gain.ms, 2.0, 0.01);
  run.measurement.plan.layers[0].threshold = 2;
  EXPECT_THAT(run.all(AdviceRule::faster_threshold), SizeIs(0)) << "it is in use";
  run.measurement.plan.layers[0].threshold = 1;
  EXPECT_THAT(run.all(AdviceRule::faster_threshold), SizeIs(0)) << "what is in use was not measured";
}

TEST(Advice, NamesASimplerThresholdOfATie) {
  MadeRun run;
  run.measurement.plan.layers[0].threshold = 2;
  run.sweepLayer(0, {{0, 5.0}, {2, 3.0}, {4, 3.0}});
  const auto all = run.all(AdviceRule::simpler_threshold);
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].change.thresholds, (std::vector<std::pair<int, int>>{{0, 4}}));
  EXPECT_THAT(all[0].evidence, HasSubstr("other layers have the map of t = 4 already"));
  run.measurement.plan.layers[0].threshold = 4;
  EXPECT_THAT(run.all(AdviceRule::simpler_threshold), SizeIs(0)) << "the simplest one is in use";
  run.measurement.plan.layers[0].threshold = run.measurement.plan.layers[1].threshold = 2;
  EXPECT_THAT(run.all(AdviceRule::simpler_threshold), SizeIs(0)) << "it would add a map";
}

TEST(Advice, NamesTheSimplestThresholdOfThoseTiedWithTheFastest) {
  MadeRun run;
  run.sweepLayer(0, {{0, 1.001}, {2, 1.0}, {3, 1.001}, {4, 3.0}});
  const auto all = run.all(AdviceRule::faster_threshold);
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].change.thresholds, (std::vector<std::pair<int, int>>{{0, 0}}));
  EXPECT_THAT(
      all[0].evidence,
      HasSubstr("t = 4 is slower than the fastest beyond noise, and t = 0 is the simplest of those tied"));
  run.measurement.plan.layers[0].threshold = 0;
  EXPECT_THAT(advise(run.facts()), SizeIs(0)) << "it is in use, whatever has the lowest median";
}

TEST(Advice, CountsTheMapThatAnotherThresholdAdds) {
  MadeRun run;
  run.sweepLayer(0, {{0, 5.0}, {2, 1.0}, {4, 3.0}});
  run.addMapsToSweep(0.5);
  auto all = run.all(AdviceRule::faster_threshold);
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].gain.kind, GainKind::modelled) << "the sweep is of the layer alone";
  EXPECT_NEAR(all[0].gain.ms, 1.5, 0.01) << "the map that b reads is built all the same";
  EXPECT_THAT(all[0].evidence,
              HasSubstr("other layers keep the map of t = 4, so that of t = 2 is built beside"));
  run.measurement.plan.layers[1].threshold = 2;
  all = run.all(AdviceRule::faster_threshold);
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_NEAR(all[0].gain.ms, 2.5, 0.01) << "b has that map, and that of t = 4 goes";
  EXPECT_THAT(all[0].evidence, HasSubstr("other layers have the map of t = 2 already"));
  run.measurement.plan.layers[1].threshold = 1;
  all = run.all(AdviceRule::faster_threshold);
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].gain.kind, GainKind::measured) << "no other layer reads either map";
  run.measurement.plan.layers[1].threshold = 4;
  run.sweep.rows.clear();
  run.sweepLayer(0, {{2, 2.8}, {4, 3.0}});
  run.addMapsToSweep(0.5);
  EXPECT_THAT(run.all(AdviceRule::faster_threshold), SizeIs(0)) << "the map takes more than that";
}

TEST(Advice, NamesSixtyFourBitsWhereFewerDo) {
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
  EXPECT_THAT(run.all(AdviceRule::wide_packing), SizeIs(0)) << "32 do not hold it";
}

TEST(Advice, NamesAPackingThatALargerKernelWouldLeave) {
  MadeRun run;
  run.scene.fit_extent[2] = 255;  // K = 3 needs one guard cell of 256
  const auto all = run.all(AdviceRule::tight_packing);
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_THAT(all[0].evidence, HasSubstr("255 cells along z; with K = 5 12/12/8 holds 254"));
  EXPECT_TRUE(all[0].change.pack.has_value());
  run.scene.fit_extent[2] = 250;
  EXPECT_THAT(run.all(AdviceRule::tight_packing), SizeIs(0));
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
  run.measurement.plan.layers[1].threshold = run.measurement.plan.layers[0].threshold;
  EXPECT_THAT(run.all(AdviceRule::split_maps), SizeIs(0)) << "for another reason than t";
}

TEST(Advice, NamesLongPostProcessing) {
  MadeRun run;
  StageTree& stages = run.measurement.layers[0].stages;
  stages.nodes.push_back({"filter", 0, around(0.9)});
  EXPECT_THAT(run.all(AdviceRule::post_processing), SizeIs(0)) << "t = max and z-runs are in use";
  run.measurement.plan.layers[0].dense_layout = MapLayout::output_major;
  ASSERT_THAT(run.all(AdviceRule::post_processing), SizeIs(1));
  EXPECT_TRUE(run.all(AdviceRule::post_processing)[0].change.empty()) << "t = max is in use";
  run.measurement.plan.layers[0].threshold = 1;
  EXPECT_EQ(run.all(AdviceRule::post_processing)[0].change.thresholds,
            (std::vector<std::pair<int, int>>{{0, 4}}));
  stages.nodes.back().samples_ms = around(0.7);
  EXPECT_THAT(run.all(AdviceRule::post_processing), SizeIs(0)) << "0.7 of 3 ms";
  stages.nodes.push_back({"order", 1, around(0.2)});
  ASSERT_THAT(run.all(AdviceRule::post_processing), SizeIs(1)) << "and the order of rows, in its features";
  EXPECT_NEAR(run.all(AdviceRule::post_processing)[0].gain.ms, 0.7, 0.01) << "an order is made for every t";
}

TEST(Advice, NamesBranchesThatDoNotOverlap) {
  MadeRun run;
  run.measurement.timeline = test::in_situ_timeline();
  EXPECT_THAT(run.all(AdviceRule::no_overlap), SizeIs(0)) << "1.4";
  run.measurement.timeline.spans = {{"map[a]", 0, -1, 0, 4}, {"features[a]", 1, -1, 5, 10}};
  const auto all = run.all(AdviceRule::no_overlap);
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_NEAR(all[0].gain.ms, 4, 1e-9) << "the map, if it were hidden";
  run.measurement.timeline = test::host_timeline();
  EXPECT_THAT(run.all(AdviceRule::no_overlap), SizeIs(0)) << "one after another cannot overlap";
}

TEST(Advice, NamesLayersTooSmallForAGpu) {
  MadeRun run;
  run.measurement.layers[2].outputs = 1999;
  run.measurement.layers[2].useful_flops = 1000;
  EXPECT_THAT(run.all(AdviceRule::few_voxels), SizeIs(0)) << "a CPU";
  run.measurement.device.kind = BackendKind::cuda;
  const auto all = run.all(AdviceRule::few_voxels);
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_THAT(all[0].evidence, HasSubstr("1 layer has fewer than 2,000 outputs"));
  EXPECT_EQ(all[0].gain.kind, GainKind::modelled);
  run.measurement.layers[2].outputs = 2000;
  EXPECT_THAT(run.all(AdviceRule::few_voxels), SizeIs(0));
}

TEST(Advice, NamesDensitiesAsOfNoise) {
  MadeRun run;
  run.setDensities(0.012, 0.011);
  const auto all = run.all(AdviceRule::flat_densities);
  ASSERT_THAT(all, SizeIs(1)) << "once for a map that two layers share";
  EXPECT_EQ(all[0].layer, 0);
  EXPECT_EQ(all[0].gain.kind, GainKind::unknown);
  run.setDensities(0.00012, 0.00011);
  EXPECT_THAT(run.all(AdviceRule::flat_densities), SizeIs(0)) << "too few pairs to say";
}

TEST(Advice, NamesWhatHeldTheDeviceBack) {
  MadeRun run;
  run.measurement.state_before.sm_clock_mhz = 1980;
  run.measurement.state_after.sm_clock_mhz = 1800;
  EXPECT_THAT(run.all(AdviceRule::held_back), SizeIs(0)) << "91 %";
  run.measurement.state_after.sm_clock_mhz = 1485;
  ASSERT_THAT(run.all(AdviceRule::held_back), SizeIs(1));
  EXPECT_NEAR(run.all(AdviceRule::held_back)[0].gain.ms, 2.5, 0.01) << "a quarter of the clock, of 10 ms";
  run.measurement.state_before.sm_clock_mhz.reset();
  EXPECT_THAT(run.all(AdviceRule::held_back), SizeIs(0)) << "not known";
}

TEST(Advice, JudgesTheClocksBehindTheSamplesByTheDefaultOfTheDevice) {
  MadeRun run;
  run.measurement.state_before.sm_clock_mhz = run.measurement.state_after.sm_clock_mhz = 1200;
  EXPECT_THAT(run.all(AdviceRule::held_back), SizeIs(0))
      << "the same at both ends, and no default to judge by";
  run.measurement.device.sm_default_mhz = 1600;
  ASSERT_THAT(run.all(AdviceRule::held_back), SizeIs(1));
  EXPECT_THAT(run.all(AdviceRule::held_back)[0].evidence,
              HasSubstr("its clock was 1200 MHz, 75 % of the default 1600"));
  run.measurement.wall.sm_clock_mhz = {1200, 1580, 1590};
  EXPECT_THAT(run.all(AdviceRule::held_back), SizeIs(0)) << "the median of the samples is what counts";
  run.measurement.wall.sm_clock_mhz = {800, 800, 1590};
  ASSERT_THAT(run.all(AdviceRule::held_back), SizeIs(1));
  EXPECT_NEAR(run.all(AdviceRule::held_back)[0].gain.ms, 5, 0.01) << "half of 10 ms";
}

TEST(Advice, NamesAHostThatIsWaitedFor) {
  MadeRun run;
  run.measurement.device.kind = BackendKind::cuda;
  EXPECT_THAT(run.all(AdviceRule::host_bound), SizeIs(0)) << "not compiled: not known";
  run.measurement.compiled_wall.ms = around(9);
  EXPECT_THAT(run.all(AdviceRule::host_bound), SizeIs(0)) << "10 %";
  run.measurement.compiled_wall.ms = around(6);
  ASSERT_THAT(run.all(AdviceRule::host_bound), SizeIs(1));
  EXPECT_NEAR(run.all(AdviceRule::host_bound)[0].gain.ms, 4, 0.01);
}

TEST(Advice, NamesAProfileOfSomethingElse) {
  MadeRun run;
  AppliedProfile applied;
  applied.plan.source = "2 of 3 layers from profile x";
  applied.why_not = {"", "", "other size: 12 outputs, tuned for 50 (a factor of two is taken)"};
  AdviceFacts facts = run.facts();
  facts.applied = &applied;
  const auto all = advise(facts);
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].rule, AdviceRule::other_profile);
  EXPECT_EQ(all[0].evidence,
            "2 of 3 layers from profile x; not down: other size: 12 outputs, tuned for 50 (a factor of two "
            "is taken)");
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
  EXPECT_THAT(advise(facts), SizeIs(0)) << "within the limit";
  applied.density = {0.41, 0.16, "street"};
  auto all = advise(facts);
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].rule, AdviceRule::other_profile);
  EXPECT_EQ(all[0].action, "tune on this scene too");
  EXPECT_EQ(all[0].evidence,
            "other density: 0.41 from street, the nearest scene of the profile; the limit is 0.16");
  EXPECT_EQ(all[0].gain.kind, GainKind::unknown) << "it was not measured";
  EXPECT_EQ(all[0].view, AdviceView::tuning);
  applied.why_not[2] = "no such shape in the profile";
  all = advise(facts);
  ASSERT_THAT(all, SizeIs(2));
  EXPECT_EQ(all[1].evidence, "3 of 3 layers from profile x; not down: no such shape in the profile");
  applied.why_not[2].clear();
  applied.density.reset();
  applied.ignored = "other device: tuned on A, this is B";
  all = advise(facts);
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].action, "tune on this device");
  EXPECT_EQ(all[0].evidence, "the profile is taken all the same: other device: tuned on A, this is B");
}

TEST(Advice, NamesTheChoiceOfAProfileThatIsNotInUse) {
  MadeRun run;
  TuningProfile profile;
  TunedShape shape;
  shape.layers = {"a", "b"};
  shape.choice.threshold = 2;
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
  EXPECT_THAT(advise(facts), SizeIs(0)) << "that is no gain";
}

TEST(Advice, StandsInTheMarkdownOfAReport) {
  const std::string text = report_markdown(test::recorded_report());
  EXPECT_THAT(text, HasSubstr("## Advice"));
  EXPECT_THAT(text, HasSubstr("held back by power cap"));
}

}  // namespace
}  // namespace spira
