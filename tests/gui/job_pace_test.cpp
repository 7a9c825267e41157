// Tests the rate and the remaining time of a step.
#include "ui/jobs/job_pace.hpp"

#include "ui/panels/job_bar.hpp"

#include <QProgressBar>
#include <QRegularExpression>
#include <QTest>

#include <gtest/gtest.h>

namespace spira::ui {
namespace {

TEST(JobPaceTest, ShowsNoEstimateUntilItIsReliable) {
  JobPace pace;
  pace.add("frames", 1, 100, 0);
  EXPECT_EQ(pace.text(0), "");
  pace.add("frames", 11, 100, 1000);
  EXPECT_EQ(pace.text(1000), "") << "one second must be too short for an estimate";
  pace.add("frames", 21, 100, 2000);
  EXPECT_EQ(pace.text(2000), "10 per second, 8 s left");
  pace.add("frames", 22, 100, 12'000);
  EXPECT_EQ(pace.text(12'000), "1.8 per second, 45 s left")
      << "the rate must be averaged over the whole step";
}

TEST(JobPaceTest, RestartsWithEachStep) {
  JobPace pace;
  for (int at = 0; at < 5; ++at)
    pace.add("layers", at, 10, 1000 * at);
  EXPECT_NE(pace.text(4000), "");
  pace.add("passes", 5, 10, 5000);
  EXPECT_EQ(pace.text(5000), "");
  pace.add("passes", 4, 10, 8000);
  EXPECT_EQ(pace.text(8000), "") << "a lower progress value must start a new step";
  pace.add("opening the file", 0, 0, 20'000);
  EXPECT_EQ(pace.text(20'000), "") << "a step of unknown size must have no estimate";
}

TEST(JobPaceTest, StepsInSecondsHaveALimit) {
  JobPace pace;
  pace.add("stages; seconds", 2, 15, 0);
  EXPECT_EQ(pace.text(0), "at most 13 s left");
  EXPECT_EQ(JobPace::shown("stages; seconds"), "stages");
  EXPECT_EQ(JobPace::shown("room, round 1, conv, t = 0; seconds"), "room, round 1, conv, t = 0");
  EXPECT_EQ(JobPace::shown("frames"), "frames");
}

TEST(JobPaceTest, RunsThatMayEndEarlyHaveALimit) {
  JobPace pace;
  pace.add("timing; at most runs", 0, 16, 0);
  EXPECT_EQ(pace.text(0), "");
  pace.add("timing; at most runs", 1, 16, 2000);
  EXPECT_EQ(pace.text(2000), "at most 30 s left");
  pace.add("timing; runs", 1, 16, 4000);
  pace.add("timing; runs", 2, 16, 6000);
  EXPECT_EQ(pace.text(6000), "28 s left");
}

TEST(ActivityRowTest, WritesSecondsAsAUnit) {
  ActivityRow row("Stop");
  row.setActivity("Tuning: round 1; seconds", 2, 30);
  EXPECT_EQ(row.text(), "Tuning: round 1: 2 of 30 s, at most 28 s left");
  row.setActivity("Reading: frames", 2, 30);
  EXPECT_EQ(row.text(), "Reading: frames: 2 of 30");
}

TEST(ActivityRowTest, CountsRunsAndTheTimeInsideARun) {
  ActivityRow row("Stop");
  const auto* bar = row.findChild<QProgressBar*>();
  row.setActivity("Measuring: timing; at most runs", 0, 4);
  EXPECT_EQ(row.text(), "Measuring: timing: run 1 of at most 4");
  EXPECT_EQ(bar->value(), 0);
  QTest::qWait(1600);
  row.setActivity("Measuring: timing; at most runs", 1, 4);
  // The wait can be longer than 1.6 s.
  EXPECT_TRUE(QRegularExpression("^Measuring: timing: run 2 of at most 4, at most \\d+ s left$")
                  .match(row.text())
                  .hasMatch())
      << row.text().toStdString();
  EXPECT_EQ(bar->value(), bar->maximum() / 4);
  const QString before = row.text();
  EXPECT_TRUE(QTest::qWaitFor([&] { return row.text() != before; }))
      << "the remaining time must decrease without reports: " << row.text().toStdString();
}

}  // namespace
}  // namespace spira::ui
