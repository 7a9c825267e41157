// Tests the estimated durations of measurements against values that were computed by hand.
#include "engine/measure/duration_estimate.hpp"

#include <gtest/gtest.h>

namespace spira {
namespace {

SamplingProtocol usual() {
  SamplingProtocol how;
  how.warmup = 1;
  how.min_samples = 5;
  how.max_samples = 15;
  how.max_time_ms = 2500;
  how.target_iqr_rel = 0.02;
  return how;
}

TEST(MostRounds, TheTimeLimitAppliesAfterTheMinimum) {
  EXPECT_EQ(most_rounds(usual(), 1, 0), 15) << "an unknown time must not limit the rounds";
  EXPECT_EQ(most_rounds(usual(), 1, 10), 15);
  EXPECT_EQ(most_rounds(usual(), 1, 300), 9) << "8 rounds take 2.4 s, so a ninth one starts";
  EXPECT_EQ(most_rounds(usual(), 1, 2000), 5);
  EXPECT_EQ(most_rounds(usual(), 4, 1200), 9) << "the time limit applies to each contender";
  SamplingProtocol few = usual();
  few.max_samples = 3;
  EXPECT_EQ(most_rounds(few, 1, 2000), 3) << "the maximum must win over the minimum";
}

TEST(FewestRounds, TheStoppingRuleMayEndEarly) {
  EXPECT_EQ(fewest_rounds(usual(), 1, 10), 5);
  SamplingProtocol by_time = usual();
  by_time.target_iqr_rel = 0;
  EXPECT_EQ(fewest_rounds(by_time, 1, 10), 15);
}

TEST(EstimateMeasure, EachRoundHasTwoPasses) {
  SamplingProtocol how = usual();
  how.max_time_ms = 5000;
  const DurationEstimate fast = estimate_measure(how, 10);
  EXPECT_EQ(fast.fewest, 1 + (2 * 5));
  EXPECT_EQ(fast.most, 1 + (2 * 15));
  EXPECT_DOUBLE_EQ(fast.most_ms(), 310);
  const DurationEstimate slow = estimate_measure(how, 680);
  EXPECT_EQ(slow.most, 1 + (2 * 5)) << "4 rounds of 1.36 s exceed 5 s, but 5 rounds are the minimum";
  EXPECT_DOUBLE_EQ(slow.most_ms(), 7480);
}

TEST(EstimateMeasure, TheCompiledNetworkRunsOnceMoreForItsTimeline) {
  SamplingProtocol how = usual();
  how.max_time_ms = 5000;
  const DurationEstimate both = estimate_measure(how, 10, 2);
  EXPECT_DOUBLE_EQ(both.other_ms, (1 + (2 * 15)) * 2.0);
  EXPECT_DOUBLE_EQ(both.most_ms(), 310 + 62);
}

TEST(EstimateSweep, CountsThePassesForTheStages) {
  const DurationEstimate fast = estimate_sweep(usual(), 5, 10);
  EXPECT_EQ(fast.fewest, 5 * (6 + 1 + 5));
  EXPECT_EQ(fast.most, 5 * (6 + 1 + 15));
  const DurationEstimate slow = estimate_sweep(usual(), 5, 600, 40);
  EXPECT_EQ(slow.most, 5 * (2 + 1 + 5)) << "one pass of 600 ms is enough for the stages";
  EXPECT_DOUBLE_EQ(slow.most_ms(), (40 * 600.0) + (5 * 40));
}

}  // namespace
}  // namespace spira
