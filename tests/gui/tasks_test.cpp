// Tests the rules for background tasks: which events are delivered, in which order, and how tasks end.
#include "ui/jobs/tasks.hpp"

#include "engine/scene/reader.hpp"

#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTest>

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

namespace spira::ui {
namespace {

constexpr int patience_ms = 60'000;

/// Flags that a test shares with its task. With them, neither has to sleep to wait for the other.
struct Flags {
  std::atomic<bool> begun = false, go_on = false, ended = false;
  std::atomic<int> passed = 0;
};
using Shared = std::shared_ptr<Flags>;

void wait_until(const std::atomic<bool>& flag) {
  while (!flag)
    std::this_thread::yield();
}

void send_count(const int& count, Job& /*job*/, const Send<int>& send) {
  for (int at = 0; at < count; ++at)
    send(at);
}

/// Waits until the test sets `go_on`, even if the task was cancelled. Then sends one event and ends.
void send_late(const Shared& flags, Job& /*job*/, const Send<int>& send) {
  flags->begun = true;
  wait_until(flags->go_on);
  send(1);
  flags->ended = true;
}

void pass_checkpoints(const Shared& flags, Job& job, const Send<int>& send) {
  flags->begun = true;
  try {
    for (;;) {
      job.checkpoint({"steps", flags->passed, 0});
      ++flags->passed;
      send(0);
    }
  } catch (const Error&) {
    flags->ended = true;
    throw;
  }
}

class TasksTest : public testing::Test {
 protected:
  [[nodiscard]] static bool waitFor(const std::function<bool()>& condition) {
    return QTest::qWaitFor(condition, patience_ms);
  }

  Tasks tasks;
  Shared flags = std::make_shared<Flags>();
  std::vector<int> arrived;
};

TEST_F(TasksTest, EventsArriveInTheirOrderAndTheEndComesLast) {
  TaskSlot slot(tasks);
  QObject::connect(&slot, &TaskSlot::finished, [&] { arrived.push_back(-1); });
  slot.start("steps", send_count, 5, [&](int at) {
    // This exceeds the time limit of one event-loop iteration, so the other events arrive later.
    QTest::qSleep(2);
    arrived.push_back(at);
  });
  ASSERT_TRUE(waitFor([&] { return !slot.busy(); }));
  EXPECT_EQ(arrived, (std::vector<int>{0, 1, 2, 3, 4, -1}));
}

TEST_F(TasksTest, AnEventMayDestroyTheOwnerOfTheSlot) {
  auto* slot = new TaskSlot(tasks);
  QSignalSpy gone(slot, &QObject::destroyed);
  slot->start("closing", send_count, 2, [&, slot](int at) {
    arrived.push_back(at);
    delete slot;
  });
  ASSERT_TRUE(waitFor([&] { return gone.count() > 0; }));
  QTest::qWait(20);
  EXPECT_EQ(arrived, std::vector<int>{0});
}

TEST_F(TasksTest, AnEventMayStartTheNextTask) {
  TaskSlot slot(tasks);
  slot.start("first", send_count, 3,
             [&](int) { slot.start("second", send_count, 1, [&](int at) { arrived.push_back(at + 10); }); });
  ASSERT_TRUE(waitFor([&] { return !slot.busy(); }));
  EXPECT_EQ(arrived, std::vector<int>{10}) << "the other events of the first task are stale";
}

TEST_F(TasksTest, StaleEventsAreNotDelivered) {
  TaskSlot slot(tasks);
  QSignalSpy finished(&slot, &TaskSlot::finished);
  slot.start("old", send_late, flags, [&](int at) { arrived.push_back(at); });
  wait_until(flags->begun);
  slot.start("new", send_count, 1, [&](int at) { arrived.push_back(at + 10); });
  QTest::qWait(5);
  EXPECT_TRUE(arrived.empty()) << "the new task waits for the end of the old one";
  flags->go_on = true;
  ASSERT_TRUE(waitFor([&] { return !slot.busy(); }));
  EXPECT_EQ(arrived, std::vector<int>{10});
  ASSERT_EQ(finished.count(), 1);
  EXPECT_EQ(finished[0][0].toString(), "new");
}

/// The test counts checkpoints instead of measuring time. After the cancellation, at most the current step
/// may be counted, and no event may be delivered.
TEST_F(TasksTest, ACancelledTaskEndsAtItsNextCheckpoint) {
  TaskSlot slot(tasks);
  QSignalSpy finished(&slot, &TaskSlot::finished), failed(&slot, &TaskSlot::failed);
  slot.start("counting", pass_checkpoints, flags, [&](int at) { arrived.push_back(at); });
  ASSERT_TRUE(waitFor([&] { return flags->passed > 100; }));
  slot.cancel();
  const int before = flags->passed;
  const std::size_t delivered = arrived.size();
  EXPECT_EQ(finished.count(), 1) << "the window has its former state at once";
  EXPECT_FALSE(slot.busy());
  EXPECT_TRUE(tasks.idle());
  ASSERT_TRUE(waitFor([&] { return flags->ended.load(); }));
  QTest::qWait(5);
  EXPECT_LE(flags->passed, before + 1);
  EXPECT_EQ(arrived.size(), delivered);
  EXPECT_EQ(failed.count(), 0);
}

TEST_F(TasksTest, ASlotMayBeDestroyedDuringItsTask) {
  {
    TaskSlot slot(tasks);
    slot.start("left behind", send_late, flags, [&](int at) { arrived.push_back(at); });
    wait_until(flags->begun);
    EXPECT_FALSE(tasks.idle());
  }
  EXPECT_TRUE(tasks.idle());
  EXPECT_FALSE(flags->ended) << "the destructor does not wait";
  flags->go_on = true;
  ASSERT_TRUE(waitFor([&] { return flags->ended.load(); }));
  QTest::qWait(5);
  EXPECT_TRUE(arrived.empty());
}

TEST_F(TasksTest, TheEndOfTasksStopsAndJoinsTheirThreads) {
  auto ending = std::make_unique<Tasks>();
  TaskSlot slot(*ending), other(*ending, Tasks::Lane::engine);
  slot.start("running", pass_checkpoints, flags, [](int) {});
  wait_until(flags->begun);
  ending.reset();
  EXPECT_TRUE(flags->ended);
  other.start("too late", send_count, 1, [&](int at) { arrived.push_back(at); });
  QTest::qWait(5);
  EXPECT_TRUE(arrived.empty());
}

TEST_F(TasksTest, ReportsErrorsOfTheTask) {
  TaskSlot slot(tasks);
  std::int64_t every = 0;
  ErrorKind kind = ErrorKind::cancelled;
  QObject::connect(&slot, &TaskSlot::failed, [&](const Error& error) {
    kind = error.kind();
    if (const auto* memory = dynamic_cast<const NotEnoughMemory*>(&error)) every = memory->every();
  });
  const auto memory = +[](const int&, Job&, const Send<int>&) { throw NotEnoughMemory("too large", 7); };
  slot.start("memory", memory, 0, [](int) {});
  ASSERT_TRUE(waitFor([&] { return !slot.busy(); }));
  EXPECT_EQ(kind, ErrorKind::memory);
  EXPECT_EQ(every, 7) << "the error keeps its type";
  const auto fault = +[](const int&, Job&, const Send<int>&) { throw std::runtime_error("a fault"); };
  slot.start("fault", fault, 0, [](int) {});
  ASSERT_TRUE(waitFor([&] { return !slot.busy(); }));
  EXPECT_EQ(kind, ErrorKind::internal);
}

TEST_F(TasksTest, ReportsErrorsOfADeliveryAndGoesOn) {
  TaskSlot slot(tasks);
  QSignalSpy failed(&slot, &TaskSlot::failed);
  slot.start("faults", send_count, 3, [&](int at) {
    if (at == 1) throw Error(ErrorKind::input, "refused");
    arrived.push_back(at);
  });
  ASSERT_TRUE(waitFor([&] { return !slot.busy(); }));
  EXPECT_EQ(failed.count(), 1);
  EXPECT_EQ(arrived, (std::vector<int>{0, 2}));
}

TEST_F(TasksTest, ReportsProgressAtMostEvery50Ms) {
  TaskSlot slot(tasks);
  QSignalSpy progress(&slot, &TaskSlot::progress);
  QElapsedTimer timer;
  timer.start();
  slot.start("counting", pass_checkpoints, flags, [](int) {});
  ASSERT_TRUE(waitFor([&] { return progress.count() >= 3; }));
  EXPECT_GE(timer.elapsed(), 100);
  EXPECT_LE(progress.count(), timer.elapsed() / 50 + 1);
  EXPECT_EQ(progress[0][0].toString(), "steps");
  slot.cancel();
}

TEST_F(TasksTest, TheEngineLaneRunsOneTaskAfterTheOtherOnOneThread) {
  const auto name_thread = +[](const Shared& all, Job&, const Send<std::thread::id>& send) {
    EXPECT_EQ(all->passed++, 0) << "no other task runs";
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    --all->passed;
    send(std::this_thread::get_id());
  };
  TaskSlot first(tasks, Tasks::Lane::engine), second(tasks, Tasks::Lane::engine);
  std::vector<std::thread::id> threads;
  const auto keep = [&](std::thread::id id) { threads.push_back(id); };
  for (int round = 0; round < 3; ++round) {
    first.start("first", name_thread, flags, keep);
    second.start("second", name_thread, flags, keep);
    ASSERT_TRUE(waitFor([&] { return tasks.idle(); }));
  }
  ASSERT_EQ(threads.size(), 6U);
  for (const auto& id : threads)
    EXPECT_EQ(id, threads.front());
  EXPECT_NE(threads.front(), std::this_thread::get_id());
}

TEST_F(TasksTest, ThePoolRunsTheTasksOfSeveralSlotsAtOnce) {
  const auto meet = +[](const Shared& all, Job&, const Send<int>& send) {
    ++all->passed;
    while (all->passed < 3)
      std::this_thread::yield();
    send(0);
  };
  TaskSlot one(tasks), two(tasks), three(tasks);
  EXPECT_TRUE(tasks.idle());
  for (TaskSlot* slot : {&one, &two, &three})
    slot->start("meeting", meet, flags, [&](int at) { arrived.push_back(at); });
  EXPECT_FALSE(tasks.idle());
  ASSERT_TRUE(waitFor([&] { return tasks.idle(); }));
  EXPECT_EQ(arrived.size(), 3U);
}

}  // namespace
}  // namespace spira::ui
