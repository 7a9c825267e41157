#include "ui/panels/profile/run_times.hpp"

#include "ui/panels/profile/breakdown_bars.hpp"

#include <algorithm>

namespace spira::ui {
namespace {

const StageTree* stages_of(const Workspace& workspace, int layer) {
  const auto at = static_cast<std::size_t>(layer);
  if (const auto& measured = workspace.measurement())
    return at < measured->layers.size() ? &measured->layers[at].stages : nullptr;
  const auto& result = workspace.layer(layer);
  return result ? &result->stages : nullptr;
}

}  // namespace

std::optional<RunTimes> run_times(const Workspace& workspace) {
  const auto& network = workspace.network();
  const auto& measured = workspace.measurement();
  if (!network || workspace.layersRun() == 0) return std::nullopt;
  RunTimes times;
  times.layers = static_cast<int>(network->layers.size());
  times.layers_run = workspace.layersRun();
  std::map<StageGroup, double> groups;
  const auto add = [&](const std::map<StageGroup, double>& parts) {
    for (const auto& [group, ms] : parts)
      groups[group] += ms;
  };
  if (measured) {
    times.samples = measured->repetitions();
    if (!measured->wall.ms.empty()) times.wall = measured->wall.stats();
    if (!measured->compiled_wall.ms.empty()) times.graph = measured->compiled_wall.stats();
    times.sum_ms = measured->indexing.sum_of_tops_ms();
    add(parts_of(measured->indexing));
  } else if (workspace.voxels()) {
    times.sum_ms = workspace.voxels()->stages.sum_of_tops_ms();
    add(parts_of(workspace.voxels()->stages));
  }
  for (int layer = 0; layer < times.layers; ++layer) {
    const StageTree* stages = stages_of(workspace, layer);
    if (stages == nullptr || stages->nodes.empty()) continue;
    times.slowest.push_back({layer, stages->sum_of_tops_ms(), 0, parts_of(*stages)});
    times.sum_ms += times.slowest.back().ms;
    add(times.slowest.back().parts);
  }
  if (times.slowest.empty()) return std::nullopt;
  std::stable_sort(times.slowest.begin(), times.slowest.end(),
                   [](const LayerTime& a, const LayerTime& b) { return a.ms > b.ms; });
  constexpr std::size_t most = 5;
  times.slowest.resize(std::min(most, times.slowest.size()));
  for (LayerTime& layer : times.slowest)
    layer.share = times.sum_ms > 0 ? layer.ms / times.sum_ms : 0;
  times.stages.assign(groups.begin(), groups.end());
  std::erase_if(times.stages, [](const auto& stage) { return stage.second <= 0; });
  std::stable_sort(times.stages.begin(), times.stages.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return times;
}

}  // namespace spira::ui
