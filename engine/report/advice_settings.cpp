// Rules about thresholds, the maps that follow from them, and the profile that they come from.
#include "engine/base/text.hpp"
#include "engine/report/advice_rules.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace spira {
namespace {

using Thresholds = std::vector<std::pair<int, int>>;

/// What a row of a sweep sets: one layer, or all that can take it.
Thresholds thresholds_of(const AdviceFacts& facts, const Sweep& sweep, int t) {
  if (sweep.layer >= 0) return {{sweep.layer, t}};
  Plan plan = *plan_of(facts);
  set_threshold(plan, *facts.network, t);
  Thresholds all;
  for (int layer = 0; layer < static_cast<int>(plan.layers.size()); ++layer)
    all.emplace_back(layer, plan.layers[static_cast<std::size_t>(layer)].threshold);
  return all;
}

bool in_use(const Plan& plan, const Thresholds& thresholds) {
  return std::all_of(thresholds.begin(), thresholds.end(), [&](const auto& one) {
    return plan.layers.at(static_cast<std::size_t>(one.first)).threshold == one.second;
  });
}

/// t = max before t = 0 before hybrids: one map in one layout, without sums that meet.
int complexity_of(const Sweep& sweep, const SweepRow& row) {
  int highest = 0;
  for (const SweepRow& other : sweep.rows)
    highest = std::max(highest, other.threshold);
  if (row.threshold == highest) return 0;
  return row.threshold == 0 ? 1 : 2;
}

/// Enough samples, and they do not tell the two apart.
bool tied(const SweepRow& a, const SweepRow& b) {
  if (std::min(a.wall.ms.size(), b.wall.ms.size()) < fewest_samples_for_verdict) return false;
  const Verdict found = verdict(a.wall.ms, b.wall.ms);
  return found == Verdict::same || found == Verdict::undecided;
}

std::string median_text(const SweepRow& row) {
  const Statistics s = row.wall.stats();
  return row.label + " takes " + ms_text(s.median) + " (median of " + std::to_string(s.n) + ", IQR " +
         ms_text(s.iqr()) + ")";
}

Advice of_sweep(const AdviceFacts& facts, const Sweep& sweep, const SweepRow& now, const SweepRow& better) {
  Advice advice;
  advice.view = AdviceView::sweeps;
  advice.layer = sweep.layer;
  advice.change.thresholds = thresholds_of(facts, sweep, better.threshold);
  const std::string whom = sweep.layer >= 0 ? layer_name(facts, sweep.layer) : "all layers that can take it";
  advice.action = "use " + better.label + " for " + whom;
  advice.evidence = median_text(better) + ", " + median_text(now);
  return advice;
}

const TunedShape* choice_of(const TuningProfile& profile, const std::string& layer) {
  for (const TunedShape& shape : profile.choices) {
    if (std::find(shape.layers.begin(), shape.layers.end(), layer) != shape.layers.end()) return &shape;
  }
  return nullptr;
}

double extra_ms(const TunedShape& shape, int t) {
  for (const ThresholdCost& cost : shape.choice.costs) {
    if (cost.threshold == t) return cost.extra_ms;
  }
  return 0;
}

}  // namespace

void add_thresholds_of_sweep(const AdviceFacts& facts, AllAdvice& all) {
  const Plan* plan = plan_of(facts);
  if (facts.threshold_sweep == nullptr || plan == nullptr) return;
  const Sweep& sweep = *facts.threshold_sweep;
  const auto now = std::find_if(sweep.rows.begin(), sweep.rows.end(), [&](const SweepRow& row) {
    return row.why_not.empty() && in_use(*plan, thresholds_of(facts, sweep, row.threshold));
  });
  if (now == sweep.rows.end()) return;
  const SweepRow* fastest =
      sweep.fastest() < 0 ? nullptr : &sweep.rows[static_cast<std::size_t>(sweep.fastest())];
  if (fastest != nullptr && verdict(now->wall.ms, fastest->wall.ms) == Verdict::faster) {
    Advice advice = of_sweep(facts, sweep, *now, *fastest);
    advice.rule = AdviceRule::faster_threshold;
    advice.evidence += ": faster beyond noise";
    advice.gain = {GainKind::measured, now->wall.stats().median - fastest->wall.stats().median, 0};
    all.push_back(std::move(advice));
    return;
  }
  const SweepRow* simplest = &*now;
  for (const SweepRow& row : sweep.rows) {
    if (!row.why_not.empty() || complexity_of(sweep, row) >= complexity_of(sweep, *simplest)) continue;
    if (tied(*now, row)) simplest = &row;
  }
  if (simplest == &*now) return;
  Advice advice = of_sweep(facts, sweep, *now, *simplest);
  advice.rule = AdviceRule::simpler_threshold;
  advice.evidence += ": not to be told apart, and " + simplest->label + " is simpler";
  advice.gain = {GainKind::measured, 0, 0};
  all.push_back(std::move(advice));
}

void add_thresholds_of_profile(const AdviceFacts& facts, AllAdvice& all) {
  const Plan* plan = plan_of(facts);
  if (facts.profile == nullptr || facts.applied == nullptr || plan == nullptr) return;
  // Layers of one shape with one t in use make one sentence.
  std::map<std::pair<const TunedShape*, int>, std::vector<int>> groups;
  for (int layer = 0; layer < static_cast<int>(facts.network->layers.size()); ++layer) {
    const auto at = static_cast<std::size_t>(layer);
    const TunedShape* shape = choice_of(*facts.profile, facts.network->layers[at].name);
    const bool matches = at < facts.applied->why_not.size() && facts.applied->why_not[at].empty();
    if (shape == nullptr || !matches || shape->choice.why != ChoiceReason::fastest) continue;
    const int t = plan->layers[at].threshold;
    if (t != shape->choice.threshold && extra_ms(*shape, t) > 0) groups[{shape, t}].push_back(layer);
  }
  for (const auto& [group, layers] : groups) {
    const auto& [shape, t] = group;
    const double share = static_cast<double>(layers.size()) / static_cast<double>(shape->layers.size());
    Advice advice;
    advice.rule = AdviceRule::faster_threshold;
    advice.view = AdviceView::tuning;
    advice.layer = layers.front();
    for (const int layer : layers)
      advice.change.thresholds.emplace_back(layer, shape->choice.threshold);
    advice.action =
        "use t = " + std::to_string(shape->choice.threshold) + " for " + layer_names(facts, layers);
    advice.evidence = "on the scenes of the profile t = " + std::to_string(t) + " is slower beyond noise";
    // What all layers of the shape would gain was measured; a part of them gets its share by assumption.
    const bool all_of_shape = layers.size() == shape->layers.size();
    advice.gain = {all_of_shape ? GainKind::measured : GainKind::modelled, extra_ms(*shape, t) * share, 0};
    all.push_back(std::move(advice));
  }
}

namespace {

/// What this would gain here was not measured: the gains of a profile are of its own scenes and device.
void add_retuning(AllAdvice& all, const std::string& action, const std::string& evidence) {
  Advice advice;
  advice.rule = AdviceRule::other_profile;
  advice.view = AdviceView::tuning;
  advice.action = action;
  advice.evidence = evidence;
  all.push_back(std::move(advice));
}

}  // namespace

void add_other_profile(const AdviceFacts& facts, AllAdvice& all) {
  if (facts.applied == nullptr) return;
  const std::string note = facts.applied->density_note();
  if (!note.empty()) add_retuning(all, "tune on this scene too", note);
  if (!facts.applied->ignored.empty() && facts.applied->matched() > 0)
    add_retuning(all, "tune on this device", "the profile is taken all the same: " + facts.applied->ignored);
  const int layers = static_cast<int>(facts.applied->why_not.size()), matched = facts.applied->matched();
  if (matched == layers) return;
  std::vector<std::string> lines = facts.applied->lines(*facts.network);
  if (!note.empty()) lines.pop_back();  // it has advice of its own
  std::string evidence = lines.front();
  for (std::size_t at = 1; at < lines.size(); ++at)
    evidence += ";" + lines[at].substr(1);
  add_retuning(all, "tune on this scene and device", evidence);
}

void add_split_maps(const AdviceFacts& facts, AllAdvice& all) {
  if (facts.measurement == nullptr) return;
  const Measurement& m = *facts.measurement;
  const Levels levels = levels_of(*facts.network);
  struct Use {
    std::vector<int> layers;
    std::vector<int> built;  // each layer that had to build the map once more
    std::set<int> thresholds;
  };
  std::map<MapKey, Use> uses;
  for (int layer = 0; layer < static_cast<int>(m.layers.size()); ++layer) {
    const auto at = static_cast<std::size_t>(layer);
    if (levels.layers[at].transposed) continue;  // it can only be weight-stationary
    Use& use = uses[levels.layers[at].map];
    use.layers.push_back(layer);
    use.thresholds.insert(m.plan.layers[at].threshold);
    if (!m.layers[at].map_shared) use.built.push_back(layer);
  }
  for (const auto& [key, use] : uses) {
    if (use.thresholds.size() < 2 || use.built.size() < 2) continue;
    double again_ms = 0;
    for (std::size_t at = 1; at < use.built.size(); ++at)
      again_ms += named_stages_ms(m.layers[static_cast<std::size_t>(use.built[at])].stages, "map");
    Advice advice;
    advice.rule = AdviceRule::split_maps;
    advice.layer = use.built[1];
    advice.stage = stage_of("map", layer_name(facts, use.built[1]));
    advice.action = "try one t for the " + std::to_string(use.layers.size()) + " layers of this map";
    advice.evidence = "the map of " + layer_names(facts, use.layers) + " is built " +
                      std::to_string(use.built.size()) + " times, for " +
                      std::to_string(use.thresholds.size()) + " thresholds; building it again takes " +
                      ms_text(again_ms) + ", and what features gain by it is not in this figure";
    advice.gain = {GainKind::modelled, again_ms, 0};
    all.push_back(std::move(advice));
  }
}

void add_post_processing(const AdviceFacts& facts, AllAdvice& all) {
  constexpr double large_part = 0.25;
  if (facts.measurement == nullptr) return;
  const Measurement& m = *facts.measurement;
  const Levels levels = levels_of(*facts.network);
  for (int layer = 0; layer < static_cast<int>(m.layers.size()); ++layer) {
    const auto at = static_cast<std::size_t>(layer);
    const double whole = m.layers[at].stages.sum_of_tops_ms();
    const double post =
        named_stages_ms(m.layers[at].stages, "transpose") + named_stages_ms(m.layers[at].stages, "filter");
    if (levels.layers[at].transposed || whole <= 0 || post <= large_part * whole) continue;
    const int highest = feasible_thresholds(facts.network->layers[at]).back();
    const bool hybrid = m.plan.layers[at].threshold != highest;
    Advice advice;
    advice.rule = AdviceRule::post_processing;
    advice.layer = layer;
    advice.stage = stage_of("map", layer_name(facts, layer));
    advice.evidence = "transposing and filtering its map take " + ms_text(post) + " of the " +
                      ms_text(whole) + " of " + layer_name(facts, layer) + " (" +
                      percent_text(post / whole, 0) + ")";
    advice.action = hybrid ? "use t = " + std::to_string(highest) + " for " + layer_name(facts, layer) +
                                 ", which needs no lists of pairs"
                           : "use the z-run layout for " + layer_name(facts, layer);
    if (hybrid) advice.change.thresholds = {{layer, highest}};
    advice.gain = {GainKind::modelled, post, 0};
    all.push_back(std::move(advice));
  }
}

}  // namespace spira
