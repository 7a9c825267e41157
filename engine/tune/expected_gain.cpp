#include "engine/tune/expected_gain.hpp"

#include <algorithm>
#include <limits>

namespace spira {
namespace {

/// Returns the weighted sums of all scenes, round by round. `rounds` must not exceed the rounds of any scene.
std::vector<double> summed(const TuningProfile& profile, Samples PlanCheck::*plan, std::size_t rounds) {
  std::vector<double> sums(rounds, 0.0);
  for (const PlanCheck& check : profile.checks) {
    const double weight = profile.scenes.at(static_cast<std::size_t>(check.scene)).weight;
    const std::vector<double>& ms = (check.*plan).ms;
    if (ms.empty() || !(weight > 0)) continue;
    for (std::size_t round = 0; round < rounds; ++round)
      sums[round] += weight * ms[round];
  }
  return sums;
}

}  // namespace

std::optional<MedianRatio> expected_gain(const TuningProfile& profile, Samples PlanCheck::*plain) {
  std::vector<const PlanCheck*> counting;
  std::size_t rounds = std::numeric_limits<std::size_t>::max();
  for (const PlanCheck& check : profile.checks) {
    const bool counts = profile.scenes.at(static_cast<std::size_t>(check.scene)).weight > 0;
    if (!counts || check.tuned.ms.empty()) continue;
    counting.push_back(&check);
    rounds = std::min({rounds, check.tuned.ms.size(), (check.*plain).ms.size()});
  }
  if (counting.empty()) return std::nullopt;
  if (counting.size() == 1) return median_ratio((counting.front()->*plain).ms, counting.front()->tuned.ms);
  return median_ratio(summed(profile, plain, rounds), summed(profile, &PlanCheck::tuned, rounds));
}

std::optional<NearestScene> nearest_scene(const TuningProfile& profile, const SceneDensities& densities) {
  std::optional<NearestScene> nearest;
  for (std::size_t at = 0; at < profile.scenes.size(); ++at) {
    const TunedScene& scene = profile.scenes[at];
    if (!scene.densities || !(scene.weight > 0)) continue;
    const double distance = density_distance(*scene.densities, densities);
    if (!nearest || distance < nearest->distance) nearest = {static_cast<int>(at), distance};
  }
  return nearest;
}

}  // namespace spira
