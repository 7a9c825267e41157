// Tests the rate and the remaining time that a job displays for a step, and how soon a cancelled job ends.
#include "ui/jobs/job_pace.hpp"

#include "ui/jobs/job_runner.hpp"
#include "ui/panels/activity_row.hpp"

#include <QSignalSpy>
#include <QTest>

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

namespace spira::ui {
namespace {

TEST(JobPaceTest, ShowsNoEstimateUntilItIsReliable) {
  JobPace pace;
  pace.add("frames", 1, 100, 0);
  EXPECT_EQ(pace.text(), "");
  pace.add("frames", 11, 100, 1000);
  EXPECT_EQ(pace.text(), "") << "one second must be too short for an estimate";
  pace.add("frames", 21, 100, 2000);
  EXPECT_EQ(pace.text(), "10 per second, 8 s left");
  pace.add("frames", 22, 100, 12'000);
  EXPECT_EQ(pace.text(), "1.8 per second, 45 s left") << "the rate must be averaged over the whole step";
}

TEST(JobPaceTest, RestartsWithEachStep) {
  JobPace pace;
  for (int at = 0; at < 5; ++at)
    pace.add("layers", at, 10, 1000 * at);
  EXPECT_NE(pace.text(), "");
  pace.add("passes", 5, 10, 5000);
  EXPECT_EQ(pace.text(), "");
  pace.add("passes", 4, 10, 8000);
  EXPECT_EQ(pace.text(), "") << "a lower progress value must start a new step";
  pace.add("opening the file", 0, 0, 20'000);
  EXPECT_EQ(pace.text(), "") << "a step of unknown size must have no estimate";
}

TEST(JobPaceTest, StepsInSecondsHaveALimit) {
  JobPace pace;
  pace.add("stages, seconds", 2, 15, 0);
  EXPECT_EQ(pace.text(), "at most 13 s left");
  EXPECT_EQ(JobPace::shown("stages, seconds"), "stages");
  EXPECT_EQ(JobPace::shown("room, round 1, conv, t = 0; seconds"), "room, round 1, conv, t = 0");
  EXPECT_EQ(JobPace::shown("frames"), "frames");
}

TEST(ActivityRowTest, WritesSecondsAsAUnit) {
  ActivityRow row("Stop");
  row.setActivity("Tuning: round 1; seconds", 2, 30);
  EXPECT_EQ(row.text(), "Tuning: round 1: 2 of 30 s, at most 28 s left");
  row.setActivity("Reading: frames", 2, 30);
  EXPECT_EQ(row.text(), "Reading: frames: 2 of 30");
}

TEST(JobRunnerTest, StepsArriveInOrderBeforeTheEnd) {
  JobRunner runner;
  std::vector<int> arrived;
  QSignalSpy finished(&runner, &JobRunner::finished);
  QObject::connect(&runner, &JobRunner::finished, [&] { arrived.push_back(-1); });
  runner.start("steps", [&](Job&, const JobRunner::Post& post) {
    for (int at = 0; at < 5; ++at)
      post([&arrived, at] {
        QTest::qSleep(2);  // exceeds the limit of one event-loop iteration, so the rest arrives later
        arrived.push_back(at);
      });
  });
  ASSERT_TRUE(QTest::qWaitFor([&] { return finished.count() > 0; }, 60'000));
  EXPECT_EQ(arrived, (std::vector<int>{0, 1, 2, 3, 4, -1}));
}

TEST(JobRunnerTest, AStepMayCloseTheOwnerOfTheRunner) {
  auto* runner = new JobRunner;
  QSignalSpy gone(runner, &QObject::destroyed);
  bool after = false;
  runner->start("closing", [&](Job&, const JobRunner::Post& post) {
    post([runner] { delete runner; });
    post([&] { after = true; });
  });
  ASSERT_TRUE(QTest::qWaitFor([&] { return gone.count() > 0; }, 60'000));
  QTest::qWait(20);
  EXPECT_FALSE(after);
}

/// Counts checkpoints instead of measuring time. After the cancel, the job must pass no checkpoint and
/// deliver no result.
TEST(JobRunnerTest, ACancelledJobEndsAtItsNextCheckpoint) {
  JobRunner runner;
  std::atomic<int> passed = 0, after = 0;
  std::atomic<bool> cancelled = false, ended = false;
  bool delivered = false;
  QSignalSpy finished(&runner, &JobRunner::finished);
  runner.start("counting", [&](Job& job, const JobRunner::Post& post) {
    try {
      for (;;) {
        const bool late = cancelled;
        job.checkpoint({"steps", 0, 0});
        after += late ? 1 : 0;
        ++passed;
        post([&] { delivered = delivered || cancelled; });
      }
    } catch (const Error& error) {
      ended = error.kind() == ErrorKind::cancelled;
      throw;
    }
  });
  ASSERT_TRUE(QTest::qWaitFor([&] { return passed > 100; }, 60'000));
  runner.cancel();
  cancelled = true;
  EXPECT_EQ(finished.count(), 1) << "a cancelled job must report its end at once";
  EXPECT_FALSE(runner.busy());
  ASSERT_TRUE(QTest::qWaitFor([&] { return ended.load(); }, 60'000));
  QTest::qWait(0);
  EXPECT_EQ(after, 0);
  EXPECT_FALSE(delivered);
}

}  // namespace
}  // namespace spira::ui
