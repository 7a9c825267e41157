#include "engine/tune/map_groups.hpp"

#include "engine/backend/plan.hpp"
#include "engine/run/backward.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace spira {
namespace {

std::vector<MapSetting> maps_of(const TuningProfile& profile, const MapKey& key, const ScenePacks& packs) {
  std::map<std::pair<LayerSetting, MapAlgorithm>, MapSetting> maps;
  for (const MapRecord& record : profile.maps) {
    const auto scene = static_cast<std::size_t>(record.scene);
    if (record.map != key || record.pack != packs[scene]) continue;
    MapSetting& map = maps[{record.setting, record.algorithm}];
    map.setting = record.setting;
    map.algorithm = record.algorithm;
    map.ms.resize(profile.scenes.size());
    map.ms[scene] = record.ms;
  }
  std::vector<MapSetting> all;
  for (auto& [setting, map] : maps)
    all.push_back(std::move(map));
  return all;
}

ShapeTimes shape_times(const TuningProfile& profile, const MapGroup& group, const GroupPass& pass) {
  ShapeTimes shape;
  shape.layers = pass.layers;
  shape.max_threshold = pass.thresholds.back();
  shape.pass = pass.pass;
  shape.shape = pass.shape;
  std::set<LayerSetting> more;
  const auto belongs = [&](const FeatureRecord& record) {
    return record.shape == group.shapes[pass.shape] && record.pass == pass.pass;
  };
  for (const FeatureRecord& record : profile.features) {
    if (belongs(record) && !record.setting.is_threshold()) more.insert(record.setting);
  }
  std::vector<LayerSetting> settings(pass.thresholds.begin(), pass.thresholds.end());
  settings.insert(settings.end(), more.begin(), more.end());
  for (const LayerSetting& wanted : settings) {
    FeatureSetting setting;
    setting.setting = wanted;
    for (const FeatureRecord& record : profile.features) {
      if (!belongs(record) || record.setting != wanted) continue;
      setting.ms.resize(profile.scenes.size());
      setting.ms[static_cast<std::size_t>(record.scene)] = record.ms;
      setting.usable = setting.usable && record.output.ok;
    }
    shape.settings.push_back(std::move(setting));
  }
  return shape;
}

template <class Settings> bool any_on(const Settings& settings, std::size_t scene) {
  return std::any_of(settings.begin(), settings.end(),
                     [scene](const auto& one) { return scene < one.ms.size() && !one.ms[scene].empty(); });
}

bool measured_anywhere(const ShapeTimes& shape, std::size_t scenes) {
  for (std::size_t scene = 0; scene < scenes; ++scene) {
    if (any_on(shape.settings, scene)) return true;
  }
  return shape.settings.size() == 1;
}

/// Returns the weights of the scenes. A scene that was not measured before the time budget ended has the
/// weight 0.
std::vector<double> weights_for(const TuningProfile& profile, const GroupTimes& times) {
  std::vector<double> weights = weights_of(profile);
  for (std::size_t scene = 0; scene < weights.size(); ++scene) {
    const bool measured = any_on(times.maps, scene) &&
                          std::all_of(times.shapes.begin(), times.shapes.end(), [&](const ShapeTimes& shape) {
                            return shape.settings.size() == 1 || any_on(shape.settings, scene);
                          });
    if (!measured) weights[scene] = 0;
  }
  return weights;
}

}  // namespace

namespace {

/// Adds the backward passes of the layers of a group.
void add_backward(MapGroup& group, const Network& network, const Levels& levels,
                  const std::vector<bool>& trained) {
  for (std::size_t shape = 0; shape < group.shapes.size(); ++shape) {
    for (const LayerPass pass : {LayerPass::dgrad, LayerPass::wgrad}) {
      GroupPass added{shape, pass, 0, {}, {}};
      for (const std::string& name : group.layers[shape]) {
        const auto at = static_cast<std::size_t>(network.index_of(name));
        const Layer& layer = network.layers[at];
        if (!trained[at] || (pass == LayerPass::dgrad && !needs_dgrad(network, layer))) continue;
        ++added.layers;
        added.thresholds = feasible_thresholds(layer, levels.layers[at], pass);
        added.plain = plain_setting(layer, levels.layers[at], pass);
      }
      if (added.layers > 0) group.passes.push_back(std::move(added));
    }
  }
}

}  // namespace

LayerSetting plain_setting(const Layer& layer, const LayerLevels& levels, LayerPass pass) {
  LayerPlan forward;
  forward.set_threshold(feasible_thresholds(layer).back());
  if (pass == LayerPass::forward) return forward.dataflow();
  const BackwardPlan backward = default_backward(layer, levels, forward);
  return (pass == LayerPass::dgrad ? backward.dgrad : backward.wgrad).dataflow();
}

std::vector<MapGroup> groups_of(const Network& network, bool training) {
  const Levels levels = levels_of(network);
  const std::vector<bool> trained = training ? trained_layers(network) : std::vector<bool>();
  std::vector<MapGroup> groups;
  for (const MapKey& key : levels.maps) {
    MapGroup group;
    group.map = key;
    for (std::size_t at = 0; at < network.layers.size(); ++at) {
      const Layer& layer = network.layers[at];
      if (levels.layers[at].map != key || !layer.convolution()) continue;
      const LayerShape shape = shape_of(layer, levels.layers[at]);
      const auto found = std::find(group.shapes.begin(), group.shapes.end(), shape);
      const auto index = static_cast<std::size_t>(found - group.shapes.begin());
      if (found == group.shapes.end()) {
        group.shapes.push_back(shape);
        group.layers.emplace_back();
        group.passes.push_back({index, LayerPass::forward, 0, feasible_thresholds(layer),
                                plain_setting(layer, levels.layers[at], LayerPass::forward)});
      }
      group.layers[index].push_back(layer.name);
      ++group.passes[index].layers;
    }
    if (training) add_backward(group, network, levels, trained);
    groups.push_back(std::move(group));
  }
  return groups;
}

ScenePacks packs_of(const TuningProfile& profile) {
  if (profile.packing.pack) return ScenePacks(profile.scenes.size(), *profile.packing.pack);
  ScenePacks packs;
  for (const TunedScene& scene : profile.scenes)
    packs.push_back(scene.pack);
  return packs;
}

std::vector<double> weights_of(const TuningProfile& profile) {
  std::vector<double> weights;
  for (const TunedScene& scene : profile.scenes)
    weights.push_back(scene.weight);
  return weights;
}

std::optional<std::size_t> position_of(const MeasuredTimes& measured, const MapGroup& group,
                                       std::size_t shape, LayerPass pass) {
  for (std::size_t at = 0; at < measured.passes.size(); ++at) {
    const GroupPass& one = group.passes[measured.passes[at]];
    if (one.shape == shape && one.pass == pass) return at;
  }
  return std::nullopt;
}

MeasuredTimes measured_times(const TuningProfile& profile, const MapGroup& group, const ScenePacks& packs) {
  MeasuredTimes found;
  found.times.maps = maps_of(profile, group.map, packs);
  std::map<LayerSetting, int> others;  // The number of layers of the other shapes, by plain_setting().
  for (std::size_t shape = 0; shape < group.shapes.size(); ++shape) {
    std::vector<ShapeTimes> own;
    std::vector<std::size_t> passes;
    for (std::size_t at = 0; at < group.passes.size(); ++at) {
      if (group.passes[at].shape != shape) continue;
      own.push_back(shape_times(profile, group, group.passes[at]));
      passes.push_back(at);
    }
    const bool measured = std::all_of(own.begin(), own.end(), [&](const ShapeTimes& times) {
      return measured_anywhere(times, profile.scenes.size());
    });
    for (std::size_t at = 0; at < own.size(); ++at) {
      const GroupPass& pass = group.passes[passes[at]];
      // A layer without samples of its backward passes keeps the choice of its forward pass.
      const bool forward =
          own[at].pass == LayerPass::forward && measured_anywhere(own[at], profile.scenes.size());
      if (!measured && !forward) {
        others[pass.plain] += pass.layers;
        continue;
      }
      found.times.shapes.push_back(std::move(own[at]));
      found.passes.push_back(passes[at]);
    }
  }
  found.weights = weights_for(profile, found.times);
  std::size_t number = group.shapes.size();
  for (const auto& [plain, layers] : others)
    found.times.shapes.push_back(
        {layers, plain.threshold, {{plain, {}, true}}, LayerPass::forward, number++});
  return found;
}

}  // namespace spira
