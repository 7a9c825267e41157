#include "engine/tune/map_groups.hpp"

#include "engine/backend/plan.hpp"

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

ShapeTimes shape_times(const TuningProfile& profile, const MapGroup& group, std::size_t at) {
  ShapeTimes shape;
  shape.layers = static_cast<int>(group.layers[at].size());
  shape.max_threshold = group.feasible[at].back();
  std::set<LayerSetting> more;
  for (const FeatureRecord& record : profile.features) {
    if (record.shape == group.shapes[at] && !record.setting.is_threshold()) more.insert(record.setting);
  }
  std::vector<LayerSetting> settings(group.feasible[at].begin(), group.feasible[at].end());
  settings.insert(settings.end(), more.begin(), more.end());
  for (const LayerSetting& wanted : settings) {
    FeatureSetting setting;
    setting.setting = wanted;
    for (const FeatureRecord& record : profile.features) {
      if (record.shape != group.shapes[at] || record.setting != wanted) continue;
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

std::vector<MapGroup> groups_of(const Network& network) {
  const Levels levels = levels_of(network);
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
        group.feasible.push_back(feasible_thresholds(layer));
      }
      group.layers[index].push_back(layer.name);
    }
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

MeasuredTimes measured_times(const TuningProfile& profile, const MapGroup& group, const ScenePacks& packs) {
  MeasuredTimes found;
  found.times.maps = maps_of(profile, group.map, packs);
  ShapeTimes others;
  others.layers = 0;
  for (std::size_t at = 0; at < group.shapes.size(); ++at) {
    ShapeTimes shape = shape_times(profile, group, at);
    if (measured_anywhere(shape, profile.scenes.size())) {
      found.times.shapes.push_back(std::move(shape));
      found.shapes.push_back(at);
    } else {
      others.layers += shape.layers;
      others.max_threshold = shape.max_threshold;
    }
  }
  found.weights = weights_for(profile, found.times);
  if (others.layers > 0) {
    others.settings.push_back({others.max_threshold, {}, true});
    found.times.shapes.push_back(std::move(others));
  }
  return found;
}

}  // namespace spira
