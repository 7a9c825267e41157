// Formats a sweep as a plain text table, for `sweep` and `run --sweeps`.
#pragma once

#include "engine/tune/sweep.hpp"

#include <string>

namespace spira::app {

[[nodiscard]] std::string sweep_text(const Sweep& sweep);

}  // namespace spira::app
