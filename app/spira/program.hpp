// Declares all commands and options of `spira` for main(), the man pages and the completions. Also handles
// the signals that end the program.
#pragma once

#include "app/spira/options.hpp"

#include <stop_token>

namespace spira::app {

/// Adds all commands and their options to `program`. `context` must outlive `program`.
void declare(CLI::App& program, Context& context);

/// Installs the handlers of SIGINT, SIGTERM and SIGHUP. Returns a token that is stopped within 20 ms after a
/// signal.
[[nodiscard]] std::stop_token interrupt_token();

/// Returns 128 plus the number of the last signal, which is the exit code that shells expect. Returns 0 if
/// there was no signal.
[[nodiscard]] int interrupt_exit_code() noexcept;

}  // namespace spira::app
