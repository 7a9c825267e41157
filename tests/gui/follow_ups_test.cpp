#include "ui/model/follow_ups.hpp"

#include "ui/model/turn_clock.hpp"

#include <QTest>
#include <QTimer>

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace spira::ui {
namespace {

TEST(FollowUps, RunOnceForAllThatChangedTogether) {
  FollowUps queue;
  QObject who;
  int followed = 0;
  for (int change = 0; change < 5; ++change)
    queue.add(
        &who, [&] { ++followed; }, true);
  EXPECT_EQ(followed, 0) << "not at once";
  EXPECT_TRUE(QTest::qWaitFor([&] { return queue.empty(); }));
  EXPECT_EQ(followed, 1);
}

TEST(FollowUps, WhatIsInSightComesFirstAndWhatIsShownAtOnce) {
  FollowUps queue;
  QObject hidden, seen;
  std::string order;
  queue.add(
      &hidden, [&] { order += 'h'; }, false);
  queue.add(
      &seen, [&] { order += 's'; }, true);
  EXPECT_TRUE(QTest::qWaitFor([&] { return queue.empty(); }));
  EXPECT_EQ(order, "sh");
  queue.add(
      &hidden, [&] { order += 'H'; }, false);
  queue.finish(&hidden);
  EXPECT_EQ(order, "shH");
  EXPECT_TRUE(queue.empty());
  queue.add(
      &hidden, [&] { order += '1'; }, false);
  queue.add(
      &hidden, [&] { order += '2'; }, true);
  queue.finishAll();
  EXPECT_EQ(order, "shH2") << "one that came into sight meanwhile follows once";
}

TEST(FollowUps, WhoIsGoneIsLeftOut) {
  FollowUps queue;
  auto gone = std::make_unique<QObject>();
  bool ran = false;
  queue.add(
      gone.get(), [&] { ran = true; }, true);
  gone.reset();
  EXPECT_TRUE(QTest::qWaitFor([&] { return queue.empty(); }));
  EXPECT_FALSE(ran);
}

TEST(FollowUps, WaitForTheNextIterationAfterOneThatWasFull) {
  FollowUps queue;
  QObject seen, hidden;
  for (const bool in_sight : {true, false}) {
    double before_ms = -1, spent_ms = 0;
    QTimer::singleShot(0, [&] {  // comes first, in the iteration in which the follow-up is due
      queue.add(
          in_sight ? &seen : &hidden, [&] { before_ms = turn_cost_ms(); }, in_sight);
      while (turn_cost_ms() < 200)  // both kinds of follow-ups are due when it ends
        spent_ms = turn_cost_ms();
    });
    ASSERT_TRUE(QTest::qWaitFor([&] { return before_ms >= 0; }));
    EXPECT_GT(spent_ms, 100) << "the iteration was full";
    EXPECT_LT(before_ms, 100) << (in_sight ? "in sight" : "out of sight");
  }
}

}  // namespace
}  // namespace spira::ui
