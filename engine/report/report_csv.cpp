#include "engine/base/text.hpp"
#include "engine/report/report.hpp"

namespace spira {
namespace {

std::string quoted(const std::string& cell) {
  std::string out = "\"";
  for (const char c : cell)
    out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

/// Calls `take` with layer, stage and samples of each series: indexing, layers, then the whole network.
template <class Take> void for_each_series(const Report& report, Take take) {
  const Measurement& m = report.measurement;
  const auto take_stages = [&](const std::string& layer, const StageTree& stages) {
    for (int node = 0; node < static_cast<int>(stages.nodes.size()); ++node)
      take(layer, stages.path(node), stages.nodes[static_cast<std::size_t>(node)].samples_ms);
  };
  take_stages("", m.indexing);
  for (const auto& layer : m.layers)
    take_stages(layer.name, layer.stages);
  take("", "wall", m.wall.ms);
  if (!m.compiled_wall.ms.empty()) take("", "one graph", m.compiled_wall.ms);
}

}  // namespace

std::string measurements_csv(const Report& report) {
  std::string text = "layer,stage,n,median_ms,q1_ms,q3_ms,min_ms,max_ms\r\n";
  for_each_series(
      report, [&](const std::string& layer, const std::string& stage, const std::vector<double>& samples_ms) {
        const Statistics s = statistics(samples_ms);
        text += quoted(layer) + "," + quoted(stage) + "," + std::to_string(s.n);
        for (const double value : {s.median, s.q1, s.q3, s.min, s.max})
          text += "," + fixed(value, 6);
        text += "\r\n";
      });
  return text;
}

std::string samples_csv(const Report& report) {
  std::string text = "layer,stage,sample,ms\r\n";
  for_each_series(
      report, [&](const std::string& layer, const std::string& stage, const std::vector<double>& samples_ms) {
        for (std::size_t at = 0; at < samples_ms.size(); ++at)
          text += quoted(layer) + "," + quoted(stage) + "," + std::to_string(at) + "," +
                  fixed(samples_ms[at], 6) + "\r\n";
      });
  return text;
}

}  // namespace spira
