// What the plan of a profile gains for the whole network, and how far the profile may be trusted with it.
#pragma once

#include "engine/tune/tuning_profile.hpp"

#include <optional>

namespace spira {

/// The tuned network over a plain one, of medians with their 95 % interval: all scenes that were checked,
/// added up by weight, round by round; of a scene alone all its samples. `plain`: all_output_stationary or
/// all_weight_stationary. Empty: not timed, or too few rounds.
[[nodiscard]] std::optional<MedianRatio> expected_gain(const TuningProfile& profile,
                                                       Samples PlanCheck::*plain);

/// The scene of a profile whose densities are the nearest to these.
struct NearestScene {
  int scene = 0;
  double distance = 0;  ///< density_distance()
};
/// Among the scenes that count; empty: the profile does not hold their densities.
[[nodiscard]] std::optional<NearestScene> nearest_scene(const TuningProfile& profile,
                                                        const SceneDensities& densities);

}  // namespace spira
