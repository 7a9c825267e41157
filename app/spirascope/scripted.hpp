// Functions for scripted runs of the window. They detect that the window has finished all work, run commands,
// and end the program.
#pragma once

#include "engine/base/error.hpp"

#include <QObject>

#include <deque>
#include <string>
#include <vector>

namespace spira::ui {
class Application;
}

namespace spira::app {

/// Returns true if a scene, a report or a tuning profile is open.
[[nodiscard]] bool has_opened(ui::Application& app);
/// Returns true if the window shows its final result, because nothing is being computed, compared or drawn.
[[nodiscard]] bool at_rest(ui::Application& app);
/// Detects by polling that the window has finished all work. Waits for three polls, because deferred work
/// starts one or two frames later.
class Rest {
 public:
  explicit Rest(ui::Application* app) : app_(app) {}
  void begin() noexcept { polls_ = 0; }  ///< Must be called after each request to the window.
  /// Returns true if a document is or was open, and at_rest() returned true in the last three polls.
  [[nodiscard]] bool reached();

 private:
  ui::Application* app_;
  bool opened_ = false;
  int polls_ = 0;
};
constexpr int poll_ms = 40;
/// Prints one line to stderr and ends the program with the exit code of `error`.
void end_with(const Error& error);

/// Runs the commands of --command, one after another. Each command starts after the window has finished all
/// work.
class GivenCommands : public QObject {
  Q_OBJECT
 public:
  /// Throws Error(usage) if a command id does not exist.
  GivenCommands(ui::Application* app, const std::vector<std::string>& ids, QObject* parent);
  void start();
  [[nodiscard]] bool empty() const noexcept { return left_.empty(); }

 signals:
  /// Emitted if a command cannot run at the moment. The error contains the reason.
  void refused(const spira::Error& error);

 private:
  void poll();

  ui::Application* app_;
  Rest rest_;
  std::deque<std::string> left_;
};

}  // namespace spira::app
