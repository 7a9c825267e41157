#include "engine/backend/plan.hpp"

#include "engine/backend/dataflow.hpp"
#include "engine/backend/passes.hpp"
#include "engine/base/error.hpp"
#include "engine/bev/unit.hpp"
#include "engine/measure/sampling.hpp"
#include "tests/support/temp_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace spira {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(Plan, ThresholdsThatALayerCanTake) {
  Layer layer;
  EXPECT_EQ(feasible_thresholds(layer), (std::vector<int>{0, 1, 2, 3, 4}));
  layer.kernel_size = 5;
  EXPECT_EQ(feasible_thresholds(layer).size(), 8U);
  layer.stride = 2;
  EXPECT_EQ(feasible_thresholds(layer), (std::vector<int>{0, 7}));
  EXPECT_THAT(why_not_threshold(layer, 3), HasSubstr("strided"));
  layer.transposed = true;
  EXPECT_EQ(feasible_thresholds(layer), (std::vector<int>{0}));
  EXPECT_EQ(why_not_threshold(layer, 0), "");
}

TEST(Plan, SetsTheNearestFeasibleThreshold) {
  const Network network = network_preset("minkunet42");
  Plan plan = default_plan(network);
  set_threshold(plan, network, 2);
  EXPECT_EQ(plan.layers[0].threshold, 2);
  EXPECT_EQ(plan.layers[static_cast<std::size_t>(network.index_of("decoder1.up"))].threshold, 0);
}

TEST(Plan, SurvivesAFile) {
  const test::TempFolder folder;
  const Network network = network_preset("resn21");
  Plan plan = default_plan(network);
  plan.precision = Precision::fp16;
  plan.layers[2] = {1, MapAlgorithm::hash, MapLayout::offset_major};
  write_plan(folder / "p.json", network, plan);
  const Plan back = read_plan(folder / "p.json", network);
  EXPECT_EQ(back.layers, plan.layers);
  EXPECT_EQ(back.precision, Precision::fp16);
  EXPECT_THROW(
      static_cast<void>(read_plan(
          folder.write("q.json", R"({"schema": "spira.plan 1", "layers": [{"layer": "nobody"}]})"), network)),
      Error);
  EXPECT_THROW(
      static_cast<void>(read_plan(
          folder.write("r.json",
                       R"({"schema": "spira.plan 1", "layers": [{"layer": "stage1.conv", "threshold": 9}]})"),
          network)),
      Error);
}

Layer layer_of(int kernel_size, int stride, bool transposed) {
  Layer layer;
  layer.name = "conv";
  layer.kernel_size = kernel_size;
  layer.stride = stride;
  layer.transposed = transposed;
  return layer;
}

TEST(Dataflow, NamesThatALayerCanTake) {
  const auto names = [](int kernel_size, int stride, bool transposed) {
    return dataflows_of(layer_of(kernel_size, stride, transposed));
  };
  EXPECT_THAT(
      names(3, 1, false),
      testing::ElementsAre("os", "ws", "hybrid:1", "hybrid:2", "hybrid:3", "unsorted", "mask-sorted:1",
                           "mask-sorted:2", "mask-sorted:3", "mask-sorted:4", "mask-sorted:5",
                           "mask-sorted:6", "mask-sorted:7", "gather", "gather-fp16"));
  EXPECT_THAT(names(2, 2, false),
              testing::ElementsAre("os", "ws", "unsorted", "mask-sorted:1", "mask-sorted:2", "mask-sorted:3",
                                   "mask-sorted:4", "mask-sorted:8", "gather", "gather-fp16"));
  EXPECT_THAT(names(2, 2, true), testing::ElementsAre("ws", "gather", "gather-fp16"));
  Layer pool = layer_of(3, 2, false);
  pool.op = LayerOp::pool;
  EXPECT_TRUE(dataflows_of(pool).empty());
}

TEST(Dataflow, ChoicesThatALayerCannotRunHaveAReason) {
  std::vector<std::string> refused;
  for (const DataflowChoice& choice : dataflow_choices(layer_of(3, 2, false))) {
    if (choice.why_not.empty()) continue;
    refused.push_back(choice.name);
    EXPECT_THAT(choice.why_not, HasSubstr(choice.name.starts_with("hybrid") ? "strided layer" : "8 splits"));
  }
  EXPECT_THAT(refused, testing::ElementsAre("hybrid:1", "hybrid:2", "hybrid:3", "mask-sorted:8"));
}

TEST(Dataflow, EachNameIsThatOfItsSettings) {
  for (const int kernel_size : {1, 2, 3, 5, 7}) {
    for (const int stride : {1, 2}) {
      const Layer layer = layer_of(kernel_size, stride, false);
      for (const std::string& name : dataflows_of(layer)) {
        const LayerPlan plan = with_dataflow(layer, {0, MapAlgorithm::hash}, name);
        EXPECT_EQ(dataflow_text(layer, plan), name);
        EXPECT_EQ(plan.algorithm, MapAlgorithm::hash);
        EXPECT_EQ(why_not_plan(layer, plan), "") << name;
      }
    }
  }
}

std::string refused(const Layer& layer, const std::string& name) {
  try {
    static_cast<void>(with_dataflow(layer, {}, name));
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return error.what();
  }
  return {};
}

TEST(Dataflow, Trap12_TooManyOffsetsForAMaskAreRefusedWithTheSplitsThatArePossible) {
  EXPECT_THAT(refused(layer_of(5, 1, false), "mask-sorted:1"),
              testing::AllOf(HasSubstr("1 to 64 offsets"), HasSubstr("possible: 2, 3, 4, 5, 6, 7, 8")));
  EXPECT_THAT(refused(layer_of(7, 1, false), "mask-sorted:5"), HasSubstr("possible: 6, 7, 8"));
  EXPECT_THAT(refused(layer_of(3, 1, false), "mask-sorted:8"), HasSubstr("possible: 1, 2, 3, 4, 5, 6, 7"));
}

TEST(Dataflow, ImpossibleAndUnknownNamesAreRefused) {
  EXPECT_THAT(refused(layer_of(2, 2, false), "hybrid:2"), HasSubstr("strided"));
  // t = 4 is the threshold of "os".
  EXPECT_THAT(refused(layer_of(3, 1, false), "hybrid:4"), HasSubstr("hybrid:2, hybrid:3, unsorted"));
  EXPECT_THAT(refused(layer_of(3, 1, false), "hybrid:9"), HasSubstr("hybrid:2, hybrid:3, unsorted"));
  EXPECT_THAT(refused(layer_of(2, 2, true), "unsorted"), HasSubstr("transposed"));
  for (const char* name : {"", "OS", "mask-sorted", "mask-sorted:", "mask-sorted:0", "mask-sorted:-1",
                           "mask-sorted:1x", "hybrid:", "hybrid:99999999999999999999", "gather-fp32"})
    EXPECT_THAT(refused(layer_of(3, 1, false), name), HasSubstr("expected os, ws, hybrid:1")) << name;
  Layer pool = layer_of(3, 2, false);
  pool.op = LayerOp::pool;
  EXPECT_THAT(refused(pool, "os"), HasSubstr("not a convolution"));
}

TEST(Dataflow, AnotherThresholdRemovesSettingsThatNeedTheOldOne) {
  const Layer layer = layer_of(3, 1, false);
  for (const char* name : {"mask-sorted:3", "gather", "gather-fp16"}) {
    LayerPlan plan = with_dataflow(layer, {}, name);
    plan.set_threshold(2);
    EXPECT_EQ(dataflow_text(layer, plan), "hybrid:2");
    EXPECT_EQ(why_not_plan(layer, plan), "");
  }
}

TEST(PlanFile, KeepsEachDataflow) {
  const test::TempFolder folder;
  const Network network = network_preset("resn21");
  for (const std::string& name : dataflows_of(network.layers[2])) {
    Plan plan = default_plan(network);
    plan.layers[2] = with_dataflow(network.layers[2], plan.layers[2], name);
    write_plan(folder / "p.json", network, plan);
    EXPECT_EQ(read_plan(folder / "p.json", network).layers, plan.layers) << name;
  }
}

std::string fault_of_row(const test::TempFolder& folder, const Network& network, const std::string& layer,
                         const std::string& settings) {
  const auto file = folder.write(
      "p.json", R"({"schema": "spira.plan 1", "layers": [{"layer": ")" + layer + R"(", )" + settings + "}]}");
  try {
    static_cast<void>(read_plan(file, network));
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    return error.what();
  }
  return {};
}

TEST(PlanFile, Trap16KeepsTheSettingsOfEachPass) {
  const test::TempFolder folder;
  const Network network = network_preset("resn21");
  const Levels levels = levels_of(network);
  for (const LayerPass pass : {LayerPass::dgrad, LayerPass::wgrad}) {
    for (const std::string& name : dataflows_of(network.layers[2])) {
      Plan plan = default_plan(network);
      plan.layers[2].algorithm = MapAlgorithm::hash;
      if (pass == LayerPass::wgrad && name.starts_with("gather")) continue;
      set_pass(plan, network, 2, pass, name);
      write_plan(folder / "p.json", network, plan);
      const Plan back = read_plan(folder / "p.json", network);
      EXPECT_EQ(back.layers, plan.layers) << name;
      EXPECT_EQ(back.backward, plan.backward) << text_of(pass) << " " << name;
      const BackwardPlan& own = back.backward.at(2);
      EXPECT_EQ(dataflow_text(network.layers[2], pass == LayerPass::dgrad ? own.dgrad : own.wgrad), name);
    }
  }
  Plan plan = default_plan(network);
  write_plan(folder / "p.json", network, plan);
  EXPECT_TRUE(read_plan(folder / "p.json", network).backward.empty());
  const auto file = folder.write("part.json", R"({"schema": "spira.plan 1", "layers": [
      {"layer": ")" + network.layers[1].name + R"(", "wgrad": "ws"},
      {"layer": ")" + network.layers[2].name + R"(", "dataflow": "unsorted"}]})");
  const Plan part = read_plan(file, network);
  EXPECT_EQ(part.backward.at(1).wgrad.threshold, 0);
  EXPECT_EQ(part.backward.at(2), default_backward(network.layers[2], levels.layers[2], part.layers[2]))
      << "passes without a setting must follow the forward pass, even if its row comes later";
}

TEST(PlanFile, FaultsOfPassesNameTheFileAndTheRow) {
  const test::TempFolder folder;
  const Network network = network_preset("resn21");
  const std::string first = network.layers[0].name, second = network.layers[1].name;
  EXPECT_THAT(fault_of_row(folder, network, second, R"("wgrad": "gather")"),
              AllOf(HasSubstr("p.json: layers[0].wgrad: dataflow 'gather': "),
                    HasSubstr("wgrad does not support gather-GEMM-scatter")));
  EXPECT_THAT(fault_of_row(folder, network, first, R"("dgrad": "ws")"),
              HasSubstr("reads only the input of the network"));
  EXPECT_THAT(fault_of_row(folder, network, "stage2.conv", R"("dgrad": "os")"),
              HasSubstr("only pair lists (t = 0)"));
  EXPECT_THAT(fault_of_row(folder, network, second, R"("dgrad": "fast")"),
              HasSubstr("layers[0].dgrad: dataflow 'fast': expected a dataflow"));
  EXPECT_THAT(fault_of_row(folder, network, second, R"("dgrad": 2)"), HasSubstr("wrong type"));
}

TEST(NamedPlan, RunsEachLayerAsTheOtherEngineDoes) {
  const Network unet = network_preset("minkunet42"), wide = network_preset("resnl20");
  const auto count = [](const Plan& plan, const Network& network, const std::string& name,
                        MapAlgorithm algorithm) {
    int found = 0;
    for (std::size_t at = 0; at < network.layers.size(); ++at) {
      const bool same = plan.layers[at].algorithm == algorithm &&
                        dataflow_text(network.layers[at], plan.layers[at]) == name;
      EXPECT_EQ(why_not_plan(network.layers[at], plan.layers[at]), "") << network.layers[at].name;
      found += same ? 1 : 0;
    }
    return found;
  };
  // 7 of the 49 layers have one offset. The 4 transposed layers need pair lists.
  EXPECT_EQ(count(*named_plan("torchsparse", unet), unet, "unsorted", MapAlgorithm::hash), 38);
  EXPECT_EQ(count(*named_plan("torchsparse", unet), unet, "os", MapAlgorithm::hash), 7);
  EXPECT_EQ(count(*named_plan("torchsparse", unet), unet, "ws", MapAlgorithm::hash), 4);
  // Sorted outputs of 125 offsets need at least two splits.
  EXPECT_EQ(count(*named_plan("torchsparse:1", wide), wide, "unsorted", MapAlgorithm::hash), 20);
  EXPECT_EQ(count(*named_plan("torchsparse:2", wide), wide, "mask-sorted:2", MapAlgorithm::hash), 20);
  EXPECT_EQ(count(*named_plan("minuet", unet), unet, "gather-fp16", MapAlgorithm::sorted_query), 42);
  EXPECT_FALSE(named_plan("plan.json", unet).has_value());
  EXPECT_FALSE(named_plan("./torchsparse", unet).has_value());
  for (const char* name : {"torchsparse:", "torchsparse:0", "torchsparse:9", "torchsparse:2x"}) {
    try {
      static_cast<void>(named_plan(name, unet));
      FAIL() << name;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      EXPECT_THAT(error.what(), HasSubstr("expected torchsparse:S with 1 to 8 splits"));
    }
  }
}

TEST(PlanFile, ContradictionsAreRefused) {
  const test::TempFolder folder;
  const Network network = network_preset("resn21");
  const auto fault = [&](const std::string& settings) {
    return fault_of_row(folder, network, network.layers[2].name, settings);
  };
  EXPECT_THAT(fault(R"("dataflow": "ws", "threshold": 0)"), HasSubstr("either a dataflow or a threshold"));
  EXPECT_THAT(fault(R"("dataflow": "mask-sorted:2", "dense_layout": "z-runs")"), HasSubstr("has splits"));
  EXPECT_THAT(fault(R"("dataflow": "mask-sorted:77")"), HasSubstr("cannot be divided"));
  EXPECT_THAT(fault(R"("dataflow": "unsorted", "dense_layout": "z-runs")"), HasSubstr("not a layout of"));
  EXPECT_THAT(fault(R"("dataflow": "os", "dense_layout": "output-major")"), HasSubstr("not a layout of"));
  EXPECT_EQ(fault(R"("dataflow": "hybrid:2", "dense_layout": "offset-major")"), "");
}

TEST(PlanFile, ForAnotherOutputRuleIsRefused) {
  const auto network = [](const std::string& rule) {
    return parse_network(
        R"({"schema": "spira.network 2", "name": "net", "layers": [{"name": "a", "stride": 2, "rule": ")" +
            rule + R"(", "out_channels": 8}]})",
        "net.json");
  };
  const Network floor = network("floor"), reached = network("reached");
  const test::TempFolder folder;
  const auto file = folder / "plan.json";
  write_plan(file, floor, default_plan(floor));
  EXPECT_NO_THROW(static_cast<void>(read_plan(file, floor)));
  try {
    static_cast<void>(read_plan(file, reached));
    ADD_FAILURE() << "a plan for the floor rule must be refused";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(),
                testing::EndsWith("plan.json: layers[0].rule: the plan is for the rule \"floor\", "
                                  "but layer a has the rule \"reached\""));
  }
  write_plan(file, reached, default_plan(reached));
  EXPECT_NO_THROW(static_cast<void>(read_plan(file, reached)));
}

TEST(Statistics, OfKnownSamples) {
  const std::vector<double> samples{4, 1, 3, 2, 5};
  const Statistics s = statistics(samples);
  EXPECT_EQ(s.n, 5);
  EXPECT_EQ(s.median, 3);
  EXPECT_EQ(s.q1, 2);
  EXPECT_EQ(s.q3, 4);
  EXPECT_EQ(s.min, 1);
  EXPECT_EQ(s.max, 5);
  EXPECT_EQ(s.mean, 3);
  EXPECT_EQ(statistics({}).n, 0);
}

TEST(Statistics, VerdictsNeedAGapBeyondTheNoise) {
  const std::vector<double> slow{10, 10.1, 9.9, 10, 10.05, 9.95}, fast{5, 5.1, 4.9, 5, 5.05, 4.95},
      wild{5, 15, 8, 12, 10, 11}, few{1, 2};
  EXPECT_EQ(verdict(slow, fast), Verdict::faster);
  EXPECT_EQ(verdict(fast, slow), Verdict::slower);
  EXPECT_EQ(verdict(slow, wild), Verdict::undecided);
  EXPECT_EQ(verdict(slow, few), Verdict::undecided);
  EXPECT_EQ(verdict(slow, slow), Verdict::same);
}

TEST(Sampling, InterleavesAndCanBeCancelled) {
  std::string order;
  const std::vector<Contender> contenders{{"a", [&] { order += 'a'; }}, {"b", [&] { order += 'b'; }}};
  SamplingProtocol how;
  how.warmup = 1;
  how.min_samples = how.max_samples = 3;
  Job job;
  const auto samples = sample_interleaved(contenders, how, job);
  EXPECT_EQ(order,
            "ab"
            "ab"
            "ba"
            "ab");
  EXPECT_EQ(samples[0].ms.size(), 3U);
  std::stop_source stop;
  Job stopped(stop.get_token());
  const std::vector<Contender> stopping{{"a", [&] { stop.request_stop(); }}};
  EXPECT_THROW(static_cast<void>(sample_interleaved(stopping, how, stopped)), Error);
}

SamplingProtocol for_a_time(double ms) {
  SamplingProtocol how;
  how.min_samples = 1;
  how.max_samples = 1000;
  how.max_time_ms = ms;
  how.target_iqr_rel = 0;
  return how;
}

TEST(Sampling, CountsTheTimeBetweenRounds) {
  Job job;
  const auto pause = [](const std::vector<Samples>&) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  };
  const auto samples = sample_interleaved({{"a", [] {}}}, for_a_time(10), job, pause);
  EXPECT_LE(samples.front().ms.size(), 5U);
}

TEST(Sampling, CountsTheRunsOfAllContenders) {
  struct Report {
    std::string what;
    std::int64_t done, total;
    bool operator==(const Report&) const = default;
  };
  std::vector<Report> seen;
  Job job({}, nullptr, [&](const Progress& now) {
    seen.push_back({std::string(now.what), now.done, now.total});
  });
  // Samples report at most every 500 ms.
  const auto work = [] { std::this_thread::sleep_for(std::chrono::milliseconds(505)); };
  SamplingProtocol how;
  how.warmup = 1;
  how.min_samples = how.max_samples = 1;
  static_cast<void>(sample_interleaved({{"a", work}, {"b", work}}, how, job));
  const std::string name = "interleaved samples";
  EXPECT_EQ(seen, (std::vector<Report>{{name + ", warm-up; runs", 0, 4},
                                       {name + ", warm-up; runs", 1, 4},
                                       {name + "; runs", 2, 4},
                                       {name + "; runs", 3, 4}}));
}

TEST(Sampling, ReportsHowManyRunsTheTimeLimitAllows) {
  std::vector<std::pair<std::string, std::int64_t>> seen;
  Job job({}, nullptr, [&](const Progress& progress) { seen.emplace_back(progress.what, progress.total); });
  SamplingProtocol how = for_a_time(1000);
  how.warmup = 0;
  const auto work = [] { std::this_thread::sleep_for(std::chrono::milliseconds(600)); };
  static_cast<void>(sample({work}, how, job));
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_EQ(seen.front(), std::pair(std::string("measuring; at most runs"), std::int64_t{1000}));
  EXPECT_EQ(seen.back().second, 2) << "two runs of at least 600 ms fill 1 s";
}

TEST(UnitPlans, SurviveAFile) {
  const test::TempFolder folder;
  const Network network = network_preset("sbnet");
  Plan plan = default_plan(network);
  plan.units.assign(units_of(network).size(), UnitPlan{});
  plan.units[2] = {UnitMethod::fused, 16};
  plan.units[3] = {UnitMethod::gathered, 8};
  write_plan(folder / "p.json", network, plan);
  const Plan untuned = read_plan(folder / "p.json", network);
  EXPECT_EQ(untuned.units, plan.units);
  EXPECT_FALSE(untuned.tuned_mask);
  plan.tuned_mask =
      TunedMask{"occupied+1", "704 x 800 cells of 0.1 m", std::vector<double>(plan.units.size(), 1.0)};
  plan.tuned_mask->computed[2] = 0.25;
  plan.tuned_mask->computed[3] = 0.5;
  write_plan(folder / "p.json", network, plan);
  const Plan tuned = read_plan(folder / "p.json", network);
  EXPECT_EQ(tuned.units, plan.units);
  EXPECT_EQ(tuned.tuned_mask, plan.tuned_mask);
}

TEST(UnitPlans, FaultsNameTheRow) {
  const test::TempFolder folder;
  const Network network = network_preset("sbnet");
  const auto fault = [&](const std::string& rows, const Network& of) -> std::string {
    try {
      static_cast<void>(read_plan(folder.write("q.json", R"({"schema": "spira.plan 1", )" + rows + "}"), of));
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(fault(R"("units": [{"unit": "nobody", "method": "dense"}])", network),
              AllOf(HasSubstr("units[0].unit"), HasSubstr("nobody")));
  EXPECT_THAT(fault(R"("units": [{"unit": "conv1.1", "method": "quick"}])", network),
              HasSubstr("units[0].method"));
  EXPECT_THAT(fault(R"("units": [{"unit": "conv1.1", "method": "fused", "core": 12}])", network),
              HasSubstr("4, 8, 16, 32"));
  EXPECT_THAT(fault(R"("units": [{"unit": "conv1.1", "method": "dense", "core": 8}])", network),
              HasSubstr("units[0].core"));
  EXPECT_THAT(
      fault(R"("mask": "all", "area": "a", "units": [{"unit": "conv1.1", "method": "fused", "core": 8}])",
            network),
      HasSubstr("units[0].computed_share"));
  EXPECT_THAT(fault(R"("units": [])", network_preset("resn21")), HasSubstr("bird's-eye view"));
}

}  // namespace
}  // namespace spira
