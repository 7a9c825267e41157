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

void add_rows(std::string& text, const std::string& layer, const StageTree& stages) {
  for (int node = 0; node < static_cast<int>(stages.nodes.size()); ++node) {
    const StageNode& here = stages.nodes[static_cast<std::size_t>(node)];
    const Statistics s = statistics(here.samples_ms);
    text += quoted(layer) + "," + quoted(stages.path(node)) + "," + std::to_string(s.n);
    for (const double value : {s.median, s.q1, s.q3, s.min, s.max})
      text += "," + fixed(value, 6);
    text += "," + (here.peak_bytes ? std::to_string(*here.peak_bytes) : "") + "\r\n";
  }
}

}  // namespace

std::string measurements_csv(const Report& report) {
  std::string text = "layer,stage,n,median_ms,q1_ms,q3_ms,min_ms,max_ms,peak_bytes\r\n";
  add_rows(text, "", report.measurement.indexing);
  for (const auto& layer : report.measurement.layers)
    add_rows(text, layer.name, layer.stages);
  const Statistics wall = report.measurement.wall.stats();
  text += "\"\",\"wall\"," + std::to_string(wall.n);
  for (const double value : {wall.median, wall.q1, wall.q3, wall.min, wall.max})
    text += "," + fixed(value, 6);
  return text + "," + std::to_string(report.measurement.peak_bytes) + "\r\n";
}

}  // namespace spira
