#include "engine/lesson/facts/network_order.hpp"

#include "engine/job/stage_tree.hpp"

#include <algorithm>
#include <map>

namespace spira {
namespace {

StageKey level_stage(const Levels& levels, int number) {
  const bool without_stage = number == 1 || levels.set(number).rule.is_points();
  return without_stage ? StageKey("voxelize") : StageKey("downsample", level_text(levels, number));
}

/// Returns the stages whose output this layer reads. The "voxelize" stage computes the input of the network.
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

/// Appends the top-level stages to the timeline, one after another, and advances `end_ms`.
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
  std::map<MapUse, int> first;
  std::vector<int> builders;
  for (std::size_t at = 0; at < network.layers.size(); ++at) {
    if (!network.layers[at].has_map()) {
      builders.push_back(-1);
      continue;
    }
    const MapUse need = map_use(levels.layers[at], plan.layers.at(at));
    builders.push_back(first.emplace(need, static_cast<int>(at)).first->second);
  }
  return builders;
}

std::vector<StageNeeds> stage_needs(const Network& network, const Plan& plan, LevelOrder order) {
  const Levels levels = levels_of(network);
  const std::vector<int> builders = map_builders(network, plan);
  std::vector<StageNeeds> stages{{"voxelize", {}}};
  for (std::size_t at = 1; at < levels.sets.size(); ++at) {
    if (levels.sets[at].rule.is_points()) continue;  // No stage makes the rows of points.
    const int from = order == LevelOrder::closed_form ? 1 : levels.sets[at - 1].number;
    stages.push_back({level_stage(levels, levels.sets[at].number), {level_stage(levels, from)}});
  }
  for (std::size_t at = 0; at < network.layers.size(); ++at) {
    const Layer& layer = network.layers[at];
    if (builders[at] == static_cast<int>(at)) {
      const MapKey& key = levels.layers[at].map;
      stages.push_back({{"map", layer.name}, {level_stage(levels, key.stride_in)}});
      if (!key.submanifold()) stages.back().needs.push_back(level_stage(levels, key.stride_out));
    }
    std::vector<StageKey> needs = inputs_of(network, layer);
    if (builders[at] >= 0)
      needs.emplace_back("map", network.layers[static_cast<std::size_t>(builders[at])].name);
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
  timeline.how = "stages that were measured alone, one after another";
  timeline.tracks = {"alone"};
  double end_ms = 0;
  append(measurement.indexing, timeline, end_ms);
  for (const LayerMeasurement& layer : measurement.layers)
    append(layer.stages, timeline, end_ms);
  if (!timeline.spans.empty()) timeline.wall_ms = {end_ms};
  return timeline;
}

namespace {

/// Returns the median time of an isolated stage, or 0 if it was not timed.
double isolated_ms(const Measurement& measurement, const StageKey& stage) {
  if (const int node = measurement.indexing.find(stage); node >= 0)
    return measurement.indexing.median_ms(node);
  for (const LayerMeasurement& layer : measurement.layers) {
    if (const int node = layer.stages.find(stage); node >= 0) return layer.stages.median_ms(node);
  }
  return 0;
}

}  // namespace

bool is_indexing(const StageKey& stage) noexcept {
  return stage.phase == "voxelize" || stage.phase == "downsample" || stage.phase == "map";
}

std::vector<StageRatio> stage_ratios(const Measurement& measurement) {
  std::vector<StageRatio> ratios;
  if (measurement.timeline.mode != TimelineMode::in_situ) return ratios;
  for (const TimelineSpan& span : measurement.timeline.spans) {
    if (span.parent >= 0) continue;
    const double alone = isolated_ms(measurement, span.stage);
    const double beside = span.samples_ms.empty() ? span.length_ms() : median_of(span.samples_ms);
    if (alone > 0 && beside > 0) ratios.push_back({span.stage, span.track, beside, alone});
  }
  return ratios;
}

TimelinePart timeline_part(const Timeline& timeline, bool indexing) {
  TimelinePart part;
  for (const TimelineSpan& span : timeline.spans) {
    if (span.parent >= 0 || is_indexing(span.stage) != indexing) continue;
    part.begin_ms = part.spans == 0 ? span.start_ms : std::min(part.begin_ms, span.start_ms);
    part.end_ms = std::max(part.end_ms, span.end_ms);
    part.sum_ms += span.length_ms();
    ++part.spans;
  }
  return part;
}

std::size_t MapMemory::total_bytes() const {
  std::size_t sum = 0;
  for (const HeldMap& map : maps)
    sum += map.bytes;
  return sum;
}

MapMemory map_memory(const Network& network, const Measurement& measurement) {
  MapMemory memory;
  const std::vector<int> builders = map_builders(network, measurement.plan);
  std::vector<std::size_t> map_of(builders.size(), 0);
  const std::size_t layers = std::min(measurement.layers.size(), builders.size());
  for (std::size_t at = 0; at < layers; ++at) {
    const auto layer = static_cast<int>(at);
    const LayerMeasurement& measured = measurement.layers[at];
    if (builders[at] < 0) continue;
    if (builders[at] == layer) {
      map_of[at] = memory.maps.size();
      memory.maps.push_back({measured.name, 0, layer, layer});
    } else {
      map_of[at] = map_of[static_cast<std::size_t>(builders[at])];
    }
    HeldMap& map = memory.maps[map_of[at]];
    map.last_layer = layer;
    map.bytes = std::max(map.bytes, measured.map_bytes);
  }
  memory.layer_by_layer.assign(layers, 0);
  memory.network_wide.assign(layers, 0);
  for (const HeldMap& map : memory.maps) {
    for (int layer = 0; layer <= map.last_layer; ++layer) {
      const auto at = static_cast<std::size_t>(layer);
      memory.network_wide[at] += map.bytes;
      memory.layer_by_layer[at] += layer >= map.first_layer ? map.bytes : 0;
    }
  }
  return memory;
}

}  // namespace spira
