// Ctrl-C as a stop token: work ends at its next checkpoint, and the program ends with exit code 130.
#pragma once

#include <stop_token>

namespace spira::app {

/// Installs the handlers of SIGINT, SIGTERM and SIGHUP. The token is stopped within 20 ms of a signal.
[[nodiscard]] std::stop_token interrupt_token();

/// Returns 128 plus the number of the last signal, as shells report it; 0 before the first signal.
[[nodiscard]] int interrupt_exit_code() noexcept;

}  // namespace spira::app
