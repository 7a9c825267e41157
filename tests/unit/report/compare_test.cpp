// Tests the comparison of two reports. All samples are synthetic, so the tests do not depend on measured
// times.
#include "engine/report/compare/compare.hpp"

#include "tests/support/json_schema.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace spira {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// Returns 30 samples that are spread evenly from `median` * (1 - spread) to `median` * (1 + spread).
std::vector<double> around(double median, double spread) {
  std::vector<double> samples;
  for (int at = 0; at < 30; ++at)
    samples.push_back(median * (1.0 + (spread * (2.0 * at / 29.0 - 1.0))));
  return samples;
}

StageTree tree_of(const std::vector<std::pair<std::string, std::vector<double>>>& stages) {
  StageTree tree;
  for (const auto& [name, samples] : stages)
    tree.nodes.push_back({name, tree.nodes.empty() ? -1 : 0, samples});
  return tree;
}

/// Returns a report with two layers of 3 stages, indexing with one stage, and a wall time. The median of
/// every time is `ms`.
Report made_report(double ms = 10.0, double spread = 0.002) {
  Report report;
  report.network = parse_network(R"({"name": "two", "layers": [{"name": "a", "out_channels": 8},
                                     {"name": "b", "out_channels": 8}]})",
                                 "two.json");
  report.scene.name = "street";
  report.scene.fingerprint = 7;
  Measurement& m = report.measurement;
  m.device.name = "A device";
  m.device.instructions = "AVX2";
  m.wall.ms = around(ms, spread);
  m.indexing = tree_of({{"voxelize", around(ms, spread)}});
  for (const std::string layer : {"a", "b"}) {
    LayerMeasurement row;
    row.name = layer;
    row.stages = tree_of({{"features[" + layer + "]", around(ms, spread)},
                          {"os", around(ms, spread)},
                          {"epilogue", around(ms, spread)}});
    m.layers.push_back(row);
    m.plan.layers.emplace_back();
  }
  return report;
}

/// Returns the report of made_report() with a different creation time.
Report another_run() {
  Report report = made_report();
  report.created = "2026-11-23T10:00:00Z";
  return report;
}

ComparedRow wall_row(const std::vector<double>& before, const std::vector<double>& now) {
  Report baseline = made_report(), current = made_report();
  baseline.measurement.wall.ms = before;
  current.measurement.wall.ms = now;
  return compare(baseline, current).rows.at(0);
}

TEST(Compare, EachVerdict) {
  const auto base = around(10.0, 0.002);
  EXPECT_EQ(wall_row(base, around(9.7, 0.002)).verdict, Verdict::faster);
  EXPECT_EQ(wall_row(base, around(10.3, 0.002)).verdict, Verdict::slower);
  EXPECT_EQ(wall_row(base, around(10.07, 0.0001)).verdict, Verdict::slower)
      << "a difference of 0.7 % must count";
  EXPECT_EQ(wall_row(base, around(10.03, 0.002)).verdict, Verdict::same)
      << "a difference of 0.3 % must not count";
  EXPECT_EQ(wall_row(base, base).verdict, Verdict::same);
  const ComparedRow noisy = wall_row(around(10.0, 0.5), around(10.4, 0.5));
  EXPECT_EQ(noisy.verdict, Verdict::undecided);
  EXPECT_EQ(verdict_text(noisy), "UNDECIDED");
  EXPECT_THAT(noisy.why, HasSubstr("samples in each run may suffice for a verdict"));
}

TEST(Compare, DifferencesUnderHalfAMicrosecondAreUndecided) {
  // The medians differ by 4 %, but only by 0.2 us.
  const ComparedRow row = wall_row(around(0.005, 0.002), around(0.0052, 0.002));
  EXPECT_GT(row.ratio->low, 1.0);
  EXPECT_EQ(row.verdict, Verdict::undecided);
  EXPECT_EQ(row.why, "more samples would not lead to a verdict");
  EXPECT_EQ(wall_row(around(0.005, 0.002), around(0.0056, 0.002)).verdict, Verdict::slower);
}

TEST(Compare, FewSamplesAndSamplesWithoutLengthAreUndecided) {
  const ComparedRow few = wall_row({10, 10, 10, 10}, around(20, 0.002));
  EXPECT_EQ(few.verdict, Verdict::undecided);
  EXPECT_FALSE(few.ratio);
  EXPECT_EQ(few.why, "fewer than 5 samples in one of the runs");
  EXPECT_EQ(wall_row(std::vector<double>(9, 0.0), around(20, 0.002)).why, "the baseline time is 0");
}

TEST(Compare, SamplesToDecideFollowFromTheWidth) {
  EXPECT_EQ(samples_to_decide({8, 8.5, 0.9375, 1.1875}, 30), 120)
      << "the interval must become half as wide, so four times the samples are needed";
  EXPECT_EQ(samples_to_decide({8, 8, 0.985, 1.015}, 40), 90)
      << "the interval must shrink until it lies within 1 %";
  EXPECT_EQ(samples_to_decide({0.005, 0.0051, 1.01, 1.03}, 30), std::nullopt);
}

TEST(Compare, RowsAreMatchedByNameTotalsFirst) {
  const Comparison result = compare(made_report(), another_run());
  std::vector<std::string> names;
  for (const ComparedRow& row : result.rows)
    names.push_back(row.name());
  EXPECT_THAT(names, ElementsAre("whole network, wall", "voxelize", "a: features[a]", "a: features[a].os",
                                 "a: features[a].epilogue", "b: features[b]", "b: features[b].os",
                                 "b: features[b].epilogue"));
  EXPECT_EQ(result.count(Verdict::same), 8);
  EXPECT_DOUBLE_EQ(result.expected_false_alarms, 0.4);
  EXPECT_THAT(result.unmatched, IsEmpty());
  EXPECT_THAT(result.differences, IsEmpty());
  EXPECT_THAT(result.warnings, IsEmpty());
}

TEST(Compare, EachRowOfARunAndItsCopyIsTheSame) {
  Report few = made_report(), wide = made_report(10.0, 0.5), wrong_output = made_report();
  few.measurement.wall.ms.resize(3);
  LayerMeasurement& layer = wrong_output.measurement.layers[0];
  layer.check.emplace();
  layer.check->ok = false;
  for (const Report& report : {made_report(), few, wide, wrong_output}) {
    const Comparison result = compare(report, Report(report));
    EXPECT_EQ(result.count(Verdict::same), std::ssize(result.rows));
    EXPECT_THAT(result.warnings, testing::Contains("both reports are copies of the same run"));
    EXPECT_EQ(result.expected_false_alarms, 0);
    EXPECT_EQ(gate(result, 0.0), Gate::passed);
  }
}

TEST(Compare, RowsWithOtherSamplesAreTestedAlthoughTheRunHasTheSameId) {
  Report edited = made_report();
  edited.measurement.indexing = tree_of({{"voxelize", around(20, 0.002)}});
  const Comparison result = compare(made_report(), edited);
  EXPECT_EQ(result.count(Verdict::slower), 1);
  EXPECT_EQ(result.count(Verdict::same), std::ssize(result.rows) - 1);
}

TEST(Compare, RowsWithoutAPartnerAreListedWithTheReason) {
  Report baseline = made_report(), current = another_run();
  current.measurement.layers[0].stages.nodes[1].name = "ws";
  current.measurement.plan.layers[0].threshold = 2;
  current.measurement.compiled_wall.ms = around(5, 0.002);
  baseline.measurement.compiled_how = "no CUDA graph here";
  const int before = baseline.measurement.plan.layers[0].threshold;
  const Comparison result = compare(baseline, current);
  const std::string change =
      "; t = " + std::to_string(before) + " in the baseline, t = 2 in the current report";
  ASSERT_EQ(result.unmatched.size(), 3U);
  EXPECT_EQ(result.unmatched[0].stage, "one graph");
  EXPECT_THAT(result.unmatched[0].why, AllOf(HasSubstr("current"), HasSubstr("no CUDA graph here")));
  EXPECT_EQ(result.unmatched[1].stage, "features[a].os");
  EXPECT_EQ(result.unmatched[1].why, "only in the baseline" + change);
  EXPECT_EQ(result.unmatched[2].stage, "features[a].ws");
  EXPECT_EQ(result.unmatched[2].why, "only in the current report" + change);
  EXPECT_THAT(result.warnings, ElementsAre(HasSubstr("plan differs in 1 of 2 layers: a t = ")));
}

/// Returns the only difference that `change` causes. Expects that no row can be compared after the change.
template <class Change> std::string difference_of(Change change) {
  Report current = made_report();
  change(current);
  const Comparison result = compare(made_report(), current);
  EXPECT_EQ(result.count(std::nullopt), std::ssize(result.rows));
  EXPECT_EQ(verdict_text(result.rows.at(0)), "NOT COMPARABLE");
  EXPECT_EQ(result.expected_false_alarms, 0.0);
  EXPECT_EQ(result.differences.size(), 1U);
  EXPECT_EQ(result.rows.at(0).why, result.differences.at(0));
  return result.differences.at(0);
}

TEST(Compare, OtherDevicesPrecisionsVoxelsAndNetworksAreNotComparable) {
  EXPECT_THAT(difference_of([](Report& r) { r.measurement.device.name = "Another"; }),
              HasSubstr("device differs: cpu A device"));
  EXPECT_EQ(difference_of([](Report& r) { r.measurement.device.instructions = "AVX-512"; }),
            "instruction set differs: AVX2 in the baseline, AVX-512 in the current report");
  EXPECT_EQ(difference_of([](Report& r) { r.measurement.plan.precision = Precision::fp16; }),
            "precision differs: fp32 in the baseline, fp16 in the current report");
  EXPECT_THAT(difference_of([](Report& r) { r.scene.fingerprint = 8; }), HasSubstr("voxels of the scene"));
  EXPECT_THAT(difference_of([](Report& r) { r.network.name = "three"; }), HasSubstr("network differs"));
}

TEST(Compare, NetworksWithOtherNeighboursAreComparedWithAWarning) {
  const Report voxels = made_report();
  Report native = another_run();
  set_neighbourhood(native.network, {NeighbourShape::ball});
  const Comparison comparison = compare(voxels, native);
  EXPECT_THAT(comparison.differences, IsEmpty());
  EXPECT_THAT(comparison.warnings,
              ElementsAre("another convolution: results differ by design; neighbours of a: voxels in the "
                          "baseline, ball in the current report"));
  EXPECT_EQ(comparison.count(std::nullopt), 0);
  EXPECT_THAT(compare(native, native).warnings, Not(testing::Contains(HasSubstr("another convolution"))));
  Report repacked = native;  // Native layers need more guard cells, so the first packing that fits differs.
  repacked.scene.pack = PackSpec{10, 12, 10};
  repacked.scene.fingerprint = voxels.scene.fingerprint + 1;
  EXPECT_THAT(compare(voxels, repacked).differences, IsEmpty());
  EXPECT_THAT(compare(voxels, repacked).warnings,
              testing::Contains("packing differs: " + voxels.scene.pack.text() +
                                " in the baseline, 10/12/10 in the current report"));
  EXPECT_THAT(compare(native, repacked).differences, ElementsAre(HasSubstr("voxels of the scene differ")));
  repacked.scene.voxels += 1;
  EXPECT_THAT(compare(voxels, repacked).differences, ElementsAre(HasSubstr("voxels of the scene differ")));
  native.scene.positions = PositionFacts{PositionKind::nearest};
  Report on_grid = native;
  on_grid.scene.positions->kind = PositionKind::grid;
  EXPECT_THAT(compare(native, on_grid).warnings,
              testing::Contains("another convolution: results differ by design; positions: nearest in the "
                                "baseline, grid in the current report"));
  EXPECT_THAT(compare(native, native).warnings, Not(testing::Contains(HasSubstr("another convolution"))));
  native.network.layers[1].out_channels = 16;
  EXPECT_THAT(compare(voxels, native).differences, ElementsAre(HasSubstr("network differs: ")));
  EXPECT_THAT(compare(voxels, native).warnings, Not(testing::Contains(HasSubstr("another convolution"))));
}

TEST(Compare, BatchesOfOtherSizesAreNotComparable) {
  Report one = made_report(), four = made_report(40);
  four.scene.batch = 4;
  four.scene.pack = four.scene.pack.with_batch(4);
  const Comparison result = compare(one, four);
  EXPECT_THAT(result.differences,
              ElementsAre("batch differs: 1 frame in the baseline, 4 frames in the current report"));
  for (const ComparedRow& row : result.rows) {
    EXPECT_EQ(verdict_text(row), "NOT COMPARABLE");
    EXPECT_EQ(row.why, "batch differs: 1 frame in the baseline, 4 frames in the current report");
  }
  EXPECT_THAT(result.current.scene, HasSubstr("batch of 4"));
  one.scene.batch = 4;
  EXPECT_THAT(compare(one, four).differences, IsEmpty());
}

TEST(Compare, NamesTheLayerAndThePropertyOfAnotherNetwork) {
  const auto with = [](const char* layer) {
    return parse_network(std::string(R"({"schema": "spira.network 2", "name": "net", "layers": [
        {"name": "stem", "out_channels": 8}, )") +
                             layer + "]}",
                         "net.json");
  };
  const auto difference = [&](const char* before, const char* now) {
    Report baseline = made_report(), current = made_report();
    baseline.network = with(before);
    current.network = with(now);
    const Comparison result = compare(baseline, current);
    EXPECT_EQ(result.rows.at(0).verdict, std::nullopt) << now;
    return result.differences.at(0);
  };
  const char* plain =
      R"({"name": "b", "out_channels": 8, "residual": "stem", "activation": "leaky_relu", "norm": {"eps": 0.001}})";
  EXPECT_THAT(
      difference(plain, R"({"name": "b", "out_channels": 8, "residual": "stem", "activation": "leaky_relu",
                            "norm": {"eps": 0.001}, "order": ["norm", "activation", "add"]})"),
      HasSubstr(
          "order of b: norm, add, activation in the baseline, norm, activation, add in the current report"));
  EXPECT_THAT(
      difference(plain, R"({"name": "b", "out_channels": 8, "residual": "stem", "activation": "leaky_relu",
                            "norm": {"eps": 0.001}, "slope": 0.2})"),
      HasSubstr("slope of b: 0.01 in the baseline, 0.2 in the current report"));
  EXPECT_THAT(difference(plain, R"({"name": "b", "out_channels": 8, "residual": "stem",
                                    "activation": "leaky_relu", "norm": {"eps": 0.0001}})"),
              HasSubstr("norm of b: eps 0.001 in the baseline, eps 1e-04 in the current report"));
  EXPECT_THAT(difference(plain, R"({"name": "b", "out_channels": 8, "residual": "stem",
                                    "activation": "silu", "norm": {"eps": 0.001}})"),
              HasSubstr("activation of b: leaky_relu in the baseline, silu in the current report"));
  EXPECT_THAT(difference(R"({"name": "b", "out_channels": 8, "rule": "reached"})",
                         R"({"name": "b", "out_channels": 8, "rule": "reached", "padding": 2})"),
              HasSubstr("padding of b: 1 in the baseline, 2 in the current report"));
  EXPECT_THAT(difference(R"({"name": "b", "op": "pool", "reduce": "max", "kernel_size": 2, "stride": 2})",
                         R"({"name": "b", "op": "pool", "reduce": "mean", "kernel_size": 2, "stride": 2})"),
              HasSubstr("reduction of b: max in the baseline, mean in the current report"));
  EXPECT_THAT(difference(R"({"name": "b", "op": "to_points"})",
                         R"({"name": "b", "op": "to_points", "mode": "nearest"})"),
              HasSubstr("mode of b: trilinear in the baseline, nearest in the current report"));
  EXPECT_THAT(difference(R"({"name": "b", "op": "to_voxels", "inputs": ["points"], "voxels_of": "stem"})",
                         R"({"name": "b", "op": "to_voxels", "inputs": ["points"], "voxels_of": "input"})"),
              HasSubstr("voxels_of of b: stem in the baseline, input in the current report"));
  EXPECT_THAT(difference(R"({"name": "b", "op": "layer_norm", "eps": 0.001})",
                         R"({"name": "b", "op": "layer_norm", "eps": 0.01})"),
              HasSubstr("eps of b: 0.001 in the baseline, 0.01 in the current report"));
  EXPECT_THAT(difference(R"({"name": "b", "op": "concat", "inputs": ["stem", "input"]})",
                         R"({"name": "b", "op": "concat", "inputs": ["input", "stem"]})"),
              HasSubstr("inputs of b: stem, input in the baseline, input, stem in the current report"));
}

TEST(Compare, TheSameSceneForOtherStridesGivesTheReasonForOtherVoxels) {
  EXPECT_THAT(difference_of([](Report& r) { r.scene.fingerprint = 8; }),
              HasSubstr("in both reports, but at different coordinates"));
  EXPECT_THAT(difference_of([](Report& r) {
                r.scene.fingerprint = 8;
                ++r.scene.voxels;
              }),
              AllOf(HasSubstr(" in the baseline, "), Not(HasSubstr("in both reports"))));
  Report coarse = made_report();
  coarse.scene.fingerprint = 8;
  coarse.network = network_preset("minkunet42");
  EXPECT_THAT(compare(made_report(), coarse).differences.at(0), HasSubstr("16 in the current report)"));
}

TEST(Compare, IgnoredDevicesAreComparedAndStamped) {
  Report current = made_report();
  current.measurement.device.name = "Another";
  const Comparison result = compare(made_report(), current, true);
  EXPECT_TRUE(result.devices_ignored);
  EXPECT_EQ(result.count(Verdict::same), std::ssize(result.rows));
  EXPECT_THAT(result.warnings, ElementsAre(HasSubstr("ignored, as you requested")));
  EXPECT_TRUE(json::parse(compare_json(result)).at("devices_ignored").get<bool>());
  EXPECT_THAT(compare_markdown(result), HasSubstr("device differences are ignored, as you requested"));
}

TEST(Compare, StagesOfAnotherTimerAreNotComparableWallTimesAre) {
  Report current = made_report();
  current.measurement.device.clock = Clock::cuda_events;
  const Comparison result = compare(made_report(), current);
  EXPECT_EQ(result.rows.at(0).verdict, Verdict::same);
  EXPECT_EQ(result.rows.at(1).verdict, std::nullopt);
  EXPECT_THAT(result.rows.at(1).why, HasSubstr("timer differs"));
  EXPECT_EQ(result.count(std::nullopt), 7);
}

TEST(Compare, DriversClocksAndThrottlingWarn) {
  Report baseline = made_report(), current = another_run();
  baseline.measurement.device.driver = "1.0";
  current.measurement.device.driver = "2.0";
  baseline.measurement.state_after.sm_clock_mhz = 1980;
  current.measurement.state_after.sm_clock_mhz = 1755;
  current.measurement.state_after.throttled_by = {"power cap"};
  const Comparison result = compare(baseline, current);
  EXPECT_THAT(result.warnings, ElementsAre("driver differs: 1.0 in the baseline, 2.0 in the current report",
                                           "clock of the device after the samples differs: 1980 MHz in the "
                                           "baseline, 1755 MHz in the current report",
                                           "current: the device was throttled by power cap"));
  EXPECT_EQ(result.rows.at(0).verdict, Verdict::same);
}

Gate gate_of(double now, double spread, double share) {
  Report current = made_report(now, spread);
  current.created = another_run().created;
  return gate(compare(made_report(10.0, 0.002), current), share);
}

TEST(Compare, GateLooksAtTheWholeIntervalOfTheWholeNetwork) {
  EXPECT_EQ(gate_of(10.5, 0.002, 0.02), Gate::slower);
  EXPECT_EQ(gate_of(10.1, 0.002, 0.02), Gate::passed) << "a slowdown below 2 % must pass";
  EXPECT_EQ(gate_of(10.2, 0.05, 0.02), Gate::undecided) << "an interval that contains 2 % must be undecided";
  EXPECT_EQ(gate_of(10.03, 0.002, 0.02), Gate::passed) << "a run that is the same within 1 % must pass";
  EXPECT_EQ(gate_of(10.03, 0.002, 0.003), Gate::undecided)
      << "a limit of 0.3 % must be undecided if the interval contains it";
  EXPECT_EQ(gate_of(10.0, 0.002, 0.0), Gate::undecided)
      << "an interval that contains a ratio of 1 must be undecided";
  EXPECT_EQ(gate_of(5.0, 0.002, 0.0), Gate::passed);
  Report other = made_report();
  other.measurement.device.name = "Another";
  EXPECT_EQ(gate(compare(made_report(), other), 0.02), Gate::undecided)
      << "reports that are not comparable must be undecided";
  Report layer = made_report();
  layer.measurement.layers[0].stages.nodes[1].samples_ms = around(20, 0.002);
  EXPECT_EQ(gate(compare(made_report(), layer), 0.02), Gate::passed)
      << "a slower layer alone must not fail the gate";
  Report graph = made_report();
  graph.measurement.compiled_wall.ms = around(5, 0.002);
  Report slow_graph = made_report();
  slow_graph.measurement.compiled_wall.ms = around(6, 0.002);
  EXPECT_EQ(gate(compare(graph, slow_graph), 0.02), Gate::slower);
  EXPECT_EQ(gate(compare(graph, made_report()), 0.02), Gate::undecided)
      << "a run that is no longer compiled must be undecided";
  EXPECT_EQ(gate(compare(made_report(), graph), 0.02), Gate::passed);
}

/// Returns a run with a wrong output. Therefore its trust grade is X.
Report wrong_run(double ms = 10.0) {
  Report report = made_report(ms);
  report.created = "2026-11-23T11:00:00Z";
  report.measurement.layers[0].check = OutputDifference{1, 1, false};
  return report;
}

TEST(Compare, ABaselineOfTrustXIsNotCompared) {
  const Comparison result = compare(wrong_run(), made_report(9.0));
  ASSERT_EQ(result.differences.size(), 1U);
  EXPECT_THAT(result.differences[0],
              AllOf(HasSubstr("the baseline cannot be used"), HasSubstr(why_no_baseline(wrong_run()))));
  EXPECT_EQ(result.count(std::nullopt), std::ssize(result.rows));
  EXPECT_EQ(result.rows.at(0).why, result.differences[0]);
  EXPECT_EQ(gate(result, 0.02), Gate::undecided)
      << "a wrong baseline must be undecided, even if the current run is faster";
  EXPECT_EQ(json::parse(compare_json(result)).at("baseline").at("trust"), "X");
  EXPECT_EQ(why_no_baseline(made_report()), "");
}

TEST(Compare, ACurrentRunOfTrustXWarnsAndPassesNoGate) {
  const Comparison result = compare(made_report(), wrong_run(9.0));
  EXPECT_EQ(result.rows.at(0).verdict, Verdict::faster);
  EXPECT_THAT(
      result.warnings,
      ElementsAre(HasSubstr("the current report cannot pass a speed limit, because its trust grade is X: ")));
  EXPECT_THAT(compare_markdown(result), HasSubstr("warning: the current report cannot pass a speed limit"));
  EXPECT_EQ(json::parse(compare_json(result)).at("current").at("trust"), "X");
  EXPECT_EQ(gate(result, 0.02), Gate::undecided);
  EXPECT_EQ(gate(compare(made_report(), wrong_run(11.0)), 0.02), Gate::slower)
      << "a wrong current run that is slower must fail the gate";
}

TEST(Compare, JsonKeepsToItsSchemaAndMarkdownHasARowEach) {
  Report current = made_report(10.4);
  current.measurement.layers[0].stages.nodes[1].name = "w|s";
  current.measurement.layers[1].stages.nodes[1].samples_ms = {1, 2};
  const Comparison result = compare(made_report(), current);
  const test::JsonSchema schema = test::shipped_schema("compare");
  const json document = json::parse(compare_json(result));
  EXPECT_THAT(schema.faults(document), IsEmpty());
  EXPECT_EQ(document.at("rows").at(0).at("verdict"), "slower");
  EXPECT_NEAR(document.at("rows").at(0).at("ratio").get<double>(), 1.04, 1e-9);
  const std::string markdown = compare_markdown(result);
  EXPECT_THAT(markdown, HasSubstr("\n| whole network, wall | wall | 10.0000 | 10.4000 | 1.0400 |"));
  EXPECT_THAT(markdown, HasSubstr("a: features\\[a\\].w\\|s: only in the current report"));
}

}  // namespace
}  // namespace spira
