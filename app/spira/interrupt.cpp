#include "app/spira/program.hpp"

#include <atomic>
#include <chrono>
#include <csignal>
#include <thread>

namespace spira::app {
namespace {

// Must be lock-free, because a signal handler writes this value while another thread reads it.
std::atomic<int> last_signal = 0;
static_assert(std::atomic<int>::is_always_lock_free);

void note_signal(int number) {
  last_signal = number;
}

}  // namespace

std::stop_token interrupt_token() {
  std::signal(SIGINT, note_signal);
  std::signal(SIGTERM, note_signal);
  // nohup ignores SIGHUP, so the signal must stay ignored.
  if (std::signal(SIGHUP, note_signal) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);
  static std::stop_source source;
  static const std::jthread watcher([](const std::stop_token& closing) {
    while (!closing.stop_requested()) {
      if (last_signal != 0) source.request_stop();
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  });
  return source.get_token();
}

int interrupt_exit_code() noexcept {
  constexpr int shells_add = 128;
  return last_signal == 0 ? 0 : shells_add + last_signal;
}

}  // namespace spira::app
