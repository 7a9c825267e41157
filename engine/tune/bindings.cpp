#include "engine/tune/bindings.hpp"

#include "engine/run/backward.hpp"
#include "engine/tune/map_groups.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

namespace spira {
namespace {

/// The entries of GroupTimes::shapes that get their settings together.
using Unit = std::vector<std::size_t>;

bool bound(LayerPass pass, Binding binding) {
  if (binding == Binding::forward_dgrad) return pass != LayerPass::wgrad;
  if (binding == Binding::dgrad_wgrad) return pass != LayerPass::forward;
  return binding == Binding::all_alike;
}

/// Returns the units in the order of their first entries.
std::vector<Unit> units_of(const GroupTimes& group, Binding binding) {
  std::vector<Unit> units;
  std::map<std::size_t, std::size_t> of_shape;  // The unit of the bound passes of a shape.
  for (std::size_t entry = 0; entry < group.shapes.size(); ++entry) {
    const ShapeTimes& times = group.shapes[entry];
    if (bound(times.pass, binding)) {
      const auto [unit, added] = of_shape.try_emplace(times.shape, units.size());
      if (!added) {
        units[unit->second].push_back(entry);
        continue;
      }
    }
    units.push_back({entry});
  }
  return units;
}

/// The medians of a group, so that many combinations can be compared quickly. Contains only settings that can
/// be selected.
class Medians {
 public:
  Medians(const GroupTimes& group, const GroupCosts& costs) : group_(group), costs_(costs) {
    for (const LayerSetting& map : costs.maps()) {
      index_of_.emplace(map, maps_ms_.size());
      maps_ms_.push_back(costs.median(costs.map(map)->ms));
    }
    keep_maps();
  }

  SettingPicks cheapest(Binding binding) const {
    const std::vector<Unit> units = units_of(group_, binding);
    std::vector<std::vector<Option>> options;
    for (const Unit& unit : units)
      options.push_back(kept_options(unit));
    std::vector<const Option*> best, chosen(units.size());
    double best_ms = std::numeric_limits<double>::infinity();
    for (std::uint32_t set = 1; set < 1U << kept_.size(); ++set) {
      const double ms = cost_of(options, set, best_ms, chosen);
      if (!(ms < best_ms)) continue;
      best = chosen;
      best_ms = ms;
    }
    SettingPicks picks(best.empty() ? 0 : group_.shapes.size());
    for (std::size_t unit = 0; unit < best.size(); ++unit) {
      for (std::size_t at = 0; at < units[unit].size(); ++at)
        picks[units[unit][at]] = best[unit]->settings[at];
    }
    return picks;
  }

 private:
  struct Option {
    SettingPicks settings;  // One for each entry of the unit.
    std::set<std::size_t> maps;
    std::uint32_t kept = 0;  // The same maps, as bits of the indices in `kept_`.
    double ms = 0;           // Features of all layers.
  };

  [[nodiscard]] std::vector<Option> options_of(const Unit& unit) const {
    std::vector<LayerSetting> candidates;
    for (const std::size_t entry : unit) {
      for (const FeatureSetting& one : group_.shapes[entry].settings) {
        if (std::find(candidates.begin(), candidates.end(), one.setting) == candidates.end())
          candidates.push_back(one.setting);
      }
    }
    std::vector<Option> options;
    for (const LayerSetting& candidate : candidates) {
      Option option;
      for (const std::size_t entry : unit) {
        const auto setting = setting_like(group_, costs_, entry, candidate);
        if (!setting) break;
        option.settings.push_back(*setting);
        option.maps.insert(index_of_.at(setting->of_map()));
        option.ms += group_.shapes[entry].layers * costs_.median(costs_.setting(entry, *setting)->ms);
      }
      if (option.settings.size() == unit.size()) options.push_back(std::move(option));
    }
    return options;
  }

  /// Returns the options of a unit that read only maps in `kept_`.
  [[nodiscard]] std::vector<Option> kept_options(const Unit& unit) const {
    std::vector<Option> kept;
    for (Option& option : options_of(unit)) {
      bool all = true;
      for (const std::size_t map : option.maps) {
        const auto found = std::find(kept_.begin(), kept_.end(), map);
        all = all && found != kept_.end();
        if (found != kept_.end()) option.kept |= 1U << static_cast<unsigned>(found - kept_.begin());
      }
      if (all) kept.push_back(std::move(option));
    }
    return kept;
  }

  /// Returns the smallest cost if only the maps of `set` may be built, with the options in `chosen`. Stops
  /// and returns a larger value if the cost is not below `limit_ms`.
  [[nodiscard]] double cost_of(const std::vector<std::vector<Option>>& options, std::uint32_t set,
                               double limit_ms, std::vector<const Option*>& chosen) const {
    double ms = 0;
    std::uint32_t used = 0;
    for (std::size_t unit = 0; unit < options.size(); ++unit) {
      const Option* best = nullptr;
      for (const Option& one : options[unit]) {
        if ((one.kept & ~set) == 0 && (best == nullptr || one.ms < best->ms)) best = &one;
      }
      if (best == nullptr) return std::numeric_limits<double>::infinity();
      double maps_ms = 0;
      for (std::size_t at = 0; at < kept_.size(); ++at)
        maps_ms += (best->kept & ~used) >> at & 1U ? maps_ms_[kept_[at]] : 0.0;
      ms += best->ms + maps_ms;
      if (!(ms < limit_ms)) return ms;
      used |= best->kept;
      chosen[unit] = best;
    }
    return ms;
  }

  /// Selects the maps to combine: all maps, or the maps with which the group is fastest if there are too
  /// many.
  void keep_maps() {
    for (std::size_t map = 0; map < maps_ms_.size(); ++map)
      kept_.push_back(map);
    if (kept_.size() <= most_maps_to_combine) return;
    std::vector<std::vector<Option>> options;
    for (const Unit& unit : units_of(group_, Binding::free))
      options.push_back(options_of(unit));
    const auto reads_only = [](const Option& one, std::size_t map) { return one.maps.contains(map); };
    // A map that is the only one for a shape must stay.
    const auto optional = [&](std::size_t map) {
      return std::none_of(options.begin(), options.end(), [&](const std::vector<Option>& all) {
        return !all.empty() &&
               std::all_of(all.begin(), all.end(), [&](const Option& one) { return reads_only(one, map); });
      });
    };
    // The time of the group if it may build only this map. Shapes that cannot use it do not count.
    const auto alone_ms = [&](std::size_t map) {
      double sum = maps_ms_[map];
      for (const std::vector<Option>& all : options) {
        const Option* best = nullptr;
        for (const Option& one : all) {
          if (reads_only(one, map) && (best == nullptr || one.ms < best->ms)) best = &one;
        }
        if (best != nullptr) sum += best->ms;
      }
      return sum;
    };
    std::stable_sort(kept_.begin(), kept_.end(), [&](std::size_t one, std::size_t other) {
      return std::pair(optional(one), alone_ms(one)) < std::pair(optional(other), alone_ms(other));
    });
    kept_.resize(most_maps_to_combine);
  }

  const GroupTimes& group_;
  const GroupCosts& costs_;
  std::vector<double> maps_ms_;
  std::map<LayerSetting, std::size_t> index_of_;  // Index into `maps_ms_`.
  std::vector<std::size_t> kept_;                 // The maps to combine.
};

}  // namespace

std::string_view text_of(Binding binding) noexcept {
  constexpr std::array<std::string_view, 4> texts{"all passes alike", "forward = dgrad", "dgrad = wgrad",
                                                  "free"};
  return texts.at(static_cast<std::size_t>(binding));
}

std::optional<LayerSetting> setting_like(const GroupTimes& group, const GroupCosts& costs, std::size_t entry,
                                         LayerSetting wanted) {
  const ShapeTimes& times = group.shapes[entry];
  const auto has = [&](const LayerSetting& setting) {
    return std::any_of(times.settings.begin(), times.settings.end(),
                       [&](const FeatureSetting& one) { return one.setting == setting; });
  };
  const bool only_lists = std::all_of(times.settings.begin(), times.settings.end(), [](const auto& one) {
    return one.setting.of_map() == LayerSetting(0);
  });
  if (times.pass == LayerPass::wgrad) wanted = wanted.of_map();
  if (times.settings.size() == 1) wanted = times.settings.front().setting;
  if (only_lists && !has(wanted)) wanted = 0;
  return costs.setting(entry, wanted) != nullptr ? std::optional(wanted) : std::nullopt;
}

SettingPicks cheapest(const GroupTimes& group, const GroupCosts& costs, Binding binding) {
  return Medians(group, costs).cheapest(binding);
}

std::vector<OneSetting> one_setting_for_all(const GroupTimes& group, const GroupCosts& costs) {
  std::set<LayerSetting> candidates;
  const bool choices = std::any_of(group.shapes.begin(), group.shapes.end(),
                                   [](const ShapeTimes& shape) { return shape.settings.size() > 1; });
  for (const ShapeTimes& shape : group.shapes) {
    for (const FeatureSetting& one : shape.settings) {
      if (shape.settings.size() > 1 || !choices) candidates.insert(one.setting);
    }
  }
  std::vector<OneSetting> all;
  for (const LayerSetting& candidate : candidates) {
    OneSetting one{candidate, {}, 0, 0};
    for (std::size_t entry = 0; entry < group.shapes.size(); ++entry) {
      const auto own = setting_like(group, costs, entry, candidate);
      if (!own) break;
      one.settings.push_back(*own);
    }
    if (one.settings.size() < group.shapes.size()) continue;
    one.cost_ms = costs.cost(one.settings);
    one.n = costs.fewest_samples(one.settings);
    all.push_back(std::move(one));
  }
  return all;
}

Plan plan_of(const TuningProfile& profile, const Network& network, Binding binding) {
  require_network(profile, network);
  const Levels levels = levels_of(network);
  const ScenePacks packs = packs_of(profile);
  Plan plan = default_plan(network);
  plan.precision = profile.precision;
  plan.source = "tuning profile, " + std::string(text_of(binding));
  for (std::size_t at = 0; at < network.layers.size(); ++at)
    plan.backward.push_back(default_backward(network.layers[at], levels.layers[at], plan.layers[at]));
  for (const MapGroup& group : groups_of(network, true)) {
    const MeasuredTimes measured = measured_times(profile, group, packs);
    if (std::none_of(measured.weights.begin(), measured.weights.end(),
                     [](double weight) { return weight > 0; }))
      continue;
    const SettingPicks picks =
        cheapest(measured.times, GroupCosts(measured.times, measured.weights), binding);
    for (std::size_t entry = 0; entry < std::min(picks.size(), measured.passes.size()); ++entry) {
      const GroupPass& pass = group.passes[measured.passes[entry]];
      for (const std::string& name : group.layers[pass.shape]) {
        const auto layer = static_cast<std::size_t>(network.index_of(name));
        BackwardPlan& backward = plan.backward[layer];
        LayerPlan& own = pass.pass == LayerPass::forward ? plan.layers[layer]
                         : pass.pass == LayerPass::dgrad ? backward.dgrad
                                                         : backward.wgrad;
        own.set(picks[entry]);
      }
    }
  }
  return plan;
}

}  // namespace spira
