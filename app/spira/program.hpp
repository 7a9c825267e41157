// All that `spira` understands, declared once: parsed by main, written down as man pages and completions.
#pragma once

#include "app/spira/options.hpp"

namespace spira::app {

/// Options of every command, and the commands. `context` outlives `program`.
void declare(CLI::App& program, Context& context);

}  // namespace spira::app
