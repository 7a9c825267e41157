// Rules for advice about thresholds, the kernel maps that these thresholds need, and the tuning profile that
// contains the thresholds.
#include "engine/backend/dataflow.hpp"
#include "engine/base/text.hpp"
#include "engine/report/advice/advice_rules.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace spira {
namespace {

using Thresholds = std::vector<std::pair<int, int>>;

/// Returns the thresholds that a row of a sweep sets, for one layer or for all layers that support t.
Thresholds thresholds_of(const AdviceFacts& facts, const Sweep& sweep, int t) {
  if (sweep.layer >= 0) return {{sweep.layer, t}};
  Plan plan = *plan_of(facts);
  set_threshold(plan, *facts.network, t);
  Thresholds all;
  for (int layer = 0; layer < static_cast<int>(plan.layers.size()); ++layer)
    all.emplace_back(layer, plan.layers[static_cast<std::size_t>(layer)].threshold);
  return all;
}

bool in_use(const Network& network, const Plan& plan, const Thresholds& thresholds) {
  return std::all_of(thresholds.begin(), thresholds.end(), [&](const auto& one) {
    const auto at = static_cast<std::size_t>(one.first);
    return setting_of(network.layers.at(at), plan.layers.at(at)) == one.second;
  });
}

std::string median_text(const SweepRow& row) {
  const Statistics s = row.wall.stats();
  return row.label + " takes " + ms_text(s.median) + " (median of " + counted_text(s.n, "sample", "samples") +
         ", IQR " + ms_text(s.iqr()) + ")";
}

Advice of_sweep(const AdviceFacts& facts, const Sweep& sweep, const SweepRow& now, const SweepRow& better) {
  Advice advice;
  advice.view = AdviceView::sweeps;
  advice.layer = sweep.layer;
  advice.change.thresholds = thresholds_of(facts, sweep, better.threshold);
  const std::string whom = sweep.layer >= 0 ? layer_name(facts, sweep.layer) : "all layers that support it";
  advice.action = "use " + better.label + " for " + whom;
  advice.evidence = median_text(better) + ", " + median_text(now);
  return advice;
}

Verdict verdict_on(const SweepRow& now, const SweepRow& other) {
  return verdict(now.wall.ms, other.wall.ms);
}

const SweepRow* fastest_of(const Sweep& sweep) {
  return &sweep.rows[static_cast<std::size_t>(sweep.fastest())];
}

/// Returns the row that should replace `now`, or `nullptr` if there is none. The row of Sweep::pick() can be
/// slower than `now` or not significantly faster, because it may only be tied with the fastest row. Therefore
/// the function compares it with `now`.
const SweepRow* better_than(const Sweep& sweep, const SweepRow& now) {
  const int pick = sweep.pick();
  if (pick < 0) return nullptr;
  const SweepRow* better = &sweep.rows[static_cast<std::size_t>(pick)];
  if (better == &now) return nullptr;
  if (now.standing == "tied") return verdict_on(now, *better) == Verdict::slower ? nullptr : better;
  return verdict_on(now, *better) == Verdict::faster ? better : fastest_of(sweep);
}

/// Corrects the gain of a new t for a layer whose maps are also used by other layers. The sweep of a layer
/// builds a map for each t, but the network builds each map only once. Therefore a map that other layers
/// already use costs nothing. Removing the current map saves no time if other layers still use it. Returns
/// false if no gain is left.
bool count_shared_maps(const AdviceFacts& facts, const SweepRow& now, const SweepRow& better,
                       Advice& advice) {
  const Plan& plan = *plan_of(facts);
  const Levels levels = levels_of(*facts.network);
  const auto layer = static_cast<std::size_t>(advice.layer);
  LayerPlan changed = plan.layers.at(layer);
  changed.set_threshold(better.threshold);
  const MapUse use_now = map_use(levels.layers[layer], plan.layers[layer]);
  const MapUse use_then = map_use(levels.layers[layer], changed);
  bool stays = false, is_there = false;
  for (std::size_t at = 0; at < levels.layers.size(); ++at) {
    if (at == layer) continue;
    stays = stays || map_use(levels.layers[at], plan.layers.at(at)) == use_now;
    is_there = is_there || map_use(levels.layers[at], plan.layers.at(at)) == use_then;
  }
  if (!stays && !is_there) return true;
  const double built_ms = better.stages.maps_ms();
  advice.gain.kind = GainKind::modelled;
  if (stays) advice.gain.ms -= now.stages.maps_ms();
  if (is_there) advice.gain.ms += built_ms;
  if (is_there) {
    advice.evidence += "; other layers already use the map of " + better.label;
  } else {
    advice.evidence += "; other layers keep the map of " + now.label + ", so the map of " + better.label +
                       " is built in addition" + (built_ms > 0 ? " (" + ms_text(built_ms) + ")" : "");
  }
  advice.gain.ms = std::max(0.0, advice.gain.ms);
  return advice.gain.ms > 0 || (is_there && advice.rule == AdviceRule::simpler_threshold);
}

const TunedShape* choice_of(const TuningProfile& profile, const std::string& layer) {
  for (const TunedShape& shape : profile.choices) {
    if (std::find(shape.layers.begin(), shape.layers.end(), layer) != shape.layers.end()) return &shape;
  }
  return nullptr;
}

double extra_ms(const TunedShape& shape, const LayerSetting& setting) {
  for (const MeasuredCost& cost : shape.choice.costs) {
    if (cost.setting == setting) return cost.extra_ms;
  }
  return 0;
}

}  // namespace

void add_thresholds_of_sweep(const AdviceFacts& facts, AllAdvice& all) {
  const Plan* plan = plan_of(facts);
  if (facts.threshold_sweep == nullptr || plan == nullptr) return;
  const Sweep& sweep = *facts.threshold_sweep;
  const auto now = std::find_if(sweep.rows.begin(), sweep.rows.end(), [&](const SweepRow& row) {
    return row.why_not.empty() && in_use(*facts.network, *plan, thresholds_of(facts, sweep, row.threshold));
  });
  if (now == sweep.rows.end() || now->wall.ms.empty()) return;
  const SweepRow* better = better_than(sweep, *now);
  if (better == nullptr) return;
  Advice advice = of_sweep(facts, sweep, *now, *better);
  const bool tied = now->standing == "tied";
  if (tied && verdict_on(*now, *better) != Verdict::faster) {
    advice.rule = AdviceRule::simpler_threshold;
    advice.evidence += ": tied, and " + better->label + " is simpler";
    advice.gain = {GainKind::measured, 0, 0};
  } else {
    advice.rule = AdviceRule::faster_threshold;
    const bool simplest = !tied && better != fastest_of(sweep);
    advice.evidence += simplest ? ": " + now->label + " is significantly slower than the fastest, and " +
                                      better->label + " is the simplest setting that is tied with the fastest"
                                : ": significantly faster";
    advice.gain = {GainKind::measured, now->wall.stats().median - better->wall.stats().median, 0};
  }
  if (sweep.layer < 0 || count_shared_maps(facts, *now, *better, advice)) all.push_back(std::move(advice));
}

void add_thresholds_of_profile(const AdviceFacts& facts, AllAdvice& all) {
  const Plan* plan = plan_of(facts);
  if (facts.profile == nullptr || facts.applied == nullptr || plan == nullptr) return;
  // Combine layers with the same shape and the same current t into one piece of advice.
  std::map<std::pair<const TunedShape*, int>, std::vector<int>> groups;
  for (int layer = 0; layer < static_cast<int>(facts.network->layers.size()); ++layer) {
    const auto at = static_cast<std::size_t>(layer);
    const TunedShape* shape = choice_of(*facts.profile, facts.network->layers[at].name);
    const bool matches = at < facts.applied->why_not.size() && facts.applied->why_not[at].empty();
    if (shape == nullptr || !matches || shape->choice.why != ChoiceReason::fastest) continue;
    const LayerSetting now = setting_of(facts.network->layers[at], plan->layers[at]);
    // Advice changes thresholds only.
    if (!now.is_threshold() || !shape->choice.setting.is_threshold() || now == shape->choice.setting)
      continue;
    if (extra_ms(*shape, now) > 0) groups[{shape, now.threshold}].push_back(layer);
  }
  for (const auto& [group, layers] : groups) {
    const auto& [shape, t] = group;
    const double share = static_cast<double>(layers.size()) / static_cast<double>(shape->layers.size());
    Advice advice;
    advice.rule = AdviceRule::faster_threshold;
    advice.view = AdviceView::tuning;
    advice.layer = layers.front();
    for (const int layer : layers)
      advice.change.thresholds.emplace_back(layer, shape->choice.setting.threshold);
    advice.action =
        "use t = " + std::to_string(shape->choice.setting.threshold) + " for " + layer_names(facts, layers);
    advice.evidence = "t = " + std::to_string(t) + " is significantly slower on the scenes of the profile";
    // The gain was measured for all layers of the shape together. If only some of them change, assume a
    // proportional share.
    const bool all_of_shape = layers.size() == shape->layers.size();
    advice.gain = {all_of_shape ? GainKind::measured : GainKind::modelled, extra_ms(*shape, t) * share, 0};
    all.push_back(std::move(advice));
  }
}

namespace {

/// Adds advice with an unknown gain to `all`. The gain is unknown because a profile contains gains for its
/// own scenes and device only.
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
    add_retuning(all, "tune on this device", "the profile is used although " + facts.applied->ignored);
  const int layers = static_cast<int>(facts.applied->why_not.size()), matched = facts.applied->matched();
  if (matched == layers) return;
  std::vector<std::string> lines = facts.applied->lines(*facts.network);
  if (!note.empty()) lines.pop_back();  // The last line repeats the note.
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
    std::vector<int> built;  // The layers that build this map.
    std::set<int> thresholds;
  };
  std::map<MapKey, Use> uses;
  for (int layer = 0; layer < static_cast<int>(m.layers.size()); ++layer) {
    const auto at = static_cast<std::size_t>(layer);
    if (levels.layers[at].transposed) continue;  // Transposed layers support only weight-stationary.
    Use& use = uses[levels.layers[at].map];
    use.layers.push_back(layer);
    use.thresholds.insert(m.plan.layers[at].threshold);
    if (!m.layers[at].map_shared) use.built.push_back(layer);
  }
  for (const auto& [key, use] : uses) {
    if (use.thresholds.size() < 2 || use.built.size() < 2) continue;
    double again_ms = 0;
    for (std::size_t at = 1; at < use.built.size(); ++at)
      again_ms += m.layers[static_cast<std::size_t>(use.built[at])].stages.maps_ms();
    Advice advice;
    advice.rule = AdviceRule::split_maps;
    advice.layer = use.built[1];
    advice.action =
        "try the same t for the " + std::to_string(use.layers.size()) + " layers that use this map";
    advice.evidence = "the map of " + layer_names(facts, use.layers) + " is built " +
                      std::to_string(use.built.size()) + " times, for " +
                      std::to_string(use.thresholds.size()) + " thresholds; the additional builds take " +
                      ms_text(again_ms) + "; the gain does not include changes of the feature times";
    advice.gain = {GainKind::modelled, again_ms, 0};
    all.push_back(std::move(advice));
  }
}

namespace {

/// Returns the total time of all stages that transpose, filter or reorder a map, at any depth of the tree,
/// in milliseconds.
double post_processing_ms(const StageTree& stages) {
  double sum = 0;
  for (int node = 0; node < static_cast<int>(stages.nodes.size()); ++node) {
    const StageGroup group = stages.key(node).group();
    if (group == StageGroup::transpose || group == StageGroup::filter || group == StageGroup::order)
      sum += stages.median_ms(node);
  }
  return sum;
}

}  // namespace

void add_post_processing(const AdviceFacts& facts, AllAdvice& all) {
  constexpr double large_part = 0.25;
  if (facts.measurement == nullptr) return;
  const Measurement& m = *facts.measurement;
  const Levels levels = levels_of(*facts.network);
  for (int layer = 0; layer < static_cast<int>(m.layers.size()); ++layer) {
    const auto at = static_cast<std::size_t>(layer);
    const double whole = m.layers[at].stages.sum_of_tops_ms();
    const double post = post_processing_ms(m.layers[at].stages);
    // The user selected a dataflow of another system, so its map has no better layout.
    const bool other_system =
        m.plan.layers[at].splits > 0 || m.plan.layers[at].method != FeatureMethod::by_layout;
    // The maps of native layers have no other layout than pair lists.
    if (other_system || levels.layers[at].map.kernel.native()) continue;
    if (levels.layers[at].transposed || whole <= 0 || post <= large_part * whole) continue;
    const int highest = feasible_thresholds(facts.network->layers[at]).back();
    const bool hybrid = m.plan.layers[at].threshold != highest;
    // The suggested setting, t = max with z-runs, still needs the "order" stage.
    const double spared = post - named_stages_ms(m.layers[at].stages, "order");
    if (spared <= 0 || (!hybrid && m.plan.layers[at].dense_layout == MapLayout::z_runs)) continue;
    Advice advice;
    advice.rule = AdviceRule::post_processing;
    advice.layer = layer;
    advice.evidence = "post-processing of the kernel map takes " + ms_text(post) + " of the " +
                      ms_text(whole) + " of " + layer_name(facts, layer) + " (" +
                      percent_text(post / whole, 0) + ")";
    advice.action = hybrid ? "use t = " + std::to_string(highest) + " for " + layer_name(facts, layer) +
                                 ", which needs no pair lists"
                           : "use the z-run layout for " + layer_name(facts, layer);
    if (hybrid) advice.change.thresholds = {{layer, highest}};
    advice.gain = {GainKind::modelled, spared, 0};
    all.push_back(std::move(advice));
  }
}

}  // namespace spira
