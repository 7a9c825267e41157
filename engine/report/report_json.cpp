// Reports as JSON. Only what was measured is written; raw samples are kept.
#include "engine/report/device_json.hpp"
#include "engine/report/report.hpp"

#include <nlohmann/json.hpp>

namespace spira {
namespace {

using Json = nlohmann::ordered_json;

Json stats_json(std::span<const double> samples) {
  const Statistics s = statistics(samples);
  return {{"n", s.n},     {"median", s.median}, {"q1", s.q1},  {"q3", s.q3},
          {"p90", s.p90}, {"min", s.min},       {"max", s.max}};
}

Json samples_json(std::span<const double> samples) {
  return {{"samples", samples}, {"stats", stats_json(samples)}};
}

Json stages_json(const StageTree& tree) {
  Json rows = Json::array();
  for (int node = 0; node < static_cast<int>(tree.nodes.size()); ++node) {
    const StageNode& here = tree.nodes[static_cast<std::size_t>(node)];
    Json row{{"stage", tree.path(node)},
             {"unit", "ms"},
             {"samples", here.samples_ms},
             {"stats", stats_json(here.samples_ms)}};
    if (here.bytes_read + here.bytes_written > 0) {
      row["modelled_bytes_read"] = here.bytes_read;
      row["modelled_bytes_written"] = here.bytes_written;
    }
    rows.push_back(row);
  }
  return rows;
}

Json densities_json(const Densities& densities) {
  Json groups = Json::array();
  for (const auto& group : densities.groups) {
    groups.push_back({{"l1", group.l1},
                      {"offsets", group.offsets},
                      {"mean", group.mean},
                      {"min", group.min},
                      {"max", group.max}});
  }
  Json matches = Json::array();
  for (const auto& column : densities.columns)
    matches.push_back(column.matches);
  return {{"outputs", densities.outputs},
          {"pairs", densities.pairs},
          {"by_l1", groups},
          {"matches_per_column", matches}};
}

/// As text: readers that keep numbers as doubles would lose bits.
std::string fingerprint_text(std::uint64_t fingerprint) {
  std::string text(16, '0');
  for (std::size_t at = 16; at-- > 0; fingerprint >>= 4U)
    text[at] = "0123456789abcdef"[fingerprint & 15U];
  return text;
}

Json scene_json(const SceneFacts& scene) {
  return {{"name", scene.name},
          {"format", scene.format},
          {"keys_fingerprint", fingerprint_text(scene.fingerprint)},
          {"points", scene.points},
          {"dropped_nonfinite", scene.dropped_non_finite},
          {"voxels", scene.voxels},
          {"voxel_m", scene.voxel_m},
          {"extent_cells", scene.span},
          {"fit_cells", scene.fit_extent},
          {"packing",
           {{"bits", {scene.pack.x_bits, scene.pack.y_bits, scene.pack.z_bits}},
            {"word", scene.pack.word_bits()}}},
          {"coordinates_included", false}};
}

}  // namespace

std::string report_json(const Report& report) {
  const Measurement& m = report.measurement;
  Json document;
  document["schema"] = "spira.report";
  document["schema_version"] = "1.0";
  document["created"] = report.created;
  document["tool"] = {{"name", "spira"}, {"version", report.tool_version}};
  document["command"] = report.command;
  document["device"] = Json::parse(device_json(m.device, m.state_before, m.state_after));
  document["protocol"] = {{"timer", clock_text(m.device.clock)},
                          {"timer_resolution_us", m.timer.resolution_us},
                          {"timer_overhead_us", m.timer.overhead_us},
                          {"mode", "isolated"},
                          {"warmup", m.protocol.warmup},
                          {"min_samples", m.protocol.min_samples},
                          {"max_samples", m.protocol.max_samples},
                          {"max_time_ms", m.protocol.max_time_ms},
                          {"target_iqr_rel", m.protocol.target_iqr_rel},
                          {"reached_target", m.wall.reached_target},
                          {"precision", text_of(m.plan.precision)}};
  document["scene"] = scene_json(report.scene);
  document["network"] = Json::parse(network_json(report.network));
  document["weights"] = report.weights;
  document["indexing"] = stages_json(m.indexing);
  document["layers"] = Json::array();
  for (std::size_t at = 0; at < m.layers.size(); ++at) {
    const LayerMeasurement& layer = m.layers[at];
    const LayerPlan& plan = m.plan.layers.at(at);
    Json row{{"name", layer.name},
             {"t", plan.threshold},
             {"map", text_of(plan.algorithm)},
             {"dense_layout", text_of(plan.dense_layout)},
             {"inputs", layer.inputs},
             {"outputs", layer.outputs},
             {"pairs", layer.pairs},
             {"useful_flops", layer.useful_flops},
             {"map_bytes", layer.map_bytes},
             {"map_shared", layer.map_shared},
             {"stages", stages_json(layer.stages)}};
    if (at < report.layer_densities.size()) row["densities"] = densities_json(report.layer_densities[at]);
    document["layers"].push_back(row);
  }
  document["totals"] = {{"wall_ms", samples_json(m.wall.ms)},
                        {"sum_of_stages_ms", m.sum_of_stages_ms()},
                        {"peak_bytes", m.peak_bytes}};
  if (!m.compiled_wall.ms.empty()) {
    document["totals"]["compiled"] = {
        {"how", m.compiled_how}, {"wall_ms", samples_json(m.compiled_wall.ms)}, {"bytes", m.compiled_bytes}};
  }
  return document.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace spira
