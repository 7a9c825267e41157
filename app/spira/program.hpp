// All commands and options of `spira`, declared once for main, the man pages and the completions.
#pragma once

#include "app/spira/options.hpp"

namespace spira::app {

/// Adds all commands and their options to `program`. `context` must outlive `program`.
void declare(CLI::App& program, Context& context);

}  // namespace spira::app
