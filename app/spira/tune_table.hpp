// A tuning profile as plain text.
#pragma once

#include "engine/tune/tuning_profile.hpp"

#include <string>

namespace spira::app {

/// One row a shape, then packing, regret, check and gain.
[[nodiscard]] std::string tune_text(const TuningProfile& profile);

}  // namespace spira::app
