// Ctrl-C as a stop token: work ends at its next checkpoint, and the program with exit code 130.
#pragma once

#include <stop_token>

namespace spira::app {

/// Installs the handlers of SIGINT and SIGTERM. The token is stopped within 20 ms of a signal.
[[nodiscard]] std::stop_token interrupt_token();

}  // namespace spira::app
