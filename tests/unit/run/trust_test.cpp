// Tests trust_of(), which grades a measurement, with each reason that lowers the grade.
#include "engine/run/trust.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string_view>

namespace spira {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

/// Returns a measurement with enough steady samples and with stages that add up.
Measurement sound() {
  Measurement m;
  for (int at = 0; at < 40; ++at)
    m.wall.ms.push_back(at % 2 == 0 ? 10.0 : 10.02);
  m.indexing.nodes.push_back({"voxelize", -1, {10.0}});
  return m;
}
std::vector<std::string> codes(const Trust& trust) {
  std::vector<std::string> result;
  for (const TrustReason& reason : trust.reasons)
    result.push_back(reason.code);
  return result;
}

TEST(Trust, IsBIfOnlyUnknownStateCausesDoubt) {
  const Trust trust = trust_of(sound());
  EXPECT_EQ(trust.grade, TrustGrade::b);
  EXPECT_THAT(codes(trust), ElementsAre("clocks_not_locked", "others_unknown", "output_not_checked"));
  EXPECT_THAT(trust.text(), StartsWith("B: clocks not locked"));
}

TEST(Trust, IsCWithFewSamples) {
  Measurement m = sound();
  m.wall.ms.resize(29);
  const Trust trust = trust_of(m);
  EXPECT_EQ(trust.grade, TrustGrade::c);
  EXPECT_EQ(trust.text(), "C: 29 samples (recommended: at least 30)")
      << "only the reasons for the current grade must be listed";
}

TEST(Trust, EachGradeHasASentence) {
  std::set<std::string_view> all;
  for (const TrustGrade grade : {TrustGrade::a, TrustGrade::b, TrustGrade::c, TrustGrade::x}) {
    EXPECT_TRUE(meaning_of(grade).ends_with(".")) << letter_of(grade);
    all.insert(meaning_of(grade));
  }
  EXPECT_EQ(all.size(), 4U);
}

TEST(Trust, ChecksTheCompiledRunToo) {
  Measurement m = sound();
  m.compiled_wall.ms = {1.0, 1.1, 1.2};
  const Trust trust = trust_of(m);
  EXPECT_THAT(
      trust.text(),
      HasSubstr(
          "3 samples (recommended: at least 30); the IQR is 9.1 % of the median (recommended: at most 1 %)"));
}

TEST(Trust, GradesTheSpread) {
  Measurement m = sound();
  const auto spread = [&](double step) {
    for (std::size_t at = 0; at < m.wall.ms.size(); ++at)
      m.wall.ms[at] = at % 2 == 0 ? 10.0 : 10.0 + step;
    return trust_of(m);
  };
  EXPECT_THAT(codes(spread(0.2)), testing::Contains("spread"));
  EXPECT_EQ(spread(0.2).grade, TrustGrade::b);
  EXPECT_EQ(spread(0.5).grade, TrustGrade::c);
}

TEST(Trust, IsCWhereStagesMissTheWallTime) {
  Measurement m = sound();
  m.indexing.nodes[0].samples_ms = {9.0};
  EXPECT_EQ(trust_of(m).text(), "C: stages add up to 90 % of the wall time");
}

/// Each of the five runs is delayed by 10 ms in another stage. All medians of stages are 2 ms.
TEST(Trust, NamesDelaysThatHitAnotherStageInEachRun) {
  Measurement m = sound();
  constexpr std::size_t runs = 5;
  m.indexing.nodes.clear();
  for (std::size_t stage = 0; stage < runs; ++stage) {
    m.indexing.nodes.push_back({"downsample[" + std::to_string(stage) + "]", -1, {2, 2, 2, 2, 2}});
    m.indexing.nodes.back().samples_ms[stage] += 10;
  }
  m.wall.ms.assign(runs, 20.5);
  m.marked_ms.assign(runs, 20.5);
  const auto delayed = delayed_runs(m);
  ASSERT_TRUE(delayed);
  EXPECT_DOUBLE_EQ(delayed->stages_ms, 20);
  EXPECT_DOUBLE_EQ(delayed->outside_ms, 0.5);
  EXPECT_THAT(trust_of(m).text(),
              HasSubstr("stages add up to 49 % of the wall time (98 % if the stages of each run are added "
                        "up, because the runs were delayed in different stages)"));
  EXPECT_THAT(
      sum_of_stages_text(m),
      testing::EndsWith("; added up within each run: 20.0 ms in stages and 0.500 ms outside of stages"));
  m.device.kind = BackendKind::cuda;
  EXPECT_FALSE(delayed_runs(m)) << "the host starts the stages of a GPU, so the clocks differ";
  m.device.kind = BackendKind::cpu;
  m.marked_ms.pop_back();
  EXPECT_FALSE(delayed_runs(m)) << "the samples must belong to the same runs";
}

TEST(Trust, SubtractsTheCostOfMarksFromTheSumOfStages) {
  Measurement m = sound();
  m.indexing.nodes[0].samples_ms = {11.5};
  EXPECT_EQ(trust_of(m).text(), "C: stages add up to 115 % of the wall time")
      << "a report without the cost of marks must be judged without it";
  EXPECT_EQ(sum_of_stages_text(m), "11.5 ms");
  m.marks = 300;
  m.marked_ms.assign(40, 11.71);
  EXPECT_EQ(trust_of(m).grade, TrustGrade::b);
  EXPECT_EQ(sum_of_stages_text(m),
            "11.5 ms; after subtracting 1.700 ms of timer overhead (300 timer events): 9.800 ms, 98 % of the "
            "wall time");
  m.indexing.nodes[0].samples_ms = {13.0};
  EXPECT_EQ(trust_of(m).text(),
            "C: stages add up to 130 % of the wall time, 113 % after subtracting timer overhead (300 timer "
            "events)");
}

TEST(Trust, IgnoresACostOfMarksBelowTheNoise) {
  Measurement m = sound();
  m.indexing.nodes[0].samples_ms = {11.0};
  m.marks = 300;
  for (int at = 0; at < 40; ++at)
    m.marked_ms.push_back(at % 2 == 0 ? 10.0 : 12.5);
  EXPECT_EQ(trust_of(m).text(), "C: stages add up to 110 % of the wall time");
  EXPECT_EQ(sum_of_stages_text(m), "11.0 ms; timer overhead (300 timer events) is below the spread of runs");
}

TEST(Trust, IsXIfTheDeviceWasThrottledThroughout) {
  Measurement m = sound();
  m.state_before.throttled_by = std::vector<std::string>{};
  m.state_after.throttled_by = std::vector<std::string>{"power cap"};
  EXPECT_EQ(trust_of(m).text(), "C: throttled by power cap after the samples");
  m.state_before.throttled_by = m.state_after.throttled_by;
  EXPECT_EQ(trust_of(m).text(), "X: throttled by power cap before and after the samples");
}

/// Returns a measurement that meets all conditions of grade A.
Measurement known() {
  Measurement m = sound();
  for (DeviceState* state : {&m.state_before, &m.state_after}) {
    state->clocks_locked = true;
    state->other_processes = 0;
  }
  m.wall.held_back.assign(m.wall.ms.size(), false);
  m.layers.resize(1);
  m.layers[0].name = "conv1";
  m.layers[0].check = OutputDifference{1e-6, 1e-7, true};
  return m;
}

TEST(Trust, IsAIfAllIsKnownAndThereIsNoDoubt) {
  EXPECT_EQ(trust_of(known()).text(), "A");
  EXPECT_THAT(trust_of(known()).reasons, testing::IsEmpty());
}

TEST(Trust, FlagsThrottledSamples) {
  Measurement m = known();
  m.held_back_by = {"power cap"};
  for (std::size_t at = 0; at < 4; ++at)
    m.wall.held_back[at] = true;
  EXPECT_EQ(trust_of(m).text(), "C: throttled by power cap in 10 % of the samples");
  m.wall.held_back[4] = true;
  EXPECT_EQ(trust_of(m).text(), "X: throttled by power cap in 12 % of the samples");
  m.wall.held_back.assign(m.wall.ms.size(), false);
  m.compiled_wall.ms.assign(40, 5.0);
  m.compiled_wall.held_back.assign(40, true);
  EXPECT_EQ(trust_of(m).grade, TrustGrade::x) << "throttling of the compiled run must lower the grade too";
}

TEST(Trust, IsBIfClocksAreNotLocked) {
  Measurement m = known();
  m.state_after.clocks_locked = false;
  EXPECT_EQ(trust_of(m).text(), "B: clocks not locked");
  m.state_after.clocks_locked.reset();
  EXPECT_EQ(trust_of(m).text(), "B: clocks not locked, or not known to be locked");
}

TEST(Trust, CountsOtherProcessesOnTheDevice) {
  Measurement m = known();
  m.state_before.other_processes.reset();
  EXPECT_THAT(codes(trust_of(m)), ElementsAre("others_unknown"));
  m.state_before.other_processes = 2;
  EXPECT_EQ(trust_of(m).text(), "B: 2 threads of other programs ran at the same time");
  m.device.kind = BackendKind::cuda;
  EXPECT_EQ(trust_of(m).text(), "C: 2 other programs used the device at the same time");
  m.state_before.other_processes = 1;
  EXPECT_EQ(trust_of(m).text(), "C: 1 other program used the device at the same time");
}

TEST(Trust, IsXWhereAnOutputIsWrongOrThePackingTooSmall) {
  Measurement m = known();
  EXPECT_THAT(codes(trust_of(m, true)), ElementsAre("overflow"));
  EXPECT_EQ(trust_of(m, true).grade, TrustGrade::x);
  m.layers[0].check->ok = false;
  m.layers[0].check->max_rel = 0.5;
  EXPECT_EQ(trust_of(m).text(),
            "X: the output of conv1 differs from the expected output by 0.5 of the largest value");
  m.layers[0].check.reset();
  EXPECT_THAT(codes(trust_of(m)), ElementsAre("output_not_checked"));
}

TEST(Trust, IsCIfInputOrOutputValuesAreNotFinite) {
  Measurement m = known();
  m.plan.precision = Precision::fp16;
  m.input = InputValues{480, 0, 0};
  m.layers[0].non_finite = 0;
  EXPECT_EQ(trust_of(m).text(), "A");
  m.input->non_finite_rows = 131;
  EXPECT_EQ(trust_of(m).text(), "C: 131 of 480 input rows are NaN or infinite in fp16");
  m.layers[0].non_finite = 7;
  EXPECT_THAT(codes(trust_of(m)), ElementsAre("input_not_finite", "output_not_finite"));
  EXPECT_THAT(trust_of(m).text(),
              HasSubstr("the outputs of 1 layer have NaN or infinite values in fp16; the first is conv1"));
  m.input = InputValues{480, 0, 2};
  m.layers[0].non_finite = 0;
  EXPECT_EQ(trust_of(m).text(), "C: 2 intensities of the scene were not finite and were replaced by 0");
}

TEST(Trust, IsXIfTheCheckedOutputHasValuesThatCannotBeCompared) {
  Measurement m = known();
  m.layers[0].check = OutputDifference{0, 0, false, 12};
  EXPECT_EQ(trust_of(m).text(),
            "X: the output of conv1 has 12 NaN or infinite values, so it cannot be checked");
}

TEST(Trust, IsXWithoutSamples) {
  EXPECT_THAT(trust_of(Measurement{}).text(), StartsWith("X: nothing was measured"));
}

}  // namespace
}  // namespace spira
