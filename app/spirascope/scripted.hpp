// Functions shared by scripted runs of the window: tests whether the window is at rest, and ends the program.
#pragma once

#include "engine/base/error.hpp"

namespace spira::ui {
class Application;
}

namespace spira::app {

/// Returns true if a scene, a report or a tuning profile is open.
[[nodiscard]] bool has_opened(ui::Application& app);
/// Returns true if nothing is being computed, compared or drawn: the window shows the final result.
[[nodiscard]] bool at_rest(ui::Application& app);
/// Detects by polling that the window is at rest. Work that is deferred by one or two frames starts within
/// three polls.
class Rest {
 public:
  explicit Rest(ui::Application* app) : app_(app) {}
  void begin() noexcept { polls_ = 0; }  ///< Must be called after each request to the window.
  /// Returns true if something is or was open, and the window has been at rest for the last three polls.
  [[nodiscard]] bool reached();

 private:
  ui::Application* app_;
  bool opened_ = false;
  int polls_ = 0;
};
constexpr int poll_ms = 40;
/// Prints one line to stderr and ends the program with the exit code of `error`.
void end_with(const Error& error);

}  // namespace spira::app
