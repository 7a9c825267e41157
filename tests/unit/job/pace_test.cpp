// Tests the units, the rate and the remaining time of the steps of a job.
#include "engine/job/pace.hpp"

#include <gtest/gtest.h>

namespace spira {
namespace {

constexpr std::string_view timing = "timing the network; at most runs";

TEST(ProgressStepTest, ReadsTheUnitFromTheSuffix) {
  EXPECT_EQ(progress_step("room, round 1, conv, t = 0; seconds").name, "room, round 1, conv, t = 0");
  EXPECT_EQ(progress_step("room; seconds").unit, ProgressUnit::seconds);
  EXPECT_EQ(progress_step("timing; runs").name, "timing");
  EXPECT_EQ(progress_step("timing; runs").unit, ProgressUnit::runs);
  EXPECT_EQ(progress_step(timing).name, "timing the network");
  EXPECT_EQ(progress_step(timing).unit, ProgressUnit::at_most_runs);
  EXPECT_EQ(progress_step("frames").name, "frames");
  EXPECT_EQ(progress_step("frames").unit, ProgressUnit::items);
}

TEST(PaceTest, OneCompleteRunGivesTheRemainingTime) {
  Pace pace;
  pace.add(timing, 1, 16, 1000);
  EXPECT_FALSE(pace.left_s(1500)) << "the time of a run must not be known before the first one ended";
  pace.add(timing, 2, 16, 3000);
  EXPECT_DOUBLE_EQ(*pace.left_s(3000), 28) << "14 runs of 2 s are left";
  EXPECT_DOUBLE_EQ(*pace.left_s(4500), 26.5) << "the time must decrease during a run";
  EXPECT_DOUBLE_EQ(*pace.left_s(9000), 26) << "a long run must not count for more than one run";
}

TEST(PaceTest, AnotherEstimateOfTheRunsKeepsTheRate) {
  Pace pace;
  pace.add(timing, 0, 16, 0);
  pace.add(timing, 1, 16, 2000);
  pace.add(timing, 2, 6, 4000);
  EXPECT_DOUBLE_EQ(*pace.left_s(4000), 8);
  pace.add("layers", 2, 6, 5000);
  EXPECT_FALSE(pace.left_s(5000)) << "another step must not have the rate of the former one";
}

TEST(PaceTest, SecondsNeedNoRate) {
  Pace pace;
  pace.add("room; seconds", 2, 15, 0);
  EXPECT_DOUBLE_EQ(*pace.left_s(0), 13);
  EXPECT_DOUBLE_EQ(*pace.left_s(1000), 12);
  EXPECT_DOUBLE_EQ(*pace.left_s(20'000), 0);
}

TEST(ProgressTextTest, NamesTheRunAndTheLimit) {
  Pace pace;
  pace.add(timing, 1, 16, 0);
  EXPECT_EQ(progress_text(timing, 1, 16, pace, 0), "timing the network: run 2 of at most 16");
  pace.add(timing, 2, 16, 500);
  EXPECT_EQ(progress_text(timing, 2, 16, pace, 500),
            "timing the network: run 3 of at most 16, at most 7 s left");
  EXPECT_EQ(progress_text("timing; runs", 20, 20, Pace(), 0), "timing: run 20 of 20");
  EXPECT_EQ(progress_text("layers", 3, 49, Pace(), 0), "layers: 3 of 49");
  EXPECT_EQ(progress_text("opening the file", 0, 0, Pace(), 0), "opening the file");
}

}  // namespace
}  // namespace spira
