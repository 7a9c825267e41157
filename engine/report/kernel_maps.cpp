#include "engine/report/kernel_maps.hpp"

#include <algorithm>

namespace spira {

std::vector<ReportedMap> kernel_maps(const Report& report) {
  const Measurement& m = report.measurement;
  if (report.network.layers.empty()) return {};
  const Levels levels = levels_of(report.network);
  std::vector<ReportedMap> maps;
  for (std::size_t at = 0; at < std::min(m.layers.size(), levels.layers.size()); ++at) {
    const MapKey& key = levels.layers[at].map;
    const auto reads = [&](const ReportedMap& map) { return map.key == key; };
    const auto alike = [&](const ReportedMap& map) {
      return reads(map) && m.plan.layers.at(static_cast<std::size_t>(map.built_by)) == m.plan.layers.at(at);
    };
    auto found = maps.rend();
    if (m.layers[at].map_shared) {
      found = std::find_if(maps.rbegin(), maps.rend(), alike);
      if (found == maps.rend()) found = std::find_if(maps.rbegin(), maps.rend(), reads);
    }
    const int layer = static_cast<int>(at);
    if (found == maps.rend()) {
      maps.push_back({key, layer, {layer}, m.layers[at].map_bytes});
    } else {
      found->used_by.push_back(layer);
    }
  }
  return maps;
}

}  // namespace spira
