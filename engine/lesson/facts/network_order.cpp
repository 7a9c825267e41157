#include "engine/lesson/facts/network_order.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace spira {
namespace {

/// Properties of the map of a layer. Layers with equal properties share one map.
using MapNeed = std::tuple<MapKey, int, MapAlgorithm, MapLayout>;

MapNeed need_of(const LayerLevels& levels, const LayerPlan& plan) {
  return {levels.map, levels.transposed ? 0 : plan.threshold, plan.algorithm, plan.dense_layout};
}

StageKey level_stage(int stride) {
  return stride == 1 ? StageKey("voxelize") : StageKey("downsample", std::to_string(stride));
}

/// Returns the stages whose output this layer reads. The stage "voxelize" computes the input of the network.
std::vector<StageKey> inputs_of(const Network& network, const Layer& layer) {
  std::vector<StageKey> stages;
  auto names = layer.inputs;
  if (!layer.residual.empty()) names.push_back(layer.residual);
  for (const std::string& name : names) {
    const StageKey stage = network.index_of(name) < 0 ? StageKey("voxelize") : StageKey("features", name);
    if (std::find(stages.begin(), stages.end(), stage) == stages.end()) stages.push_back(stage);
  }
  return stages;
}

/// Appends the top-level stages after the existing spans of the timeline and advances `end_ms`.
void append(const StageTree& stages, Timeline& timeline, double& end_ms) {
  for (std::size_t at = 0; at < stages.nodes.size(); ++at) {
    const StageNode& node = stages.nodes[at];
    if (node.parent >= 0 || node.samples_ms.empty()) continue;
    const double begin_ms = end_ms;
    end_ms += stages.median_ms(static_cast<int>(at));
    timeline.spans.push_back({node.name, 0, -1, begin_ms, end_ms, node.samples_ms});
  }
}

}  // namespace

std::vector<int> map_builders(const Network& network, const Plan& plan) {
  const Levels levels = levels_of(network);
  std::map<MapNeed, int> first;
  std::vector<int> builders;
  for (std::size_t at = 0; at < network.layers.size(); ++at) {
    const MapNeed need = need_of(levels.layers[at], plan.layers.at(at));
    builders.push_back(first.emplace(need, static_cast<int>(at)).first->second);
  }
  return builders;
}

std::vector<StageNeeds> stage_needs(const Network& network, const Plan& plan, LevelOrder order) {
  const Levels levels = levels_of(network);
  const std::vector<int> builders = map_builders(network, plan);
  std::vector<StageNeeds> stages{{"voxelize", {}}};
  for (std::size_t at = 1; at < levels.strides.size(); ++at) {
    const int from = order == LevelOrder::closed_form ? 1 : levels.strides[at - 1];
    stages.push_back({level_stage(levels.strides[at]), {level_stage(from)}});
  }
  for (std::size_t at = 0; at < network.layers.size(); ++at) {
    const Layer& layer = network.layers[at];
    const Layer& builder = network.layers[static_cast<std::size_t>(builders[at])];
    if (builders[at] == static_cast<int>(at)) {
      const MapKey& key = levels.layers[at].map;
      stages.push_back({{"map", layer.name}, {level_stage(key.stride_in)}});
      if (!key.submanifold()) stages.back().needs.push_back(level_stage(key.stride_out));
    }
    std::vector<StageKey> needs = inputs_of(network, layer);
    needs.emplace_back("map", builder.name);
    stages.push_back({{"features", layer.name}, std::move(needs)});
  }
  return stages;
}

std::vector<StageNeeds> indexing_needs(const Network& network, const Plan& plan, LevelOrder order) {
  std::vector<StageNeeds> stages = stage_needs(network, plan, order);
  std::erase_if(stages, [](const StageNeeds& stage) { return stage.stage.phase == "features"; });
  return stages;
}

int longest_wait(const std::vector<StageNeeds>& stages) {
  std::map<StageKey, int> behind;
  int longest = 0;
  for (const StageNeeds& stage : stages) {
    int before = 0;
    for (const StageKey& need : stage.needs)
      before = std::max(before, behind[need]);
    behind[stage.stage] = before + 1;
    longest = std::max(longest, before + 1);
  }
  return longest;
}

Timeline serial_timeline(const Measurement& measurement) {
  Timeline timeline;
  timeline.mode = TimelineMode::one_after_another;
  timeline.clock = measurement.indexing.clock;
  timeline.how = "isolated stages, end to end";
  timeline.tracks = {"alone"};
  double end_ms = 0;
  append(measurement.indexing, timeline, end_ms);
  for (const LayerMeasurement& layer : measurement.layers)
    append(layer.stages, timeline, end_ms);
  if (!timeline.spans.empty()) timeline.wall_ms = {end_ms};
  return timeline;
}

}  // namespace spira
