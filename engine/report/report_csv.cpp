#include "engine/backend/dataflow.hpp"
#include "engine/base/text.hpp"
#include "engine/measure/sampling.hpp"
#include "engine/measure/statistics.hpp"
#include "engine/report/report.hpp"
#include "engine/report/report_exports.hpp"

#include <algorithm>
#include <optional>

namespace spira {
namespace {

struct Series {
  int layer = -1;
  StageKey stage;  ///< For a series of the whole network, the phase of this key is the name of the mode.
  std::string mode;
  const Samples& samples;
  std::optional<std::size_t> peak_bytes;
  std::string dataflow;
};

/// Returns the dataflow of a layer. Returns an empty string for series of the whole network.
std::string dataflow_of(const Report& report, int layer) {
  const auto& plan = report.measurement.plan.layers;
  const auto at = static_cast<std::size_t>(layer);
  const bool known = layer >= 0 && at < std::min(plan.size(), report.network.layers.size());
  return known ? dataflow_text(report.network.layers[at], plan[at]) : "";
}

/// Calls `take` for each stage of a tree. If `layer` is -1, the stages name their layers.
template <class Take>
void for_each_stage(const Report& report, int layer, const StageTree& stages, const std::string& mode,
                    const std::optional<std::string>& dataflow, Take take) {
  for (int node = 0; node < static_cast<int>(stages.nodes.size()); ++node) {
    const StageNode& here = stages.nodes[static_cast<std::size_t>(node)];
    const StageKey key = stages.key(node);
    const int of = layer >= 0 ? layer : report.network.index_of(key.layer());
    take(Series{of, key, mode, Samples{here.samples_ms}, here.peak_bytes,
                dataflow ? *dataflow : dataflow_of(report, of)});
  }
}

/// Calls `take` for each series of the training steps.
template <class Take> void for_each_training_series(const Report& report, Take take) {
  const Measurement& m = report.measurement;
  const std::string mode = "training";
  for_each_stage(report, -1, m.training->stages, mode, std::nullopt, take);
  for (int layer = 0; layer < static_cast<int>(m.layers.size()); ++layer) {
    const auto& backward = m.layers[static_cast<std::size_t>(layer)].backward;
    if (!backward) continue;
    for (const PassMeasurement* pass : {&backward->dgrad, &backward->wgrad})
      for_each_stage(report, layer, pass->stages, mode, pass->dataflow, take);
  }
  take(Series{-1, "training step", mode, m.training->wall, m.training->peak_bytes, ""});
}

/// Calls `take` for each series of samples: first indexing, then the layers, then the whole network, then the
/// training steps.
template <class Take> void for_each_series(const Report& report, Take take) {
  const Measurement& m = report.measurement;
  for_each_stage(report, -1, m.indexing, "isolated", std::nullopt, take);
  for (int layer = 0; layer < static_cast<int>(m.layers.size()); ++layer)
    for_each_stage(report, layer, m.layers[static_cast<std::size_t>(layer)].stages, "isolated", std::nullopt,
                   take);
  take(Series{-1, "wall", "wall", m.wall, m.peak_bytes, ""});
  if (!m.compiled_wall.ms.empty())
    take(Series{-1, "one graph", "one graph", m.compiled_wall, m.compiled_bytes, ""});
  if (m.training) for_each_training_series(report, take);
}

std::string layer_cell(const Report& report, int layer) {
  return csv_cell(layer < 0 ? "" : report.measurement.layers.at(static_cast<std::size_t>(layer)).name);
}

std::string threshold_cell(const Report& report, int layer) {
  const auto& plan = report.measurement.plan.layers;
  const auto at = static_cast<std::size_t>(layer);
  return layer < 0 || at >= plan.size() ? "" : std::to_string(plan[at].threshold);
}

/// Returns the median of the clock rates that were measured after the samples, or an empty string if the
/// clock was not queried.
std::string clock_cell(const Samples& samples) {
  const std::vector<double> all(samples.sm_clock_mhz.begin(), samples.sm_clock_mhz.end());
  return all.empty() ? "" : fixed(statistics(all).median, 0);
}

/// Returns the flags of a series, such as "held_back:2;near_timer_resolution".
std::string flags_cell(const Samples& samples, double median_ms) {
  std::string flags;
  if (const auto held = std::count(samples.held_back.begin(), samples.held_back.end(), true); held > 0)
    flags = "held_back:" + std::to_string(held);
  if (near_timer_resolution(median_ms))
    flags += std::string(flags.empty() ? "" : ";") + "near_timer_resolution";
  return flags;
}

std::string measurement_row(const Report& report, const std::string& head, const Series& series) {
  const Statistics s = series.samples.stats();
  std::string text = head + "," + layer_cell(report, series.layer) + "," + csv_cell(series.stage.name()) +
                     "," + series.mode + ",warm," + threshold_cell(report, series.layer) + "," +
                     std::to_string(report.scene.pack.word_bits()) + "," + std::to_string(s.n);
  for (const double value : {s.median, s.q1, s.q3, s.min, s.max})
    text += "," + fixed(value, 6);
  text += "," + (s.median > 0 ? fixed(s.iqr() / s.median, 6) : "") + "," + clock_cell(series.samples) + "," +
          flags_cell(series.samples, s.median) + "," + csv_cell(series.stage.text()) + "," +
          (series.peak_bytes ? std::to_string(*series.peak_bytes) : "");
  for (const Percentile& one : percentiles(series.samples.ms))
    text += "," + (one.ms ? fixed(*one.ms, 6) : "");
  return text + "," + series.dataflow + "\r\n";
}

}  // namespace

std::string measurements_csv(const Report& report) {
  const std::string head = report_id(report) + "," + csv_cell(report.measurement.device.name) + "," +
                           csv_cell(report.measurement.device.driver) + "," + csv_cell(report.scene.name);
  std::string text =
      "report_id,device,driver,scene,layer,phase,mode,cache,t,word_bits,n,median_ms,q1_ms,q3_ms,min_ms,max_"
      "ms,"
      "iqr_rel,sm_clock_mhz,flags,stage,peak_bytes,p90_ms,p95_ms,p99_ms,dataflow\r\n";
  for_each_series(report, [&](const Series& series) { text += measurement_row(report, head, series); });
  return text;
}

std::string samples_csv(const Report& report) {
  const std::string id = report_id(report);
  std::string text = "layer,stage,sample,ms,held_back,sm_clock_mhz,report_id\r\n";
  for_each_series(report, [&](const Series& series) {
    const Samples& samples = series.samples;
    for (std::size_t at = 0; at < samples.ms.size(); ++at) {
      const std::string held = at < samples.held_back.size() ? (samples.held_back[at] ? "1" : "0") : "";
      const std::string clock =
          at < samples.sm_clock_mhz.size() ? std::to_string(samples.sm_clock_mhz[at]) : "";
      text += layer_cell(report, series.layer) + "," + csv_cell(series.stage.text()) + "," +
              std::to_string(at) + "," + fixed(samples.ms[at], 6) + "," + held + "," + clock + "," + id +
              "\r\n";
    }
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
        span.parent < 0 ? "" : timeline.spans[static_cast<std::size_t>(span.parent)].stage.text();
    text += csv_cell(text_of(timeline.mode)) + "," +
            csv_cell(timeline.tracks.at(static_cast<std::size_t>(span.track))) + "," +
            csv_cell(span.stage.layer()) + "," + csv_cell(span.stage.text()) + "," + csv_cell(inside);
    for (const double value : {span.start_ms, span.end_ms})
      text += "," + fixed(value, 6);
    text += "," + std::to_string(s.n);
    for (const double value : {s.median, s.q1, s.q3, s.min, s.max})
      text += "," + fixed(value, 6);
    text += "\r\n";
  }
  return text;
}

namespace {

constexpr std::string_view densities_heading = "map,dx,dy,dz,l1,matches,n_out,density,triplets\r\n";

std::string density_rows(const std::string& map, const Densities& found) {
  std::string text;
  for (const ColumnDensity& column : found.columns) {
    text += map;
    for (const auto part : column.offset)
      text += "," + std::to_string(part);
    text += "," + std::to_string(column.l1) + "," + std::to_string(column.matches) + "," +
            std::to_string(found.outputs) + "," + fixed(column.density, 9) + "," +
            std::to_string(column.triplets) + "\r\n";
  }
  return text;
}

}  // namespace

std::string densities_csv(const Report& report) {
  std::string text(densities_heading);
  int number = 0;
  for (const ReportedMap& map : kernel_maps(report)) {
    const std::string name = "m" + std::to_string(++number);
    const auto built = static_cast<std::size_t>(map.built_by);
    if (built < report.layer_densities.size()) text += density_rows(name, report.layer_densities[built]);
  }
  return text;
}

std::string densities_csv(const std::string& map, const Densities& densities) {
  return std::string(densities_heading) + density_rows(csv_cell(map), densities);
}

std::string sweeps_csv(const Report& report) {
  return sweeps_csv({report.threshold_sweep, report.pack_sweep});
}

std::string sweeps_csv(const std::vector<std::shared_ptr<const Sweep>>& sweeps) {
  std::string text;
  for (const auto& sweep : sweeps) {
    if (!sweep) continue;
    const std::string one = sweep_csv(*sweep);
    text += text.empty() ? one : one.substr(one.find('\n') + 1);  // Only the first table keeps its heading.
  }
  return text.empty() ? sweep_csv({}) : text;
}

std::string csv_comment(const Report& report) {
  const Measurement& m = report.measurement;
  return "# report " + report_id(report) + ", " + report.created + ", spira " + report.tool_version +
         "\r\n# " + printable(m.device.name) +
         (m.device.driver.empty() ? "" : ", driver " + printable(m.device.driver)) + "\r\n# " +
         printable(report.network.name) + " on " + printable(report.scene.name) + ", trust " +
         letter_of(trust_of(report).grade) + "\r\n";
}

}  // namespace spira
