#include "engine/tune/interleaved_rounds.hpp"

#include "engine/base/error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace spira {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

/// Alternatives with given times. A simulated clock advances by these times.
class MadeUp {
 public:
  void add(const std::string& name, double ms, int turn = 0, int contest = 0) {
    Alternative one;
    one.name = name;
    one.turn = turn;
    one.contest = contest;
    one.time_ms = [this, name, ms] {
      order += name;
      clock_ms += ms;
      return ms * (1.0 + (wobble * static_cast<double>(order.size() % 3)));
    };
    all.push_back(one);
  }
  [[nodiscard]] RoundLimits limits(double budget_ms, int least = 5, int most = 50) {
    RoundLimits limits;
    limits.min_samples = least;
    limits.max_samples = most;
    limits.time_is_up = [this, budget_ms] { return clock_ms >= budget_ms; };
    return limits;
  }

  std::vector<Alternative> all;
  std::string order;
  double clock_ms = 0, wobble = 0;
};

TEST(Rounds, InterleaveAndReverseTheOrder) {
  MadeUp made;
  for (const char* name : {"A", "B", "C"})
    made.add(name, 1);
  const RoundsResult result = sample_rounds(made.all, made.limits(1e9, 4, 4));
  EXPECT_EQ(made.order, "ABCCBAABCCBA");
  EXPECT_THAT(result.ms, ElementsAre(SizeIs(4), SizeIs(4), SizeIs(4)));
  EXPECT_EQ(result.end, RoundsEnd::steady);
}

TEST(Rounds, TakeTheFirstSamplesTurnByTurnAndThenRunAllTurns) {
  MadeUp made;
  made.add("a", 1, 1, 1);
  made.add("A", 1, 0, 0);
  made.add("b", 1, 1, 1);
  made.add("B", 1, 0, 0);
  made.wobble = 0.1;
  RoundLimits limits = made.limits(1e9, 2, 4);
  std::vector<int> done;
  limits.turn_done = [&](int turn, const RoundSamples& so_far) {
    done.push_back(turn);
    EXPECT_THAT(so_far[1], SizeIs(2));
    EXPECT_THAT(so_far[0], SizeIs(turn == 0 ? 0 : 2)) << "turn 1 must follow turn 0";
  };
  static_cast<void>(sample_rounds(made.all, limits));
  EXPECT_EQ(made.order, "ABBAabbaABabBAba");
  EXPECT_THAT(done, ElementsAre(0, 1));
}

TEST(Rounds, ATimeLimitLeavesTheFirstTurnsWithEnoughSamples) {
  MadeUp made;
  made.add("a", 10, 1, 1);
  made.add("A", 10, 0, 0);
  EXPECT_THAT(sample_rounds(made.all, made.limits(60)).ms, ElementsAre(SizeIs(1), SizeIs(5)));
}

TEST(Rounds, FurtherRoundsCanEndBeforeTheTimeLimit) {
  MadeUp made;
  made.add("A", 10);
  made.add("B", 10);
  made.wobble = 0.1;
  RoundLimits limits = made.limits(1e9, 5, 50);
  limits.enough = [&] { return made.clock_ms >= 40; };
  const RoundsResult result = sample_rounds(made.all, limits);
  EXPECT_THAT(result.ms, ElementsAre(SizeIs(5), SizeIs(5))) << "the first five rounds must be complete";
  EXPECT_EQ(result.end, RoundsEnd::budget);
}

TEST(Rounds, EndWithTheBudgetAndKeepTheSamples) {
  MadeUp made;
  made.add("A", 10);
  made.add("B", 10);
  const RoundsResult result = sample_rounds(made.all, made.limits(45));
  EXPECT_EQ(result.end, RoundsEnd::budget);
  EXPECT_EQ(made.order, "ABBAA") << "a sample that has begun must be finished";
  EXPECT_THAT(result.ms, ElementsAre(SizeIs(3), SizeIs(2)));
}

TEST(Rounds, NoTimeIsNoSample) {
  MadeUp made;
  made.add("A", 10);
  const RoundsResult result = sample_rounds(made.all, made.limits(0));
  EXPECT_EQ(result.end, RoundsEnd::budget);
  EXPECT_THAT(result.ms, ElementsAre(SizeIs(0)));
}

TEST(Rounds, ClearlySlowerSettingsDropOutAfterFiveSamples) {
  MadeUp made;
  made.add("A", 10);
  made.add("B", 12);
  made.add("C", 13);
  const RoundsResult result = sample_rounds(made.all, made.limits(1e9, 8, 8));
  EXPECT_THAT(result.dropped, ElementsAre(false, false, true));
  EXPECT_THAT(result.ms, ElementsAre(SizeIs(8), SizeIs(8), SizeIs(5)));
}

TEST(Rounds, ABurstOfLoadDropsNothing) {
  MadeUp made;
  made.add("A", 10);
  made.add("B", 10);
  int samples = 0;
  made.all[1].time_ms = [&] { return ++samples <= 3 ? 50.0 : 10.0; };
  EXPECT_THAT(sample_rounds(made.all, made.limits(1e9, 8, 8)).dropped, ElementsAre(false, false));
}

TEST(Rounds, NothingDropsOutWhereItMayNot) {
  MadeUp made;
  made.add("A", 10);
  made.add("C", 100);
  RoundLimits limits = made.limits(1e9, 8, 8);
  limits.may_drop = false;
  EXPECT_THAT(sample_rounds(made.all, limits).ms, ElementsAre(SizeIs(8), SizeIs(8)));
}

TEST(Rounds, OtherContestsDropNothing) {
  MadeUp made;
  made.add("A", 10, 0, 0);
  made.add("C", 100, 0, 1);
  EXPECT_THAT(sample_rounds(made.all, made.limits(1e9, 8, 8)).dropped, ElementsAre(false, false));
}

TEST(Rounds, TheTimeOfANeededMapCountsForTheBest) {
  MadeUp made;
  // The best alternative needs this map. C may share its own map with other layers.
  made.add("m", 20, 0, 7);
  made.add("A", 10);
  made.add("C", 30);
  made.all[1].needs = 0;
  EXPECT_THAT(sample_rounds(made.all, made.limits(1e9, 8, 8)).dropped, ElementsAre(false, false, false));
  // With four layers, the map is a small part of the time.
  made.all[1].times = made.all[2].times = 4;
  EXPECT_THAT(sample_rounds(made.all, made.limits(1e9, 8, 8)).dropped, ElementsAre(false, false, true));
}

TEST(Rounds, EndEarlyIfSteadyOrDecided) {
  MadeUp made;
  made.add("A", 10);
  made.add("B", 10);
  EXPECT_THAT(sample_rounds(made.all, made.limits(1e9)).ms, ElementsAre(SizeIs(5), SizeIs(5)));
  made.wobble = 0.1;
  EXPECT_THAT(sample_rounds(made.all, made.limits(1e9, 5, 20)).ms, ElementsAre(SizeIs(20), SizeIs(20)));
  made.all.pop_back();
  EXPECT_THAT(sample_rounds(made.all, made.limits(1e9, 5, 20)).ms, ElementsAre(SizeIs(5)));
}

TEST(Rounds, AStopKeepsTheSamplesAndAnErrorIsThrown) {
  MadeUp made;
  made.add("A", 10);
  std::stop_source stop;
  RoundLimits limits = made.limits(1e9);
  limits.stop = stop.get_token();
  limits.progress = [&](const std::string&, int round) {
    if (round == 2) stop.request_stop();
  };
  const RoundsResult stopped = sample_rounds(made.all, limits);
  EXPECT_EQ(stopped.end, RoundsEnd::interrupted);
  EXPECT_THAT(stopped.ms, ElementsAre(SizeIs(3)));
  made.all[0].time_ms = []() -> double { throw Error(ErrorKind::cancelled, "cancelled"); };
  EXPECT_EQ(sample_rounds(made.all, made.limits(1e9)).end, RoundsEnd::interrupted);
  made.all[0].time_ms = []() -> double { throw Error(ErrorKind::device, "out of memory"); };
  EXPECT_THROW(static_cast<void>(sample_rounds(made.all, made.limits(1e9))), Error);
}

}  // namespace
}  // namespace spira
