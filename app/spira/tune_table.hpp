// Formats a tuning profile as plain text.
#pragma once

#include "engine/tune/tuning_profile.hpp"

#include <string>

namespace spira::app {

/// One row for each shape, then packing, regret, output check and gain.
[[nodiscard]] std::string tune_text(const TuningProfile& profile);

}  // namespace spira::app
