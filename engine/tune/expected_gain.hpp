// Expected gain of a profile's plan for the whole network, and the distance of a scene to the scenes of the
// profile.
#pragma once

#include "engine/tune/tuning_profile.hpp"

#include <optional>

namespace spira {

/// Returns the ratio of the medians of the tuned network and a plain network, with its 95 % interval. The
/// times of all checked scenes are added round by round, weighted by scene. If only one scene was checked,
/// all its samples are used. `plain` must be all_output_stationary or all_weight_stationary. Returns an empty
/// value if the plans were not timed or have too few rounds.
[[nodiscard]] std::optional<MedianRatio> expected_gain(const TuningProfile& profile,
                                                       Samples PlanCheck::*plain);

/// Scene of a profile with the nearest densities.
struct NearestScene {
  int scene = 0;
  double distance = 0;  ///< density_distance()
};
/// Considers scenes with a positive weight. Returns an empty value if the profile does not contain their
/// densities.
[[nodiscard]] std::optional<NearestScene> nearest_scene(const TuningProfile& profile,
                                                        const SceneDensities& densities);

}  // namespace spira
