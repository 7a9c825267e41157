// Watches the GUI thread of a bench: how long a turn of its event loop takes without drawing, and what in it.
#pragma once

#include <QApplication>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace spira::ui {

/// Own work of a turn of the event loop. Not in it: VTK's frame, and what Qt does to put the picture of the
/// window together after its widgets have painted (both are OpenGL, on software here).
struct Turn {
  double wall_ms = 0;
  double cpu_ms = 0;  ///< of the GUI thread: what other processes took away is not in it
  std::vector<std::pair<std::string, double>> steps;  ///< "class: event" and its wall time, those that count
};

class WatchedApplication : public QApplication {
 public:
  WatchedApplication(int& argc, char** argv);
  bool notify(QObject* receiver, QEvent* event) override;

  /// The longest turn since the last call, with that which took most processor time.
  struct Longest {
    Turn by_wall, by_cpu;
  };
  Longest take_longest();
  /// Prints each turn that takes longer; 0: none.
  void print_above(double ms) { print_above_ms_ = ms; }

 private:
  void begin_turn();
  void count(const std::string& what, double wall_ms, double cpu_ms);

  Turn turn_;
  Longest longest_;
  double print_above_ms_ = 0;
  int depth_ = 0;
  double aside_wall_ms_ = 0, aside_cpu_ms_ = 0;      // drawn inside of the step that runs
  double painted_wall_ms_ = 0, painted_cpu_ms_ = 0;  // by widgets inside of it
};

[[nodiscard]] WatchedApplication& watch();

/// As a step of the event loop, so that it is watched like what a user does.
void as_step(const std::function<void()>& act);

}  // namespace spira::ui
