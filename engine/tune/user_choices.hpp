// Thresholds that a person set over those of a profile, taken into the profile: said to be so, not measured.
#pragma once

#include "engine/backend/plan.hpp"
#include "engine/tune/tuning_profile.hpp"

#include <string>

namespace spira {

/// Layers of `plan` took their t from the profile of this name, and have another one now.
[[nodiscard]] bool has_user_choices(const Plan& plan, const std::string& name);
/// The profile with them, unless it is of another network. Layers of one shape are parted where their t is
/// not the same. What was measured of the plan as a whole (checks, regret of the profile's picks) goes: it
/// was of another plan.
[[nodiscard]] TuningProfile with_user_choices(TuningProfile profile, const Network& network, const Plan& plan,
                                              const std::string& name);

}  // namespace spira
