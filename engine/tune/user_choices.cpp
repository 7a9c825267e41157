
#include "engine/tune/apply_profile.hpp"

#include <algorithm>

namespace spira {
namespace {

bool set_by_hand(const Plan& plan, std::size_t layer, const std::string& name) {
  if (layer >= plan.threshold_sources.size()) return false;
  const ThresholdSource& source = plan.threshold_sources[layer];
  return source.name.starts_with("profile:" + name) && source.threshold != plan.layers[layer].threshold;
}

void set_by_hand(TuningProfile& profile, const std::string& layer, const LayerShape& shape, int threshold) {
  const TunedShape* found = choice_for(profile, layer, shape);
  if (found == nullptr || found->choice.threshold == threshold) return;
  const auto at = static_cast<std::size_t>(found - profile.choices.data());
  TunedShape by_hand = profile.choices[at];
  std::erase(profile.choices[at].layers, layer);
  by_hand.layers = {layer};
  choose_instead(by_hand.choice, threshold, ChoiceReason::user);
  const auto same = std::find_if(profile.choices.begin(), profile.choices.end(), [&](const TunedShape& one) {
    return one.shape == shape && one.choice.why == ChoiceReason::user && one.choice.threshold == threshold &&
           !one.layers.empty();
  });
  if (same != profile.choices.end()) {
    same->layers.push_back(layer);
  } else {
    profile.choices.insert(profile.choices.begin() + static_cast<std::ptrdiff_t>(at) + 1, std::move(by_hand));
  }
  std::erase_if(profile.choices, [](const TunedShape& one) { return one.layers.empty(); });
}

}  // namespace

bool has_user_choices(const Plan& plan, const std::string& name) {
  for (std::size_t layer = 0; layer < plan.layers.size(); ++layer) {
    if (set_by_hand(plan, layer, name)) return true;
  }
  return false;
}

TuningProfile with_user_choices(TuningProfile profile, const Network& network, const Plan& plan,
                                const std::string& name) {
  if (!has_user_choices(plan, name) || profile.network_fingerprint != fingerprint_of(network)) return profile;
  const Levels levels = levels_of(network);
  for (std::size_t at = 0; at < network.layers.size(); ++at) {
    if (!set_by_hand(plan, at, name)) continue;
    const Layer& layer = network.layers[at];
    set_by_hand(profile, layer.name, shape_of(layer, levels.layers[at]), plan.layers[at].threshold);
  }
  profile.checks.clear();
  if (!profile.regret.empty())
    std::fill(profile.regret.back().begin(), profile.regret.back().end(), std::nullopt);
  return profile;
}

}  // namespace spira
