#include "ui/model/view_update_queue.hpp"

#include <QTest>

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace spira::ui {
namespace {

TEST(ViewUpdateQueue, RunsOnceForChangesOfTheSameIteration) {
  ViewUpdateQueue queue;
  QObject who;
  int followed = 0;
  for (int change = 0; change < 5; ++change)
    queue.add(
        &who, [&] { ++followed; }, true);
  EXPECT_EQ(followed, 0) << "the update must not run at once";
  EXPECT_TRUE(QTest::qWaitFor([&] { return queue.empty(); }));
  EXPECT_EQ(followed, 1);
}

TEST(ViewUpdateQueue, VisibleViewsComeFirstAndAShownViewUpdatesAtOnce) {
  ViewUpdateQueue queue;
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
  EXPECT_TRUE(QTest::qWaitFor([&] { return queue.empty(); }));
  EXPECT_EQ(order, "shH2") << "a view that becomes visible must update exactly once";
}

TEST(ViewUpdateQueue, DestroyedReceiversAreSkipped) {
  ViewUpdateQueue queue;
  auto gone = std::make_unique<QObject>();
  bool ran = false;
  queue.add(
      gone.get(), [&] { ran = true; }, true);
  gone.reset();
  EXPECT_TRUE(QTest::qWaitFor([&] { return queue.empty(); }));
  EXPECT_FALSE(ran);
}

TEST(ViewUpdateQueue, WaitsForTheNextIterationAfterAFullOne) {
  ViewUpdateQueue queue;
  QObject who;
  double before_ms = -1;
  bool busy = false;
  // In an event-loop iteration, posted events are processed before timers.
  QMetaObject::invokeMethod(
      &who,
      [&] {
        busy = true;
        while (iteration_cost_ms() < 100)
          continue;
      },
      Qt::QueuedConnection);
  queue.add(
      &who, [&] { before_ms = iteration_cost_ms(); }, true);
  ASSERT_TRUE(QTest::qWaitFor([&] { return before_ms >= 0; }));
  EXPECT_TRUE(busy);
  EXPECT_LT(before_ms, 100) << "the update must not run in the full iteration";
}

}  // namespace
}  // namespace spira::ui
