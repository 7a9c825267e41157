// Stores thresholds that the user set instead of the thresholds of a profile. They are marked as set by the
// user, not as measured.
#pragma once

#include "engine/backend/plan.hpp"
#include "engine/tune/tuning_profile.hpp"

#include <string>

namespace spira {

/// Returns true if a layer of `plan` got its t from the profile of this name and has another t now.
[[nodiscard]] bool has_user_choices(const Plan& plan, const std::string& name);
/// Returns the profile with the user's thresholds. Returns it unchanged if it is of another network. Layers
/// of one shape are split if their t differs. Measurements of the plan as a whole (checks, regret of the
/// profile's choices) are removed, because they are of another plan.
[[nodiscard]] TuningProfile with_user_choices(TuningProfile profile, const Network& network, const Plan& plan,
                                              const std::string& name);

}  // namespace spira
