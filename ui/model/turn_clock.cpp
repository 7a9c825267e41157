#include "ui/model/turn_clock.hpp"

#include <QAbstractEventDispatcher>
#include <QPointer>

#include <ctime>

namespace spira::ui {
namespace {

double thread_ms() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (static_cast<double>(now.tv_sec) * 1e3) + (static_cast<double>(now.tv_nsec) / 1e6);
}

/// The dispatcher emits awake() after waiting for events, or before each iteration if it does not wait.
struct TurnClock : QObject {
  explicit TurnClock(QAbstractEventDispatcher* loop) : QObject(loop) {
    connect(loop, &QAbstractEventDispatcher::awake, this, [this] { begun_ms = thread_ms(); });
  }
  double begun_ms = thread_ms();
};

}  // namespace

double turn_cost_ms() {
  static QPointer<TurnClock> clock;
  if (!clock) clock = new TurnClock(QAbstractEventDispatcher::instance());
  return thread_ms() - clock->begun_ms;
}

}  // namespace spira::ui
