// The program `spira`: declares all commands and options for main(), the man pages and the completions, and
// handles the signals that end the program.
#pragma once

#include "app/spira/options.hpp"

#include <stop_token>

namespace spira::app {

/// Adds all commands and their options to `program`. `context` must outlive `program`.
void declare(CLI::App& program, Context& context);

/// Installs the handlers of SIGINT, SIGTERM and SIGHUP. The token is stopped within 20 ms of a signal.
[[nodiscard]] std::stop_token interrupt_token();

/// Returns 128 plus the number of the last signal, as shells report it; 0 before the first signal.
[[nodiscard]] int interrupt_exit_code() noexcept;

}  // namespace spira::app
