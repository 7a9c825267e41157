// What runs of the window without a person have in common: when it is at rest, and how they end.
#pragma once

#include "engine/base/error.hpp"

namespace spira::ui {
class MainWindow;
}

namespace spira::app {

/// Something is open: a scene, a report or a tuning profile.
[[nodiscard]] bool has_opened(ui::MainWindow& window);
/// Nothing is computed, compared or drawn any more: the window shows what was asked of it.
[[nodiscard]] bool at_rest(ui::MainWindow& window);
/// Asked from poll to poll. What put its work off by a frame or two has begun it within three of them.
class Rest {
 public:
  explicit Rest(ui::MainWindow* window) : window_(window) {}
  void begin() noexcept { polls_ = 0; }  ///< something was asked of the window
  /// Something is open, or was, and the window is at rest since some polls.
  [[nodiscard]] bool reached();

 private:
  ui::MainWindow* window_;
  bool opened_ = false;
  int polls_ = 0;
};
constexpr int poll_ms = 40;
/// A line on stderr, and the end of the program with the exit code of the fault.
void end_with(const Error& error);

}  // namespace spira::app
