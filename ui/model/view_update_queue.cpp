#include "ui/model/view_update_queue.hpp"

#include <QAbstractEventDispatcher>
#include <QElapsedTimer>
#include <QPointer>

#include <algorithm>
#include <ctime>
#include <utility>

namespace spira::ui {
namespace {

constexpr int rest_ms = 150, pause_ms = 30;

/// Returns true if this event-loop iteration has already used much time, for example for layout or painting.
bool iteration_is_full() {
  constexpr double full_ms = 4;
  return iteration_cost_ms() > full_ms;
}

}  // namespace

ViewUpdateQueue::ViewUpdateQueue(QObject* parent) : QObject(parent) {
  soon_.setSingleShot(true);
  rested_.setSingleShot(true);
  // An iteration that is full defers the updates to the next iteration, at most once.
  // The pause after an update combines fast changes, so that a view updates at most about 30 times per
  // second. Each timer restarts before the updates run, so that an exception in one update does not delay the
  // others.
  connect(&soon_, &QTimer::timeout, this, [this, put_off = false]() mutable {
    put_off = !put_off && iteration_is_full();
    if (put_off) return soon_.start(1);
    const bool any = !in_sight_.empty();
    if (any) soon_.start(in_sight_.size() > 1 ? 0 : pause_ms);
    work(in_sight_);
    if (any) soon_.start(in_sight_.empty() ? pause_ms : 0);
  });
  connect(&rested_, &QTimer::timeout, this, [this, put_off = false]() mutable {
    put_off = !put_off && iteration_is_full();
    if (put_off) return rested_.start(1);
    if (hidden_.size() > 1) rested_.start(0);
    work(hidden_);
    hidden_.empty() ? rested_.stop() : rested_.start(0);
  });
}

void ViewUpdateQueue::add(QObject* who, std::function<void()> what, bool in_sight) {
  const auto is_it = [who](const One& one) { return one.who == who; };
  if (std::any_of(in_sight_.begin(), in_sight_.end(), is_it)) return;
  const bool waits = std::any_of(hidden_.begin(), hidden_.end(), is_it);
  if (!in_sight) {
    if (!waits) hidden_.push_back({who, std::move(what)});
    return rested_.start(rest_ms);
  }
  if (waits) std::erase_if(hidden_, is_it);
  in_sight_.push_back({who, std::move(what)});
  if (!soon_.isActive()) soon_.start(0);
}

void ViewUpdateQueue::finish(const QObject* who) {
  for (auto* queue : {&in_sight_, &hidden_}) {
    const auto found =
        std::find_if(queue->begin(), queue->end(), [who](const One& one) { return one.who == who; });
    if (found == queue->end()) continue;
    const auto what = std::move(found->what);
    queue->erase(found);
    return what();
  }
}

/// Runs at least one queued update, and more updates until a few milliseconds have passed or the event-loop
/// iteration has used much time.
void ViewUpdateQueue::work(std::vector<One>& queue) {
  constexpr qint64 enough_ms = 3;
  QElapsedTimer timer;
  timer.start();
  while (!queue.empty()) {
    const One one = std::move(queue.front());
    queue.erase(queue.begin());
    if (one.who) one.what();
    if (timer.elapsed() >= enough_ms || iteration_is_full()) return;
  }
}

namespace {

double thread_ms() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (static_cast<double>(now.tv_sec) * 1e3) + (static_cast<double>(now.tv_nsec) / 1e6);
}

/// Measures the duration of event-loop iterations. The event dispatcher emits awake() after it waited for
/// events, or before each iteration if it does not wait.
struct EventLoopClock : QObject {
  explicit EventLoopClock(QAbstractEventDispatcher* loop) : QObject(loop) {
    connect(loop, &QAbstractEventDispatcher::awake, this, [this] { begun_ms = thread_ms(); });
  }
  double begun_ms = thread_ms();
};

}  // namespace

double iteration_cost_ms() {
  static QPointer<EventLoopClock> clock;
  if (!clock) clock = new EventLoopClock(QAbstractEventDispatcher::instance());
  return thread_ms() - clock->begun_ms;
}

}  // namespace spira::ui
