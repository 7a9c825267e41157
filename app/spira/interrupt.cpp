#include "app/spira/interrupt.hpp"

#include <atomic>
#include <chrono>
#include <csignal>
#include <thread>

namespace spira::app {
namespace {

// Without locks, so that a signal handler may write it while the watcher reads.
std::atomic<bool> interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free);

void note_signal(int) {
  interrupted = true;
}

}  // namespace

std::stop_token interrupt_token() {
  std::signal(SIGINT, note_signal);
  std::signal(SIGTERM, note_signal);
  static std::stop_source source;
  static const std::jthread watcher([](const std::stop_token& closing) {
    while (!closing.stop_requested()) {
      if (interrupted) source.request_stop();
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  });
  return source.get_token();
}

}  // namespace spira::app
