#include "engine/lesson/facts/network_time.hpp"

#include "engine/job/stage_tree.hpp"
#include "engine/lesson/facts/network_order.hpp"

#include <algorithm>

namespace spira {
namespace {

/// Returns the median of a stage timed in isolation, or 0 if it was not timed.
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
