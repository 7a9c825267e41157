#include "engine/tune/tune_estimate.hpp"

#include "engine/backend/plan.hpp"
#include "engine/base/text.hpp"
#include "engine/job/stage_tree.hpp"
#include "engine/scene/point_cloud.hpp"
#include "engine/tune/map_groups.hpp"
#include "engine/tune/sweep.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace spira {
namespace {

template <class Record> bool has_enough(const Record& record, const TuneRequest& request) {
  return record.dropped || static_cast<int>(record.ms.size()) >= request.protocol.min_samples;
}

class StepCosts {
 public:
  StepCosts(const TuneRequest& request, const PassTimes& pass, const TuningProfile& known, int scene)
      : request_(request), pass_(pass), known_(known), scene_(scene), levels_(levels_of(*request.network)) {}

  /// Returns the time of the feature computation of a layer with t = max.
  [[nodiscard]] double features_ms(const std::string& layer) const {
    return pass_.features_ms.at(static_cast<std::size_t>(request_.network->index_of(layer)));
  }
  /// Returns the feature time of a layer with this setting. If this time is not known, returns the time with
  /// t = max.
  [[nodiscard]] double features_ms(const std::string& layer, const LayerSetting& setting) const {
    const auto at = static_cast<std::size_t>(request_.network->index_of(layer));
    if (at >= pass_.features_with_ms.size()) return features_ms(layer);
    const auto& known = pass_.features_with_ms[at];
    const auto found = known.find(setting);
    return found == known.end() ? features_ms(layer) : found->second;
  }
  [[nodiscard]] double map_ms(const MapGroup& group) const {
    double most = 0;
    for (const auto& layers : group.layers) {
      for (const std::string& layer : layers)
        most = std::max(most, pass_.map_ms.at(static_cast<std::size_t>(request_.network->index_of(layer))));
    }
    return most;
  }
  [[nodiscard]] double cost_of_features_ms(const MapGroup& group, std::size_t shape) const {
    const int runs = std::max(1, request_.protocol.warmup) + request_.protocol.min_samples;
    const std::string& layer = group.layers[shape].front();
    double cost = 0;
    for (const LayerPass pass : passes_of(layer)) {
      for (const LayerSetting& one : settings_of(layer, pass)) {
        const bool enough =
            std::any_of(known_.features.begin(), known_.features.end(), [&](const FeatureRecord& record) {
              return record.scene == scene_ && record.shape == group.shapes[shape] && record.pass == pass &&
                     record.setting == one && has_enough(record, request_);
            });
        if (!enough) cost += (runs * features_ms(layer, one)) + map_ms(group);
      }
    }
    return cost;
  }
  [[nodiscard]] double cost_of_maps_ms(const MapGroup& group) const {
    const int runs = request_.protocol.warmup + request_.protocol.min_samples;
    std::set<LayerSetting> maps;
    for (const auto& layers : group.layers) {
      for (const LayerPass pass : {LayerPass::forward, LayerPass::dgrad, LayerPass::wgrad}) {
        if (pass != LayerPass::forward && !request_.training) continue;
        for (const LayerSetting& one : settings_of(layers.front(), pass))
          maps.insert(one.of_map());
      }
    }
    const std::size_t packings = std::max<std::size_t>(1, request_.packings.size());
    auto settings = static_cast<std::int64_t>(
        maps.size() * requested_algorithms(request_, group.map.kernel).size() * packings);
    for (const MapRecord& record : known_.maps)
      settings -= record.scene == scene_ && record.map == group.map && has_enough(record, request_) ? 1 : 0;
    return static_cast<double>(std::max<std::int64_t>(0, settings)) * runs * map_ms(group);
  }

  [[nodiscard]] std::vector<LayerPass> passes_of(const std::string& layer) const {
    const auto at = static_cast<std::size_t>(request_.network->index_of(layer));
    return requested_passes(request_, request_.network->layers[at], levels_.layers[at]);
  }

 private:
  [[nodiscard]] std::vector<LayerSetting> settings_of(const std::string& layer, LayerPass pass) const {
    const auto at = static_cast<std::size_t>(request_.network->index_of(layer));
    return requested_settings(request_, request_.network->layers[at], levels_.layers[at], pass);
  }

  const TuneRequest& request_;
  const PassTimes& pass_;
  const TuningProfile& known_;
  int scene_;
  Levels levels_;
};

/// Returns all steps in network order. `with_maps` is false in all of them.
std::vector<TuneStep> steps_in_network_order(const std::vector<MapGroup>& groups, const StepCosts& costs) {
  std::vector<TuneStep> steps;
  for (std::size_t group = 0; group < groups.size(); ++group) {
    for (std::size_t at = 0; at < groups[group].shapes.size(); ++at) {
      const std::vector<LayerPass> passes = costs.passes_of(groups[group].layers[at].front());
      if (passes.empty()) continue;
      TuneStep step;
      step.group = group;
      step.shape = groups[group].shapes[at];
      step.layers = groups[group].layers[at];
      step.possible_gain_ms =
          static_cast<double>(passes.size() * step.layers.size()) * costs.features_ms(step.layers.front());
      step.cost_ms = costs.cost_of_features_ms(groups[group], at);
      steps.push_back(std::move(step));
    }
  }
  return steps;
}

void add_maps_and_single(TuneStep& step, const MapGroup& group, const StepCosts& costs) {
  step.with_maps = true;
  step.cost_ms += costs.cost_of_maps_ms(group);
  for (std::size_t at = 0; at < group.shapes.size(); ++at) {
    if (costs.passes_of(group.layers[at].front()).empty())
      step.layers.insert(step.layers.end(), group.layers[at].begin(), group.layers[at].end());
  }
}

double sum_of_costs(const std::vector<TuneStep>& steps) {
  return std::accumulate(steps.begin(), steps.end(), 0.0,
                         [](double sum, const TuneStep& step) { return sum + step.cost_ms; });
}

std::string about_text(double ms) {
  if (ms < 9'950) return fixed(ms / 1000, 1) + " s";
  if (ms < 180'000) return std::to_string(std::llround(ms / 1000)) + " s";
  return std::to_string(std::llround(ms / 60'000)) + " min";
}

}  // namespace

PassTimes pass_times_of(const StageTree& stages, const Network& network) {
  PassTimes pass;
  const auto time_of = [&](const char* name, const std::string& layer) {
    const int node = stages.find(StageKey(name, layer));
    return node < 0 ? 0.0 : stages.median_ms(node);
  };
  for (const Layer& layer : network.layers) {
    pass.features_ms.push_back(time_of("features", layer.name));
    pass.map_ms.push_back(time_of("map", layer.name));
    pass.ready_ms += pass.features_ms.back() + pass.map_ms.back();
  }
  return pass;
}

namespace {

/// Returns the median time of the feature computation of a layer with this shape, or an empty value if there
/// are no samples.
std::optional<double> known_features_ms(const TuningProfile& profile, int scene, const LayerShape& shape,
                                        const LayerSetting& setting) {
  for (const FeatureRecord& record : profile.features) {
    if (record.scene == scene && record.shape == shape && record.pass == LayerPass::forward &&
        record.setting == setting && !record.ms.empty())
      return statistics(record.ms).median;
  }
  return std::nullopt;
}

double known_map_ms(const TuningProfile& profile, int scene, const MapKey& key, const LayerSetting& map) {
  for (const MapRecord& record : profile.maps) {
    if (record.scene == scene && record.map == key && record.setting == map && !record.ms.empty())
      return statistics(record.ms).median;
  }
  return 0;
}

}  // namespace

std::optional<PassTimes> pass_times_of(const TuningProfile& profile, int scene, const Network& network) {
  PassTimes pass;
  const Levels levels = levels_of(network);
  std::set<MapKey> mapped;
  for (std::size_t at = 0; at < network.layers.size(); ++at) {
    const LayerShape shape = shape_of(network.layers[at], levels.layers[at]);
    const std::vector<int> feasible = feasible_thresholds(network.layers[at]);
    const auto features_ms = known_features_ms(profile, scene, shape, feasible.back());
    // Transposed layers have only one setting, so profiles do not contain their times.
    if (!features_ms && feasible.size() > 1) return std::nullopt;
    MapKey key = levels.layers[at].map;
    if (!network.layers[at].has_map()) key.kernel.size = 0;  // A layer without a map.
    pass.features_ms.push_back(features_ms.value_or(0));
    pass.map_ms.push_back(mapped.insert(key).second ? known_map_ms(profile, scene, key, feasible.back()) : 0);
    pass.ready_ms += pass.features_ms.back() + pass.map_ms.back();
  }
  return pass;
}

void add_known_times(PassTimes& pass, const Sweep& sweep, const Network& network) {
  pass.features_with_ms.resize(network.layers.size());
  Plan plan = default_plan(network);
  for (const SweepRow& row : sweep.rows) {
    if (row.threshold < 0 || !row.why_not.empty()) continue;
    set_threshold(plan, network, row.threshold);
    for (std::size_t at = 0; at < network.layers.size(); ++at) {
      const int node = row.stages.find(StageKey("features", network.layers[at].name));
      if (node >= 0)
        pass.features_with_ms[at].try_emplace(plan.layers[at].threshold, row.stages.median_ms(node));
    }
  }
}

void add_known_times(PassTimes& pass, const TuningProfile& profile, int scene, const Network& network) {
  pass.features_with_ms.resize(network.layers.size());
  const Levels levels = levels_of(network);
  for (std::size_t at = 0; at < network.layers.size(); ++at) {
    const LayerShape shape = shape_of(network.layers[at], levels.layers[at]);
    for (const FeatureRecord& record : profile.features) {
      if (record.scene == scene && record.shape == shape && record.pass == LayerPass::forward &&
          !record.ms.empty())
        pass.features_with_ms[at].insert_or_assign(record.setting, statistics(record.ms).median);
    }
  }
}

double settings_end_ms(double budget_ms, double reserve_ms) noexcept {
  return budget_ms - std::min((1 - tune_share_for_settings) * budget_ms, reserve_ms);
}

void add_pass(PassTimes& pass, const PassTimes& more) {
  pass.features_ms.resize(more.features_ms.size(), 0.0);
  pass.map_ms.resize(more.map_ms.size(), 0.0);
  for (std::size_t at = 0; at < more.features_ms.size(); ++at) {
    pass.features_ms[at] += more.features_ms[at];
    pass.map_ms[at] += more.map_ms[at];
  }
  pass.ready_ms += more.ready_ms;
}

std::vector<TuneStep> tune_steps(const TuneRequest& request, const PassTimes& pass,
                                 const TuningProfile& known, int scene) {
  const std::vector<MapGroup> groups = groups_of(*request.network);
  const StepCosts costs(request, pass, known, scene);
  std::vector<TuneStep> left = steps_in_network_order(groups, costs), ordered;
  std::set<std::size_t> mapped;
  const auto cost_with_maps = [&](const TuneStep& step) {
    return step.cost_ms + (mapped.contains(step.group) ? 0.0 : costs.cost_of_maps_ms(groups[step.group]));
  };
  // Compare gain / cost by cross-multiplication, because the cost of a step can be 0.
  const auto before = [&](const TuneStep& a, const TuneStep& b) {
    const double a_gain = a.possible_gain_ms * cost_with_maps(b);
    const double b_gain = b.possible_gain_ms * cost_with_maps(a);
    return a_gain != b_gain ? a_gain > b_gain : a.possible_gain_ms > b.possible_gain_ms;
  };
  while (!left.empty()) {
    const auto next = std::min_element(left.begin(), left.end(), before);
    if (mapped.insert(next->group).second) add_maps_and_single(*next, groups[next->group], costs);
    ordered.push_back(std::move(*next));
    left.erase(next);
  }
  return ordered;
}

std::vector<std::string> TuneEstimate::covered(double budget_ms) const {
  const double end_ms = settings_end_ms(budget_ms, reserve_ms);
  double spent_ms = 0;
  std::vector<std::string> covered_layers;
  for (std::size_t at = 0; at < scenes.size(); ++at) {
    spent_ms += scenes[at].ready_ms;
    const double until_ms =
        spent_ms + (std::max(0.0, end_ms - spent_ms) / static_cast<double>(scenes.size() - at));
    std::vector<std::string> here;
    for (const TuneStep& step : scenes[at].steps) {
      if (spent_ms + step.cost_ms > until_ms) break;
      spent_ms += step.cost_ms;
      here.insert(here.end(), step.layers.begin(), step.layers.end());
    }
    if (at == 0) covered_layers = here;
    std::erase_if(covered_layers, [&](const std::string& layer) {
      return std::find(here.begin(), here.end(), layer) == here.end();
    });
  }
  return covered_layers;
}

std::string TuneEstimate::text(double budget_ms) const {
  const auto count = static_cast<int>(covered(budget_ms).size());
  const std::string all = std::to_string(layers);
  std::string text = about_text(budget_ms) + " will cover ";
  if (count == layers) {
    text += "all " + all + " layers, which need about ";
  } else {
    text += "about " + std::to_string(count) + " of " + all + " layers; all layers need about ";
  }
  text += about_text(all_ms);
  if (step_bytes > 0) text += "; a training step needs about " + bytes_text(step_bytes);
  if (!too_large.empty())
    text += "; " + counted_text(std::ssize(too_large), "setting", "settings") +
            " skipped, because the device has too little memory for " + too_large.front() +
            (too_large.size() > 1 ? " and others" : "");
  return text;
}

TuneEstimate estimate_tuning(const TuneRequest& request, const PassTimes& pass, const TuningProfile& known,
                             int scene) {
  TuneEstimate estimate;
  estimate.layers = static_cast<int>(request.network->layers.size());
  double spent_ms = 0, end_ms = 0;
  // The time to check the output: one run of the plan.
  const double check_ms = std::accumulate(pass.features_ms.begin(), pass.features_ms.end(), 0.0) +
                          std::accumulate(pass.map_ms.begin(), pass.map_ms.end(), 0.0);
  for (std::size_t at = 0; at < request.scenes.size(); ++at) {
    const auto points = [&](std::size_t of) { return static_cast<double>(request.scenes[of].cloud->size()); };
    const double ratio = at == 0 || points(0) == 0 ? 1.0 : points(at) / points(0);
    TuneEstimate::Scene one{pass.ready_ms * ratio, tune_steps(request, pass, known, at == 0 ? scene : -1)};
    for (TuneStep& step : one.steps) {
      step.possible_gain_ms *= ratio;
      step.cost_ms *= ratio;
    }
    estimate.reserve_ms += check_ms * ratio;
    spent_ms += one.ready_ms;
    const double steps_ms = sum_of_costs(one.steps);
    // The remaining time is divided equally among the remaining scenes. Therefore each of the other scenes
    // gets the same time as this scene.
    end_ms = std::max(end_ms, spent_ms + (steps_ms * static_cast<double>(request.scenes.size() - at)));
    spent_ms += steps_ms;
    estimate.scenes.push_back(std::move(one));
  }
  estimate.all_ms = std::min(end_ms + estimate.reserve_ms, end_ms / tune_share_for_settings);
  return estimate;
}

}  // namespace spira
