// Measures the duration of each event-loop iteration of the GUI thread, excluding drawing. Also records which
// events the iteration processes.
#pragma once

#include <QApplication>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace spira::ui {

/// The work of one event-loop iteration. Does not include the time in which VTK renders a frame, or the time
/// in which Qt composes the window from its painted widgets. Both use OpenGL, which the measuring machine
/// runs in software.
struct Turn {
  double wall_ms = 0;
  double cpu_ms = 0;  ///< CPU time of the GUI thread. It is not affected by other processes.
  /// Pairs of "class: event" and wall time in milliseconds, for events of 1 ms or more.
  std::vector<std::pair<std::string, double>> steps;
};

class WatchedApplication : public QApplication {
 public:
  WatchedApplication(int& argc, char** argv);
  bool notify(QObject* receiver, QEvent* event) override;

  /// The iterations with the longest wall time and the longest CPU time since the last call of
  /// take_longest().
  struct Longest {
    Turn by_wall, by_cpu;
  };
  Longest take_longest();
  /// Prints each iteration that takes longer than `ms`. 0 disables printing.
  void print_above(double ms) { print_above_ms_ = ms; }

 private:
  void begin_turn();
  void count(const std::string& what, double wall_ms, double cpu_ms);

  Turn turn_;
  Longest longest_;
  double print_above_ms_ = 0;
  int depth_ = 0;
  // Time of drawing frames while the current event was processed.
  double aside_wall_ms_ = 0, aside_cpu_ms_ = 0;
  // Time of painting widgets while the current event was processed.
  double painted_wall_ms_ = 0, painted_cpu_ms_ = 0;
};

[[nodiscard]] WatchedApplication& watch();

/// Runs `act` from the event loop, so that it is measured like a user action.
void as_step(const std::function<void()>& act);

}  // namespace spira::ui
