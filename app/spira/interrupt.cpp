#include "app/spira/interrupt.hpp"

#include <chrono>
#include <csignal>
#include <thread>

namespace spira::app {
namespace {

volatile std::sig_atomic_t interrupted = 0;  // the only thing that a signal handler may touch

void note_signal(int) {
  interrupted = 1;
}

}  // namespace

std::stop_token interrupt_token() {
  std::signal(SIGINT, note_signal);
  std::signal(SIGTERM, note_signal);
  static std::stop_source source;
  static const std::jthread watcher([](const std::stop_token& closing) {
    while (!closing.stop_requested()) {
      if (interrupted != 0) source.request_stop();
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  });
  return source.get_token();
}

}  // namespace spira::app
