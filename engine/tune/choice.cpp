#include "engine/tune/choice.hpp"

#include "engine/base/error.hpp"
#include "engine/measure/statistics.hpp"
#include "engine/tune/bindings.hpp"
#include "engine/tune/group_costs.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace spira {
namespace {

using Picks = SettingPicks;

int rank(const ShapeTimes& shape, const LayerSetting& setting) {
  return complexity_of(setting, shape.max_threshold);
}

/// Returns `chosen` after selecting `setting` for all shapes that can have it.
Picks alike(const GroupTimes& group, const GroupCosts& costs, Picks chosen, const LayerSetting& setting) {
  for (std::size_t shape = 0; shape < group.shapes.size(); ++shape) {
    if (costs.setting(shape, setting) != nullptr) chosen[shape] = setting;
  }
  return chosen;
}

/// Returns `chosen` after selecting `setting` for all shapes that read the map `map` and can have it.
Picks moved(const GroupTimes& group, const GroupCosts& costs, Picks chosen, const LayerSetting& map,
            const LayerSetting& setting) {
  for (std::size_t shape = 0; shape < group.shapes.size(); ++shape) {
    if (chosen[shape].of_map() == map && costs.setting(shape, setting) != nullptr) chosen[shape] = setting;
  }
  return chosen;
}

std::vector<LayerSetting> simplest_first(const ShapeTimes& shape) {
  std::vector<LayerSetting> all;
  for (const FeatureSetting& one : shape.settings)
    all.push_back(one.setting);
  std::sort(all.begin(), all.end(),
            [&](const auto& a, const auto& b) { return rank(shape, a) < rank(shape, b); });
  return all;
}

bool simpler(const GroupTimes& group, const Picks& other, const Picks& than) {
  const auto maps = [](const Picks& all) {
    std::set<LayerSetting> used;
    for (const LayerSetting& one : all)
      used.insert(one.of_map());
    return used.size();
  };
  if (maps(other) != maps(than)) return maps(other) < maps(than);
  int ranks = 0;
  for (std::size_t shape = 0; shape < other.size(); ++shape)
    ranks += rank(group.shapes[shape], other[shape]) - rank(group.shapes[shape], than[shape]);
  return ranks < 0;
}

/// Returns a simpler combination that is tied with `cheapest`, or `cheapest` itself. First tries the same
/// setting for all layers, then for all layers that read one map, then for single layers. An additional map
/// may be too expensive for a single layer, but worth its cost if all layers use it.
Picks simplified(const GroupTimes& group, const GroupCosts& costs, const Picks& cheapest) {
  Picks chosen = cheapest;
  const auto widest =
      std::max_element(group.shapes.begin(), group.shapes.end(),
                       [](const auto& a, const auto& b) { return a.settings.size() < b.settings.size(); });
  for (const LayerSetting& one : simplest_first(*widest)) {
    const Picks other = alike(group, costs, chosen, one);
    if (!simpler(group, other, chosen) || costs.slower(other, cheapest)) continue;
    chosen = other;
    break;
  }
  // Readers of one map move together, because a part of them would need an additional map.
  std::set<LayerSetting> maps;
  for (const LayerSetting& one : chosen)
    maps.insert(one.of_map());
  for (const LayerSetting& map : maps) {
    for (const LayerSetting& one : simplest_first(*widest)) {
      const Picks other = moved(group, costs, chosen, map, one);
      if (!simpler(group, other, chosen) || costs.slower(other, chosen) || costs.slower(other, cheapest))
        continue;
      chosen = other;
      break;
    }
  }
  for (std::size_t shape = 0; shape < chosen.size(); ++shape) {
    for (const LayerSetting& one : simplest_first(group.shapes[shape])) {
      Picks other = chosen;
      other[shape] = one;
      if (costs.setting(shape, one) == nullptr || !simpler(group, other, chosen)) continue;
      // `other` can be tied with `chosen` and still be slower than `cheapest`, so test both.
      if (costs.slower(other, chosen) || costs.slower(other, cheapest)) continue;
      chosen = other;
      break;
    }
  }
  // With noise in one pass, much slower combinations can be tied with the cheapest one, but not with each
  // other.
  const bool slower = std::any_of(widest->settings.begin(), widest->settings.end(), [&](const auto& one) {
    const Picks other = alike(group, costs, chosen, one.setting);
    return other != chosen && costs.slower(chosen, other);
  });
  return slower ? cheapest : chosen;
}

std::vector<MeasuredCost> costs_of(const GroupTimes& group, const GroupCosts& costs, const Picks& chosen,
                                   std::size_t shape) {
  std::vector<MeasuredCost> all;
  for (const FeatureSetting& one : group.shapes[shape].settings) {
    MeasuredCost row;
    row.setting = one.setting;
    row.n = costs.samples(one.ms);
    row.usable = one.usable;
    if (costs.setting(shape, one.setting) != nullptr) {
      Picks other = chosen;
      other[shape] = one.setting;
      row.median_ms = costs.median(one.ms);
      row.iqr_ms = costs.iqr(one.ms);
      row.extra_ms = costs.cost(other) - costs.cost(chosen);
      const auto readers = std::count_if(other.begin(), other.end(), [&](const LayerSetting& pick) {
        return pick.of_map() == one.setting.of_map();
      });
      if (other.size() > 1 && readers == 1) row.shared_ms = costs.median(costs.map(one.setting)->ms);
    }
    all.push_back(row);
  }
  return all;
}

/// Returns the verdicts on all settings of a shape if the other shapes keep their settings in `chosen`.
SettingVerdicts verdicts_of(const GroupCosts& costs, const ShapeTimes& times, const Picks& chosen,
                            std::size_t shape) {
  const auto with = [&](std::size_t at) {
    Picks other = chosen;
    other[shape] = times.settings[at].setting;
    return other;
  };
  std::vector<SettingCost> all;
  for (std::size_t at = 0; at < times.settings.size(); ++at) {
    const FeatureSetting& one = times.settings[at];
    const bool known = costs.setting(shape, one.setting) != nullptr;
    all.push_back({one.setting, known ? costs.cost(with(at)) : 0.0, costs.samples(one.ms)});
  }
  return judge_settings(all, times.max_threshold, [&](std::size_t best, std::size_t other) {
    return std::optional(costs.apart(with(best), with(other)));
  });
}

ShapeChoice shape_choice(const GroupTimes& group, const GroupCosts& costs, const Picks& chosen,
                         const Picks& cheapest, std::size_t shape) {
  const ShapeTimes& times = group.shapes[shape];
  ShapeChoice choice;
  choice.setting = chosen[shape];
  choice.algorithm = costs.map(chosen[shape])->algorithm;
  choice.costs = costs_of(group, costs, chosen, shape);
  if (times.settings.size() == 1) {
    choice.why = ChoiceReason::only_setting;
    return choice;
  }
  const SettingVerdicts found = verdicts_of(costs, times, chosen, shape);
  const auto is = [&](std::size_t at, SettingVerdict verdict) { return found.verdicts[at] == verdict; };
  bool few = false, slower = false;
  for (std::size_t at = 0; at < times.settings.size(); ++at) {
    const FeatureSetting& one = times.settings[at];
    few = few || (costs.setting(shape, one.setting) != nullptr &&
                  costs.samples(one.ms) < static_cast<std::int64_t>(fewest_samples_for_verdict));
    const bool own = one.setting == chosen[shape];
    slower = slower || (own && is(at, SettingVerdict::worse));
    if (!own && (is(at, SettingVerdict::best) || is(at, SettingVerdict::tied)))
      choice.ties.push_back(one.setting);
  }
  if (slower) choice.ties.clear();
  if (few) {
    choice.why = ChoiceReason::few_samples;
  } else if (chosen[shape] != cheapest[shape] || !choice.ties.empty()) {
    choice.why = ChoiceReason::tie_simpler;
  }
  return choice;
}

}  // namespace

std::string_view text_of(ChoiceReason reason) noexcept {
  constexpr std::array<std::string_view, 6> texts{"fastest",      "tie_simpler", "few_samples",
                                                  "only_setting", "one_graph",   "user"};
  return texts.at(static_cast<std::size_t>(reason));
}

std::string_view text_of(SettingVerdict verdict) noexcept {
  constexpr std::array<std::string_view, 5> texts{"", "best", "tied", "undecided", "worse"};
  return texts.at(static_cast<std::size_t>(verdict));
}

int complexity_of(const LayerSetting& setting, int max_threshold) noexcept {
  constexpr int most_splits = 1000;
  const int hybrids = 2 + max_threshold;
  if (setting.method != FeatureMethod::by_layout)
    return hybrids + most_splits + static_cast<int>(setting.method);
  if (setting.dense_layout == MapLayout::output_major) return hybrids;
  if (setting.dense_layout == MapLayout::mask_sorted) return hybrids + setting.splits;
  if (setting.threshold == max_threshold) return 0;
  return setting.threshold == 0 ? 1 : hybrids - setting.threshold;
}

void choose_instead(ShapeChoice& choice, const LayerSetting& setting, ChoiceReason why) {
  const auto measured = std::find_if(choice.costs.begin(), choice.costs.end(),
                                     [&](const MeasuredCost& cost) { return cost.setting == setting; });
  if (measured == choice.costs.end() || measured->n == 0) {
    choice.costs.clear();
  } else {
    const double extra_ms = measured->extra_ms;
    for (MeasuredCost& cost : choice.costs)
      cost.extra_ms -= extra_ms;
  }
  choice.setting = setting;
  choice.why = why;
  choice.ties.clear();
}

std::optional<GroupChoice> choose(const GroupTimes& group, const std::vector<double>& weights) {
  const GroupCosts costs(group, weights);
  const Picks best = cheapest(group, costs);
  if (best.empty()) return std::nullopt;
  const Picks chosen = simplified(group, costs, best);
  GroupChoice result;
  result.cost_ms = costs.cost(chosen);
  for (std::size_t shape = 0; shape < group.shapes.size(); ++shape)
    result.shapes.push_back(shape_choice(group, costs, chosen, best, shape));
  return result;
}

std::optional<MapAlgorithm> algorithm_for(const GroupTimes& group, const LayerSetting& setting,
                                          const std::vector<double>& weights) {
  const GroupCosts costs(group, weights);
  const MapSetting* map = costs.map(setting);
  return map == nullptr ? std::nullopt : std::optional(map->algorithm);
}

SettingVerdicts judge_settings(
    const std::vector<SettingCost>& settings, int max_threshold,
    const std::function<std::optional<TimesApart>(std::size_t best, std::size_t other)>& apart) {
  SettingVerdicts result{-1, std::vector<SettingVerdict>(settings.size(), SettingVerdict::none),
                         std::vector<std::optional<MedianRatio>>(settings.size())};
  const auto order = [&](std::size_t at) {
    return std::pair(settings[at].cost_ms, complexity_of(settings[at].setting, max_threshold));
  };
  std::vector<std::size_t> known;
  for (std::size_t at = 0; at < settings.size(); ++at) {
    if (settings[at].cost_ms > 0) known.push_back(at);
  }
  if (known.empty()) return result;
  const std::size_t best = *std::min_element(
      known.begin(), known.end(), [&](std::size_t a, std::size_t b) { return order(a) < order(b); });
  result.best = static_cast<int>(best);
  if (known.size() == 1) return result;
  constexpr auto needed = fewest_samples_for_verdict;
  for (const std::size_t at : known) {
    SettingVerdict& own = result.verdicts[at];
    own = SettingVerdict::undecided;
    if (settings[at].n < static_cast<std::int64_t>(needed)) continue;
    if (at == best) {
      own = SettingVerdict::best;
      continue;
    }
    const auto times = apart(best, at);
    if (!times || times->one_ms.size() < needed || times->other_ms.size() < needed) continue;
    const auto& ratio = result.ratios[at] = median_ratio(times->one_ms, times->other_ms);
    own = ratio && verdict(*ratio) == Verdict::slower ? SettingVerdict::worse : SettingVerdict::tied;
  }
  return result;
}

std::optional<PicksCompared> compare_picks(const GroupTimes& group, const std::vector<LayerSetting>& one,
                                           const std::vector<LayerSetting>& other,
                                           const std::vector<double>& weights) {
  SPIRA_ASSERT(one.size() == group.shapes.size() && other.size() == one.size(),
               "one setting per shape is needed");
  const GroupCosts costs(group, weights);
  if (!costs.knows(one) || !costs.knows(other)) return std::nullopt;
  return PicksCompared{costs.cost(one), costs.cost(other), costs.apart(one, other)};
}

}  // namespace spira
