// Computes the choices of a profile from its measured times: settings, packing and regret.

#include "engine/backend/plan.hpp"
#include "engine/base/error.hpp"
#include "engine/base/hash_and_random.hpp"
#include "engine/map/kernel_offsets.hpp"
#include "engine/measure/statistics.hpp"
#include "engine/tune/map_groups.hpp"
#include "engine/tune/tuning_profile.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <span>
#include <utility>

namespace spira {
namespace {

/// Returns weights for the scenes: 1 for one scene, and 0 for all other scenes.
std::vector<double> only(std::size_t scene, std::size_t scenes) {
  std::vector<double> weights(scenes, 0.0);
  weights[scene] = 1.0;
  return weights;
}

const IndexingRecord* indexing_of(const TuningProfile& profile, int scene, PackSpec pack) {
  for (const IndexingRecord& record : profile.indexing) {
    if (record.scene == scene && record.pack == pack && !record.ms.empty()) return &record;
  }
  return nullptr;
}

/// Returns the time of the indexing and of the selected maps with this packing, summed for each round.
/// Returns an empty list if one of these times was not measured.
std::vector<double> packing_series(const TuningProfile& profile, const std::vector<MapGroup>& groups,
                                   PackSpec pack) {
  std::vector<std::pair<double, const std::vector<double>*>> parts;
  std::vector<GroupTimes> kept;
  kept.reserve(groups.size());
  for (std::size_t scene = 0; scene < profile.scenes.size(); ++scene) {
    const IndexingRecord* indexing = indexing_of(profile, static_cast<int>(scene), pack);
    if (indexing == nullptr) return {};
    parts.emplace_back(profile.scenes[scene].weight, &indexing->ms);
  }
  const std::vector<double> weights = weights_of(profile);
  for (const MapGroup& group : groups) {
    kept.push_back(measured_times(profile, group, ScenePacks(profile.scenes.size(), pack)).times);
    const auto choice = choose(kept.back(), weights);
    if (!choice) return {};
    for (const MapSetting& map : kept.back().maps) {
      const bool paid =
          std::any_of(choice->shapes.begin(), choice->shapes.end(), [&](const ShapeChoice& one) {
            return one.setting.of_map() == map.setting && one.algorithm == map.algorithm;
          });
      for (std::size_t scene = 0; paid && scene < map.ms.size(); ++scene)
        parts.emplace_back(profile.scenes[scene].weight, &map.ms[scene]);
    }
  }
  std::size_t rounds = parts.empty() ? 0 : parts.front().second->size();
  for (const auto& [weight, ms] : parts)
    rounds = std::min(rounds, ms->size());
  std::vector<double> sums(rounds, 0.0);
  for (const auto& [weight, ms] : parts) {
    for (std::size_t round = 0; round < rounds; ++round)
      sums[round] += weight * (*ms)[round];
  }
  return sums;
}

/// Selects a packing. Only packings that fit all scenes and were measured on all scenes are considered. If
/// packings are tied, selects the packing that comes first in the request.
TunedPacking choose_packing(const TuningProfile& profile, const std::vector<MapGroup>& groups) {
  TunedPacking result;
  ScenePacks candidates;
  for (const IndexingRecord& record : profile.indexing) {
    if (std::find(candidates.begin(), candidates.end(), record.pack) == candidates.end())
      candidates.push_back(record.pack);
  }
  std::vector<std::pair<PackSpec, std::vector<double>>> measured;
  for (const PackSpec& pack : candidates) {
    auto series = packing_series(profile, groups, pack);
    if (!series.empty()) measured.emplace_back(pack, std::move(series));
  }
  if (measured.empty()) return result;
  const auto median = [](const auto& one) { return statistics(one.second).median; };
  const auto best = std::min_element(measured.begin(), measured.end(),
                                     [&](const auto& a, const auto& b) { return median(a) < median(b); });
  const auto chosen = std::find_if(measured.begin(), measured.end(), [&](const auto& one) {
    return &one == &*best || verdict(best->second, one.second) != Verdict::slower;
  });
  result.pack = chosen->first;
  result.median_ms = median(*chosen);
  for (const auto& one : measured) {
    if (&one != &*chosen && (result.others_ms == 0 || median(one) < result.others_ms))
      result.others_ms = median(one);
  }
  if (measured.size() == 1) return result;
  const bool few = std::any_of(measured.begin(), measured.end(), [](const auto& one) {
    return one.second.size() < fewest_samples_for_verdict;
  });
  const bool tied = std::any_of(measured.begin(), measured.end(), [&](const auto& one) {
    return &one != &*chosen && verdict(chosen->second, one.second) != Verdict::slower;
  });
  result.why = few ? ChoiceReason::few_samples : tied ? ChoiceReason::tie_simpler : ChoiceReason::fastest;
  return result;
}

TunedShape tuned_shape(const TuningProfile& profile, const MapGroup& group, std::size_t at,
                       const MeasuredTimes& measured, const GroupChoice& of_all,
                       const std::vector<std::optional<GroupChoice>>& of_scenes) {
  const auto position = [&](LayerPass pass) { return position_of(measured, group, at, pass); };
  const std::size_t forward = position(LayerPass::forward).value();
  TunedShape tuned;
  tuned.shape = group.shapes[at];
  tuned.layers = group.layers[at];
  tuned.choice = of_all.shapes[forward];
  if (const auto dgrad = position(LayerPass::dgrad)) tuned.dgrad = of_all.shapes[*dgrad];
  if (const auto wgrad = position(LayerPass::wgrad)) tuned.wgrad = of_all.shapes[*wgrad];
  for (std::size_t scene = 0; scene < profile.scenes.size(); ++scene) {
    tuned.scene_settings.emplace_back();
    if (!of_scenes[scene]) continue;
    tuned.scene_settings.back() = of_scenes[scene]->shapes[forward].setting;
    const std::int64_t rows = profile.scenes[scene].voxels(tuned.shape.stride_out);
    tuned.rows_low = tuned.rows_high == 0 ? rows : std::min(tuned.rows_low, rows);
    tuned.rows_high = std::max(tuned.rows_high, rows);
  }
  return tuned;
}

std::vector<LayerSetting> settings_of(const GroupChoice& choice) {
  std::vector<LayerSetting> all;
  for (const ShapeChoice& one : choice.shapes)
    all.push_back(one.setting);
  return all;
}

/// Adds `more` to `sums`, round by round, up to the length of the shorter list. If `sums` is empty, copies
/// `more`.
void add_rounds(std::vector<double>& sums, const std::vector<double>& more) {
  if (more.empty()) return;
  if (sums.empty()) {
    sums = more;
    return;
  }
  sums.resize(std::min(sums.size(), more.size()));
  for (std::size_t round = 0; round < sums.size(); ++round)
    sums[round] += more[round];
}

/// Compares the time of one scene with its own choices and with the choices for another scene. The times are
/// summed over all groups of layers.
struct RegretCell {
  bool known = true;
  double own_ms = 0, picked_ms = 0;  ///< Sums of medians.
  /// The times with the scene's own choices and with the other choices. Contains only the times in which the
  /// choices differ.
  TimesApart apart{};

  void add(const GroupTimes& times, const std::vector<LayerSetting>& own,
           const std::vector<LayerSetting>& picked, const std::vector<double>& weights) {
    const auto found = compare_picks(times, own, picked, weights);
    known = known && found;
    if (!known) return;
    own_ms += found->one_cost_ms;
    picked_ms += found->other_cost_ms;
    add_rounds(apart.one_ms, found->apart.one_ms);
    add_rounds(apart.other_ms, found->apart.other_ms);
  }
  [[nodiscard]] std::optional<Regret> regret() const {
    if (!known || !(own_ms > 0)) return std::nullopt;
    Regret result{(picked_ms / own_ms) - 1.0, false};
    // No verdict is possible. Either the choices are equal, or one choice contains all times of the other
    // choice and some more.
    if (apart.one_ms.empty() || apart.other_ms.empty()) return result;
    const Verdict found = verdict(apart.one_ms, apart.other_ms);
    result.tied = found != Verdict::slower && found != Verdict::faster;
    return result;
  }
};

/// Adds up the cost of all groups on each scene, for several sets of choices: one set for each single scene,
/// and one set for all scenes together.
class RegretSum {
 public:
  explicit RegretSum(std::size_t scenes)
      : scenes_(scenes), cells_(scenes + 1, std::vector<RegretCell>(scenes)) {}

  void add(const GroupTimes& times, const std::vector<std::optional<GroupChoice>>& of_scenes,
           const GroupChoice& of_all) {
    for (std::size_t picked = 0; picked <= scenes_; ++picked) {
      const auto& choice = picked < scenes_ ? of_scenes[picked] : std::optional<GroupChoice>(of_all);
      for (std::size_t on = 0; on < scenes_; ++on) {
        RegretCell& cell = cells_[picked][on];
        cell.known = cell.known && choice && of_scenes[on];
        if (cell.known) cell.add(times, settings_of(*of_scenes[on]), settings_of(*choice), only(on, scenes_));
      }
    }
  }

  [[nodiscard]] std::vector<std::vector<std::optional<Regret>>> matrix() const {
    std::vector<std::vector<std::optional<Regret>>> result;
    for (const auto& row : cells_) {
      result.emplace_back();
      for (const RegretCell& cell : row)
        result.back().push_back(cell.regret());
    }
    return result;
  }

 private:
  std::size_t scenes_;
  std::vector<std::vector<RegretCell>> cells_;
};

}  // namespace

std::string kernel_shape_text(const KernelShape& kernel) {
  return cells_text(kernel.size) + (kernel.native() ? " " + text_of(kernel.neighbourhood) : "");
}

std::string LayerShape::text(std::span<const SceneLevel> levels) const {
  return kernel_shape_text(kernel) + " " + level_text(levels, stride_in) + ">" +
         level_text(levels, stride_out) + " " + std::to_string(in_channels) + "->" +
         std::to_string(out_channels);
}

LayerShape shape_of(const Layer& layer, const LayerLevels& levels) {
  return {levels.map.kernel,  levels.stride_in,  levels.stride_out, layer.in_channels,
          layer.out_channels, levels.transposed, layer.op};
}

std::int64_t TunedScene::voxels(int stride) const {
  for (const LevelSize& level : levels) {
    if (level.stride == stride) return level.voxels;
  }
  return 0;
}

std::uint64_t fingerprint_of(const Network& network) {
  const std::string text = network_identity(network);
  return hash64(std::as_bytes(std::span(text)));
}

void require_network(const TuningProfile& profile, const Network& network) {
  if (profile.network_fingerprint != fingerprint_of(network))
    throw Error(ErrorKind::usage, "the profile was tuned for network " + profile.network +
                                      ", but this is network " + network.name);
}

std::vector<SceneLevel> numbered_levels(const Levels& levels) {
  std::vector<SceneLevel> numbered;
  std::copy_if(levels.sets.begin(), levels.sets.end(), std::back_inserter(numbered),
               [](const SceneLevel& level) { return level.number >= first_numbered_level; });
  return numbered;
}

void decide(TuningProfile& profile, const Network& network) {
  const std::vector<MapGroup> groups = groups_of(network, profile.training);
  const std::size_t scenes = profile.scenes.size();
  profile.choices.clear();
  profile.undecided.clear();
  profile.packing = choose_packing(profile, groups);
  const ScenePacks packs = packs_of(profile);
  RegretSum regret(scenes);
  for (const MapGroup& group : groups) {
    const MeasuredTimes measured = measured_times(profile, group, packs);
    const GroupTimes& times = measured.times;
    const std::vector<double>& weights = measured.weights;
    const bool any = std::any_of(weights.begin(), weights.end(), [](double weight) { return weight > 0; });
    const auto of_all = any ? choose(times, weights) : std::nullopt;
    std::vector<std::optional<GroupChoice>> of_scenes;
    for (std::size_t scene = 0; of_all && scene < scenes; ++scene)
      of_scenes.push_back(weights[scene] > 0 ? choose(times, only(scene, scenes)) : std::nullopt);
    for (std::size_t at = 0; at < group.shapes.size(); ++at) {
      if (of_all && position_of(measured, group, at, LayerPass::forward)) {
        profile.choices.push_back(tuned_shape(profile, group, at, measured, *of_all, of_scenes));
      } else {
        profile.undecided.insert(profile.undecided.end(), group.layers[at].begin(), group.layers[at].end());
      }
    }
    if (of_all) regret.add(times, of_scenes, *of_all);
  }
  profile.regret =
      profile.choices.empty() ? std::vector<std::vector<std::optional<Regret>>>() : regret.matrix();
}

namespace {

/// Returns one time of `plan` per round: the weighted sum of the times on all scenes. No scene may have fewer
/// than `rounds` rounds.
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
    const int most = KernelOffsets(tuned.shape.kernel, 1).max_threshold();
    if (tuned.choice.why == ChoiceReason::only_setting || tuned.choice.setting == most) continue;
    choose_instead(tuned.choice, most, ChoiceReason::one_graph);
  }
  for (PlanCheck& check : profile.checks)
    check.layer_picks = std::exchange(check.tuned, {});
  // This regret belongs to the choices of the single layers, which are no longer used.
  if (!profile.regret.empty())
    std::fill(profile.regret.back().begin(), profile.regret.back().end(), std::nullopt);
  return true;
}

}  // namespace spira
