#include "engine/tune/choice.hpp"

#include "engine/base/error.hpp"
#include "engine/measure/statistics.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <set>
#include <utility>

namespace spira {
namespace {

using Thresholds = std::vector<int>;  // One threshold per shape.
/// A term of the cost: the samples of a map or of the features of a shape, and the number of times that the
/// network computes it. The terms are sorted by shape and threshold (shape -1 is the map), so that sums are
/// added in the same order in every run.
struct Term {
  const SceneSamples* ms = nullptr;
  double times = 0;
};
using Terms = std::map<std::pair<int, int>, Term>;
constexpr double never = std::numeric_limits<double>::infinity();

/// Returns the smallest number of samples in any scene with a positive weight.
std::int64_t fewest(const SceneSamples& ms, const std::vector<double>& weights) {
  std::size_t least = std::numeric_limits<std::int32_t>::max();
  for (std::size_t scene = 0; scene < weights.size(); ++scene) {
    if (weights[scene] > 0) least = std::min(least, scene < ms.size() ? ms[scene].size() : 0);
  }
  return static_cast<std::int64_t>(least);
}

bool complete(const SceneSamples& ms, const std::vector<double>& weights) {
  return fewest(ms, weights) > 0;
}

class Costs {
 public:
  Costs(const GroupTimes& group, const std::vector<double>& weights) : group_(group), weights_(weights) {
    std::map<int, const MapSetting*> fastest;
    for (const MapSetting& map : group.maps) {
      const MapSetting*& best = fastest[map.threshold];
      if (complete(map.ms, weights) && (best == nullptr || median(map.ms) < median(best->ms))) best = &map;
    }
    for (const MapSetting& map : group.maps) {
      const MapSetting* best = fastest[map.threshold];
      if (best == nullptr || map_of_.contains(map.threshold) || !complete(map.ms, weights)) continue;
      const bool tied = verdict(series(once(best->ms)), series(once(map.ms))) != Verdict::slower;
      if (&map == best || tied) map_of_[map.threshold] = &map;
    }
  }

  /// Returns the setting of a shape for this t, or `nullptr` if it cannot be selected. A setting is not
  /// selectable if its map was not measured, because its cost is then not known.
  [[nodiscard]] const FeatureSetting* setting(std::size_t shape, int t) const {
    const ShapeTimes& times = group_.shapes[shape];
    for (const FeatureSetting& one : times.settings) {
      const bool free = times.settings.size() == 1;
      if (one.threshold == t && one.usable && map_of_.contains(t) && (free || complete(one.ms, weights_)))
        return &one;
    }
    return nullptr;
  }
  [[nodiscard]] const MapSetting* map(int t) const {
    const auto found = map_of_.find(t);
    return found == map_of_.end() ? nullptr : found->second;
  }
  [[nodiscard]] std::vector<int> map_thresholds() const {
    std::vector<int> all;
    for (const auto& [t, map] : map_of_)
      all.push_back(t);
    return all;
  }
  [[nodiscard]] std::int64_t samples(const SceneSamples& ms) const { return fewest(ms, weights_); }
  [[nodiscard]] double median(const SceneSamples& ms) const { return weighted(ms, &Statistics::median); }
  [[nodiscard]] double iqr(const SceneSamples& ms) const {
    return weighted(ms, &Statistics::q3) - weighted(ms, &Statistics::q1);
  }

  /// Returns the terms whose sum is the cost of `chosen`. setting() must return a setting for each threshold
  /// in `chosen`.
  [[nodiscard]] Terms terms(const Thresholds& chosen) const {
    Terms all;
    for (std::size_t shape = 0; shape < chosen.size(); ++shape) {
      const FeatureSetting& one = *setting(shape, chosen[shape]);
      const int t = chosen[shape];
      if (!one.ms.empty())
        all[{static_cast<int>(shape), t}] = {&one.ms, static_cast<double>(group_.shapes[shape].layers)};
      all[{-1, t}] = {&map(t)->ms, 1.0};
    }
    return all;
  }
  [[nodiscard]] double cost(const Thresholds& chosen) const {
    double sum = 0;
    for (const auto& [key, term] : terms(chosen))
      sum += term.times * median(*term.ms);
    return sum;
  }

  /// Returns the times of two combinations without the terms that both combinations contain. Common terms
  /// would only add noise to the comparison.
  [[nodiscard]] TimesApart apart(const Thresholds& one, const Thresholds& other) const {
    Terms ones = terms(one), others = terms(other);
    for (auto term = others.begin(); term != others.end();) {
      const auto same = ones.find(term->first);
      if (same == ones.end()) {
        ++term;
        continue;
      }
      ones.erase(same);
      term = others.erase(term);
    }
    return {series(ones), series(others)};
  }
  /// Returns true if `other` is significantly slower than `than`.
  [[nodiscard]] bool slower(const Thresholds& other, const Thresholds& than) const {
    const TimesApart times = apart(than, other);
    if (times.other_ms.empty()) return false;
    return times.one_ms.empty() || verdict(times.one_ms, times.other_ms) == Verdict::slower;
  }
  [[nodiscard]] bool knows(const Thresholds& chosen) const {
    for (std::size_t shape = 0; shape < chosen.size(); ++shape) {
      if (setting(shape, chosen[shape]) == nullptr) return false;
    }
    return true;
  }

 private:
  static Terms once(const SceneSamples& ms) { return {{{-1, 0}, {&ms, 1.0}}}; }

  double weighted(const SceneSamples& ms, double Statistics::*figure) const {
    double sum = 0;
    for (std::size_t scene = 0; scene < ms.size(); ++scene)
      sum += weights_[scene] * (statistics(ms[scene]).*figure);
    return sum;
  }

  /// Returns the sum of the terms for each round. All samples of a round were taken under the same load on
  /// the machine.
  [[nodiscard]] std::vector<double> series(const Terms& all) const {
    if (all.empty()) return {};
    std::int64_t rounds = std::numeric_limits<std::int32_t>::max();
    for (const auto& [key, term] : all)
      rounds = std::min(rounds, fewest(*term.ms, weights_));
    std::vector<double> sums(static_cast<std::size_t>(rounds), 0.0);
    for (const auto& [key, term] : all) {
      for (std::size_t scene = 0; scene < term.ms->size(); ++scene) {
        if (!(weights_[scene] > 0)) continue;
        for (std::size_t round = 0; round < sums.size(); ++round)
          sums[round] += term.times * weights_[scene] * (*term.ms)[scene][round];
      }
    }
    return sums;
  }

  const GroupTimes& group_;
  const std::vector<double>& weights_;
  std::map<int, const MapSetting*> map_of_;
};

int rank(const ShapeTimes& shape, int t) {
  return complexity_of(t, shape.max_threshold);
}

/// Returns the combination with the lowest cost if maps may be built only for the `allowed` thresholds.
/// Returns an empty list if a shape supports none of these thresholds.
Thresholds best_among(const GroupTimes& group, const Costs& costs, const std::vector<int>& allowed) {
  Thresholds chosen;
  for (std::size_t shape = 0; shape < group.shapes.size(); ++shape) {
    int best = -1;
    double best_ms = never;
    for (const int t : allowed) {
      const FeatureSetting* one = costs.setting(shape, t);
      const double ms = one == nullptr ? never : costs.median(one->ms);
      if (ms < best_ms) {
        best = t;
        best_ms = ms;
      }
    }
    if (best < 0) return {};
    chosen.push_back(best);
  }
  return chosen;
}

Thresholds cheapest(const GroupTimes& group, const Costs& costs) {
  const std::vector<int> all = costs.map_thresholds();
  Thresholds best;
  double best_ms = never;
  for (std::uint32_t set = 1; set < 1U << all.size(); ++set) {
    std::vector<int> allowed;
    for (std::size_t at = 0; at < all.size(); ++at) {
      if ((set >> at & 1U) != 0) allowed.push_back(all[at]);
    }
    const Thresholds chosen = best_among(group, costs, allowed);
    const double ms = chosen.empty() ? never : costs.cost(chosen);
    if (ms < best_ms) {
      best = chosen;
      best_ms = ms;
    }
  }
  return best;
}

/// Returns `chosen` after setting the threshold of all shapes that support t to t.
Thresholds alike(const GroupTimes& group, const Costs& costs, Thresholds chosen, int t) {
  for (std::size_t shape = 0; shape < group.shapes.size(); ++shape) {
    if (costs.setting(shape, t) != nullptr) chosen[shape] = t;
  }
  return chosen;
}

std::vector<int> simplest_first(const ShapeTimes& shape) {
  std::vector<int> all;
  for (const FeatureSetting& one : shape.settings)
    all.push_back(one.threshold);
  std::sort(all.begin(), all.end(), [&](int a, int b) { return rank(shape, a) < rank(shape, b); });
  return all;
}

bool simpler(const GroupTimes& group, const Thresholds& other, const Thresholds& than) {
  const auto maps = [](const Thresholds& all) { return std::set<int>(all.begin(), all.end()).size(); };
  if (maps(other) != maps(than)) return maps(other) < maps(than);
  int ranks = 0;
  for (std::size_t shape = 0; shape < other.size(); ++shape)
    ranks += rank(group.shapes[shape], other[shape]) - rank(group.shapes[shape], than[shape]);
  return ranks < 0;
}

/// Returns a simpler combination that is tied with `cheapest`, or `cheapest` itself. First tries the same t
/// for all layers. An additional map may be too expensive for a single layer, but worth its cost if all
/// layers use it.
Thresholds simplified(const GroupTimes& group, const Costs& costs, const Thresholds& cheapest) {
  Thresholds chosen = cheapest;
  const auto widest =
      std::max_element(group.shapes.begin(), group.shapes.end(),
                       [](const auto& a, const auto& b) { return a.settings.size() < b.settings.size(); });
  for (const int t : simplest_first(*widest)) {
    const Thresholds other = alike(group, costs, chosen, t);
    if (!simpler(group, other, chosen) || costs.slower(other, cheapest)) continue;
    chosen = other;
    break;
  }
  for (std::size_t shape = 0; shape < chosen.size(); ++shape) {
    for (const int t : simplest_first(group.shapes[shape])) {
      Thresholds other = chosen;
      other[shape] = t;
      if (costs.setting(shape, t) == nullptr || !simpler(group, other, chosen)) continue;
      // `other` can be tied with `chosen` and still be slower than `cheapest`, so test both.
      if (costs.slower(other, chosen) || costs.slower(other, cheapest)) continue;
      chosen = other;
      break;
    }
  }
  return chosen;
}

std::vector<ThresholdCost> costs_of(const GroupTimes& group, const Costs& costs, const Thresholds& chosen,
                                    std::size_t shape) {
  std::vector<ThresholdCost> all;
  for (const FeatureSetting& one : group.shapes[shape].settings) {
    ThresholdCost row;
    row.threshold = one.threshold;
    row.n = costs.samples(one.ms);
    row.usable = one.usable;
    if (costs.setting(shape, one.threshold) != nullptr) {
      Thresholds other = chosen;
      other[shape] = one.threshold;
      row.median_ms = costs.median(one.ms);
      row.iqr_ms = costs.iqr(one.ms);
      row.extra_ms = costs.cost(other) - costs.cost(chosen);
      if (other.size() > 1 && std::count(other.begin(), other.end(), one.threshold) == 1)
        row.shared_ms = costs.median(costs.map(one.threshold)->ms);
    }
    all.push_back(row);
  }
  return all;
}

/// Returns the verdicts on all settings of a shape if the other shapes keep their thresholds in `chosen`.
SettingVerdicts verdicts_of(const Costs& costs, const ShapeTimes& times, const Thresholds& chosen,
                            std::size_t shape) {
  const auto with = [&](std::size_t at) {
    Thresholds other = chosen;
    other[shape] = times.settings[at].threshold;
    return other;
  };
  std::vector<SettingCost> all;
  for (std::size_t at = 0; at < times.settings.size(); ++at) {
    const FeatureSetting& one = times.settings[at];
    const bool known = costs.setting(shape, one.threshold) != nullptr;
    all.push_back({one.threshold, known ? costs.cost(with(at)) : 0.0, costs.samples(one.ms)});
  }
  return judge_settings(all, times.max_threshold, [&](std::size_t best, std::size_t other) {
    return std::optional(costs.apart(with(best), with(other)));
  });
}

ShapeChoice shape_choice(const GroupTimes& group, const Costs& costs, const Thresholds& chosen,
                         const Thresholds& cheapest, std::size_t shape) {
  const ShapeTimes& times = group.shapes[shape];
  ShapeChoice choice;
  choice.threshold = chosen[shape];
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
    few = few || (costs.setting(shape, one.threshold) != nullptr &&
                  costs.samples(one.ms) < static_cast<std::int64_t>(fewest_samples_for_verdict));
    const bool own = one.threshold == chosen[shape];
    slower = slower || (own && is(at, SettingVerdict::worse));
    if (!own && (is(at, SettingVerdict::best) || is(at, SettingVerdict::tied)))
      choice.ties.push_back(one.threshold);
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

int complexity_of(int threshold, int max_threshold) noexcept {
  if (threshold == max_threshold) return 0;
  return threshold == 0 ? 1 : 2 + max_threshold - threshold;
}

void choose_instead(ShapeChoice& choice, int threshold, ChoiceReason why) {
  const auto measured = std::find_if(choice.costs.begin(), choice.costs.end(),
                                     [&](const ThresholdCost& cost) { return cost.threshold == threshold; });
  if (measured == choice.costs.end() || measured->n == 0) {
    choice.costs.clear();
  } else {
    const double extra_ms = measured->extra_ms;
    for (ThresholdCost& cost : choice.costs)
      cost.extra_ms -= extra_ms;
  }
  choice.threshold = threshold;
  choice.why = why;
  choice.ties.clear();
}

std::optional<GroupChoice> choose(const GroupTimes& group, const std::vector<double>& weights) {
  const Costs costs(group, weights);
  const Thresholds best = cheapest(group, costs);
  if (best.empty()) return std::nullopt;
  const Thresholds chosen = simplified(group, costs, best);
  GroupChoice result;
  result.cost_ms = costs.cost(chosen);
  for (std::size_t shape = 0; shape < group.shapes.size(); ++shape)
    result.shapes.push_back(shape_choice(group, costs, chosen, best, shape));
  return result;
}

std::optional<MapAlgorithm> algorithm_for(const GroupTimes& group, int threshold,
                                          const std::vector<double>& weights) {
  const Costs costs(group, weights);
  const MapSetting* map = costs.map(threshold);
  return map == nullptr ? std::nullopt : std::optional(map->algorithm);
}

SettingVerdicts judge_settings(
    const std::vector<SettingCost>& settings, int max_threshold,
    const std::function<std::optional<TimesApart>(std::size_t best, std::size_t other)>& apart) {
  SettingVerdicts result{-1, std::vector<SettingVerdict>(settings.size(), SettingVerdict::none),
                         std::vector<std::optional<MedianRatio>>(settings.size())};
  const auto order = [&](std::size_t at) {
    return std::pair(settings[at].cost_ms, complexity_of(settings[at].threshold, max_threshold));
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

std::optional<PicksCompared> compare_picks(const GroupTimes& group, const std::vector<int>& one,
                                           const std::vector<int>& other,
                                           const std::vector<double>& weights) {
  SPIRA_ASSERT(one.size() == group.shapes.size() && other.size() == one.size(),
               "one threshold per shape is needed");
  const Costs costs(group, weights);
  if (!costs.knows(one) || !costs.knows(other)) return std::nullopt;
  return PicksCompared{costs.cost(one), costs.cost(other), costs.apart(one, other)};
}

}  // namespace spira
