#include "engine/tune/group_costs.hpp"

#include "engine/measure/statistics.hpp"

#include <algorithm>
#include <limits>

namespace spira {

GroupCosts::GroupCosts(const GroupTimes& group, const std::vector<double>& weights)
    : group_(group), weights_(weights) {
  std::map<LayerSetting, const MapSetting*> fastest;
  for (const MapSetting& map : group.maps) {
    const MapSetting*& best = fastest[map.setting];
    if (samples(map.ms) > 0 && (best == nullptr || median(map.ms) < median(best->ms))) best = &map;
  }
  for (const MapSetting& map : group.maps) {
    const MapSetting* best = fastest[map.setting];
    if (best == nullptr || map_of_.contains(map.setting) || samples(map.ms) == 0) continue;
    const bool tied = verdict(series(once(best->ms)), series(once(map.ms))) != Verdict::slower;
    if (&map == best || tied) map_of_[map.setting] = &map;
  }
}

const FeatureSetting* GroupCosts::setting(std::size_t shape, const LayerSetting& wanted) const {
  const ShapeTimes& times = group_.shapes[shape];
  for (const FeatureSetting& one : times.settings) {
    const bool free = times.settings.size() == 1;
    if (one.setting == wanted && one.usable && map(wanted) != nullptr && (free || samples(one.ms) > 0))
      return &one;
  }
  return nullptr;
}

const MapSetting* GroupCosts::map(const LayerSetting& setting) const {
  const auto found = map_of_.find(setting.of_map());
  return found == map_of_.end() ? nullptr : found->second;
}

std::vector<LayerSetting> GroupCosts::maps() const {
  std::vector<LayerSetting> all;
  for (const auto& [setting, map] : map_of_)
    all.push_back(setting);
  return all;
}

std::int64_t GroupCosts::samples(const SceneSamples& ms) const {
  std::size_t least = std::numeric_limits<std::int32_t>::max();
  for (std::size_t scene = 0; scene < weights_.size(); ++scene) {
    if (weights_[scene] > 0) least = std::min(least, scene < ms.size() ? ms[scene].size() : 0);
  }
  return static_cast<std::int64_t>(least);
}

double GroupCosts::median(const SceneSamples& ms) const {
  return weighted(ms, &Statistics::median);
}

double GroupCosts::iqr(const SceneSamples& ms) const {
  return weighted(ms, &Statistics::q3) - weighted(ms, &Statistics::q1);
}

GroupCosts::Terms GroupCosts::terms(const SettingPicks& chosen) const {
  Terms all;
  for (std::size_t shape = 0; shape < chosen.size(); ++shape) {
    const FeatureSetting& one = *setting(shape, chosen[shape]);
    if (!one.ms.empty())
      all[{static_cast<int>(shape), chosen[shape]}] = {&one.ms,
                                                       static_cast<double>(group_.shapes[shape].layers)};
    all[{-1, chosen[shape].of_map()}] = {&map(chosen[shape])->ms, 1.0};
  }
  return all;
}

double GroupCosts::cost(const SettingPicks& chosen) const {
  double sum = 0;
  for (const auto& [key, term] : terms(chosen))
    sum += term.times * median(*term.ms);
  return sum;
}

std::int64_t GroupCosts::fewest_samples(const SettingPicks& chosen) const {
  std::int64_t least = std::numeric_limits<std::int32_t>::max();
  for (const auto& [key, term] : terms(chosen))
    least = std::min(least, samples(*term.ms));
  return least;
}

TimesApart GroupCosts::apart(const SettingPicks& one, const SettingPicks& other) const {
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

bool GroupCosts::slower(const SettingPicks& other, const SettingPicks& than) const {
  const TimesApart times = apart(than, other);
  if (times.other_ms.empty()) return false;
  return times.one_ms.empty() || verdict(times.one_ms, times.other_ms) == Verdict::slower;
}

bool GroupCosts::knows(const SettingPicks& chosen) const {
  for (std::size_t shape = 0; shape < chosen.size(); ++shape) {
    if (setting(shape, chosen[shape]) == nullptr) return false;
  }
  return true;
}

double GroupCosts::weighted(const SceneSamples& ms, double Statistics::*figure) const {
  double sum = 0;
  for (std::size_t scene = 0; scene < ms.size(); ++scene)
    sum += weights_[scene] * (statistics(ms[scene]).*figure);
  return sum;
}

std::vector<double> GroupCosts::series(const Terms& all) const {
  if (all.empty()) return {};
  std::int64_t rounds = std::numeric_limits<std::int32_t>::max();
  for (const auto& [key, term] : all)
    rounds = std::min(rounds, samples(*term.ms));
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

}  // namespace spira
