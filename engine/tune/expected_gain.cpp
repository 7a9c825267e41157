#include "engine/map/kernel_offsets.hpp"
#include "engine/measure/statistics.hpp"
#include "engine/tune/tuning_profile.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace spira {
namespace {

/// Returns, for each round, the sum of the times of `plan` over all scenes, weighted with the weights of the
/// scenes. `rounds` must not exceed the number of rounds of any scene.
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

namespace {

bool graph_wins(const PlanCheck& check) {
  return !check.not_compiled.empty() && verdict(check.tuned.ms, check.one_graph.ms) == Verdict::faster;
}

}  // namespace

bool prefer_one_graph(TuningProfile& profile) {
  if (profile.checks.empty() || !std::all_of(profile.checks.begin(), profile.checks.end(), graph_wins))
    return false;
  for (TunedShape& tuned : profile.choices) {
    const int most = KernelOffsets(tuned.shape.kernel_size, 1).max_threshold();
    if (tuned.choice.why == ChoiceReason::only_setting || tuned.choice.threshold == most) continue;
    choose_instead(tuned.choice, most, ChoiceReason::one_graph);
  }
  for (PlanCheck& check : profile.checks)
    check.layer_picks = std::exchange(check.tuned, {});
  if (!profile.regret.empty())  // this regret is for choices of single layers, which are not used any more
    std::fill(profile.regret.back().begin(), profile.regret.back().end(), std::nullopt);
  return true;
}

}  // namespace spira
