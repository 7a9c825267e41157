#include "tests/bench/gui_watch.hpp"

#include <QAbstractEventDispatcher>
#include <QEvent>
#include <QMetaEnum>
#include <QOpenGLWidget>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>

namespace spira::ui {
namespace {

double wall_now_ms() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

double cpu_now_ms() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (static_cast<double>(now.tv_sec) * 1e3) + (static_cast<double>(now.tv_nsec) / 1e6);
}

/// Returns a text of the form "class: event". Must be called before the event is sent, because the event may
/// delete the receiver.
std::string name_of(const QObject* receiver, const QEvent* event) {
  const char* type = QMetaEnum::fromType<QEvent::Type>().valueToKey(event->type());
  std::string name = receiver->metaObject()->className();
  if (!receiver->objectName().isEmpty()) name += " " + receiver->objectName().toStdString();
  return name + ": " + (type != nullptr ? type : "?");
}

void print(const Turn& turn) {
  std::printf("    block of %.1f ms (CPU time %.1f ms):", turn.wall_ms, turn.cpu_ms);
  for (const auto& [what, ms] : turn.steps)
    std::printf("  %s %.1f", what.c_str(), ms);
  std::printf("\n");
}

}  // namespace

WatchedApplication::WatchedApplication(int& argc, char** argv) : QApplication(argc, argv) {
  QObject::connect(QAbstractEventDispatcher::instance(), &QAbstractEventDispatcher::awake, this,
                   [this] { begin_turn(); });
}

void WatchedApplication::begin_turn() {
  if (depth_ > 0) return;
  if (print_above_ms_ > 0 && turn_.wall_ms > print_above_ms_) print(turn_);
  if (turn_.cpu_ms > longest_.by_cpu.cpu_ms) longest_.by_cpu = turn_;
  if (turn_.wall_ms > longest_.by_wall.wall_ms) longest_.by_wall = std::move(turn_);
  turn_ = {};
}

void WatchedApplication::count(const std::string& what, double wall_ms, double cpu_ms) {
  constexpr double worth_a_word_ms = 1;
  turn_.wall_ms += wall_ms;
  turn_.cpu_ms += cpu_ms;
  if (wall_ms >= worth_a_word_ms) turn_.steps.emplace_back(what, wall_ms);
}

bool WatchedApplication::notify(QObject* receiver, QEvent* event) {
  const QEvent::Type type = event->type();
  const bool paints = type == QEvent::Paint;
  const bool frame = paints && qobject_cast<QOpenGLWidget*>(receiver) != nullptr;
  if (depth_ > 0 && !paints) return QApplication::notify(receiver, event);
  const std::string what = depth_ == 0 ? name_of(receiver, event) : std::string();
  if (depth_ == 0) aside_wall_ms_ = aside_cpu_ms_ = painted_wall_ms_ = painted_cpu_ms_ = 0;
  const double aside_before = aside_wall_ms_ + painted_wall_ms_;
  const double aside_cpu_before = aside_cpu_ms_ + painted_cpu_ms_;
  const double wall = wall_now_ms(), cpu = cpu_now_ms();
  ++depth_;
  const bool result = QApplication::notify(receiver, event);
  --depth_;
  const double wall_ms = wall_now_ms() - wall, cpu_ms = cpu_now_ms() - cpu;
  // Exclude child widgets, because their painting is already counted.
  if (paints) {
    const double inside = aside_wall_ms_ + painted_wall_ms_ - aside_before;
    const double inside_cpu = aside_cpu_ms_ + painted_cpu_ms_ - aside_cpu_before;
    (frame ? aside_wall_ms_ : painted_wall_ms_) += wall_ms - inside;
    (frame ? aside_cpu_ms_ : painted_cpu_ms_) += cpu_ms - inside_cpu;
  }
  if (depth_ > 0) return result;
  // For an update request, count only the painting of widgets. The remaining time is needed to compose the
  // picture of the window.
  if (paints || type == QEvent::UpdateRequest) {
    count(what, painted_wall_ms_, painted_cpu_ms_);
  } else {
    count(what, wall_ms - aside_wall_ms_, cpu_ms - aside_cpu_ms_);
  }
  return result;
}

WatchedApplication::Longest WatchedApplication::take_longest() {
  begin_turn();
  return std::exchange(longest_, {});
}

WatchedApplication& watch() {
  return *static_cast<WatchedApplication*>(QApplication::instance());
}

void as_step(const std::function<void()>& act) {
  QMetaObject::invokeMethod(qApp, act, Qt::QueuedConnection);
  QApplication::processEvents();
}

}  // namespace spira::ui
