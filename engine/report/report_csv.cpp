#include "engine/base/text.hpp"
#include "engine/job/stage_names.hpp"
#include "engine/measure/percentiles.hpp"
#include "engine/report/report.hpp"

#include <optional>

namespace spira {
namespace {

std::string quoted(const std::string& cell) {
  std::string out = "\"";
  for (const char c : cell)
    out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

struct Series {
  std::string layer, stage;
  const std::vector<double>& samples_ms;
  std::optional<std::size_t> peak_bytes;
};

/// Calls `take` with each series: indexing, layers, then the whole network.
template <class Take> void for_each_series(const Report& report, Take take) {
  const Measurement& m = report.measurement;
  const auto take_stages = [&](const std::string& layer, const StageTree& stages) {
    for (int node = 0; node < static_cast<int>(stages.nodes.size()); ++node) {
      const StageNode& here = stages.nodes[static_cast<std::size_t>(node)];
      take(Series{layer, stages.path(node), here.samples_ms, here.peak_bytes});
    }
  };
  take_stages("", m.indexing);
  for (const auto& layer : m.layers)
    take_stages(layer.name, layer.stages);
  take(Series{"", "wall", m.wall.ms, m.peak_bytes});
  if (!m.compiled_wall.ms.empty()) take(Series{"", "one graph", m.compiled_wall.ms, m.compiled_bytes});
}

}  // namespace

std::string measurements_csv(const Report& report) {
  std::string text = "layer,stage,n,median_ms,q1_ms,q3_ms,min_ms,max_ms,peak_bytes,p90_ms,p95_ms,p99_ms\r\n";
  for_each_series(report, [&](const Series& series) {
    const Statistics s = statistics(series.samples_ms);
    text += quoted(series.layer) + "," + quoted(series.stage) + "," + std::to_string(s.n);
    for (const double value : {s.median, s.q1, s.q3, s.min, s.max})
      text += "," + fixed(value, 6);
    text += "," + (series.peak_bytes ? std::to_string(*series.peak_bytes) : "");
    for (const Percentile& one : percentiles(series.samples_ms))
      text += "," + (one.ms ? fixed(*one.ms, 6) : "");
    text += "\r\n";
  });
  return text;
}

std::string samples_csv(const Report& report) {
  std::string text = "layer,stage,sample,ms\r\n";
  for_each_series(report, [&](const Series& series) {
    for (std::size_t at = 0; at < series.samples_ms.size(); ++at)
      text += quoted(series.layer) + "," + quoted(series.stage) + "," + std::to_string(at) + "," +
              fixed(series.samples_ms[at], 6) + "\r\n";
  });
  return text;
}

std::string timeline_csv(const Report& report) {
  const Timeline& timeline = report.measurement.timeline;
  std::string text =
      "mode,track,layer,stage,inside,start_ms,end_ms,n,median_ms,q1_ms,q3_ms,min_ms,max_ms\r\n";
  for (const TimelineSpan& span : timeline.spans) {
    const Statistics s = statistics(span.samples_ms);
    const std::string inside =
        span.parent < 0 ? "" : timeline.spans[static_cast<std::size_t>(span.parent)].stage;
    text += quoted(std::string(text_of(timeline.mode))) + "," +
            quoted(timeline.tracks.at(static_cast<std::size_t>(span.track))) + "," +
            quoted(std::string(layer_of_stage(span.stage))) + "," + quoted(span.stage) + "," + quoted(inside);
    for (const double value : {span.start_ms, span.end_ms})
      text += "," + fixed(value, 6);
    text += "," + std::to_string(s.n);
    for (const double value : {s.median, s.q1, s.q3, s.min, s.max})
      text += "," + fixed(value, 6);
    text += "\r\n";
  }
  return text;
}

}  // namespace spira
