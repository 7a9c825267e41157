// A sweep as a plain text table: what `sweep` and `run --sweeps` share.
#pragma once

#include "engine/tune/sweep.hpp"

#include <string>

namespace spira::app {

[[nodiscard]] std::string sweep_text(const Sweep& sweep);

}  // namespace spira::app
