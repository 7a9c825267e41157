// Writes reports as JSON. A report contains only measured values, with all their samples.
#include "engine/backend/dataflow.hpp"
#include "engine/base/file.hpp"
#include "engine/base/text.hpp"
#include "engine/network/map_key_json.hpp"
#include "engine/network/weights.hpp"
#include "engine/report/origin_json.hpp"
#include "engine/report/report_exports.hpp"
#include "engine/run/measurement_json.hpp"
#include "engine/tune/sweep_json.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace spira {
namespace {

using Json = nlohmann::ordered_json;

Json samples_json(std::span<const double> samples) {
  return {{"samples", samples}, {"stats", stats_json(samples)}};
}

/// Returns the times and the state of the device after each sample.
Json watched_json(const Samples& samples) {
  Json document = samples_json(samples.ms);
  if (!samples.held_back.empty()) document["held_back"] = samples.held_back;
  if (!samples.sm_clock_mhz.empty()) document["sm_clock_mhz"] = samples.sm_clock_mhz;
  return document;
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
  Json document{{"outputs", densities.outputs},
                {"pairs", densities.pairs},
                {"by_l1", groups},
                {"matches_per_column", matches}};
  if (!densities.kernel.native()) return document;
  for (const auto& column : densities.columns)
    document["triplets_per_column"].push_back(column.triplets);
  return document;
}

Json triples_json(const TripleFacts& triples) {
  Json document{{"nodes", triples.nodes},
                {"triples", triples.triples},
                {"duplicates", triples.duplicates},
                {"self_loops", triples.self_loops},
                {"relations", triples.relations},
                {"rows", triples.rows},
                {"most_sources", triples.most_sources},
                {"normalise", text_of(triples.normalise)},
                {"inverse", triples.inverse}};
  if (triples.each.empty()) return document;
  Json each = Json::array();
  for (const RelationFacts& relation : triples.each)
    each.push_back({{"name", relation.name}, {"triples", relation.triples}, {"nodes", relation.nodes}});
  document["each"] = std::move(each);
  document["rows_by_sources"] = triples.rows_by_sources;
  return document;
}

Json scene_json(const SceneFacts& scene) {
  Json document{{"name", scene.name},
                {"format", scene.format},
                {"reading", scene.reading},
                {"keys_fingerprint", fingerprint_text(scene.fingerprint)},
                {"points", scene.points},
                {"dropped_nonfinite", scene.dropped_non_finite},
                {"voxels", scene.voxels},
                {"voxel_m", scene.voxel_m},
                {"extent_cells", scene.span},
                {"fit_cells", scene.fit_extent},
                {"packing",
                 {{"bits", {scene.pack.x_bits, scene.pack.y_bits, scene.pack.z_bits}},
                  {"word", scene.pack.word_bits()},
                  {"limit_cells", scene.fit_limit}}},
                {"coordinates_included", false}};
  if (scene.batch > 1) {
    document["batch"] = scene.batch;
    document["packing"]["batch_bits"] = scene.pack.batch_bits;
  }
  if (scene.triples) document["triples"] = triples_json(*scene.triples);
  if (scene.positions)
    document["positions"] = {{"kind", text_of(scene.positions->kind)},
                             {"rms_m", scene.positions->rms_m},
                             {"p95_m", scene.positions->p95_m},
                             {"merged", scene.positions->merged}};
  if (scene.unit == LengthUnit::cells) document["unit"] = text_of(scene.unit);
  if (scene.every > 1) document["every"] = scene.every;
  if (scene.display_origin_m != Point{}) document["display_origin_m"] = scene.display_origin_m;
  if (scene.crop_m)
    document["crop"] = {
        {"low_m", scene.crop_m->low}, {"high_m", scene.crop_m->high}, {"points_kept", scene.kept}};
  return document;
}

Json run_protocol_json(const Measurement& m, const std::string& weights) {
  Json document{{"timer", clock_text(m.device.clock)},
                {"timer_resolution_us", m.timer.resolution_us},
                {"timer_overhead_us", m.timer.overhead_us},
                {"mode", "isolated"},
                {"cache", "warm"}};  // Caches are not flushed between repetitions.
  document.update(protocol_json(m.protocol, SampleOrder::one_after_another));
  if (const auto seed = seed_of(weights)) document["seed"] = *seed;
  document["reached_target"] = m.wall.reached_target;
  document["precision"] = text_of(m.plan.precision);
  if (m.rendering_paused) document["rendering_paused"] = *m.rendering_paused;
  return document;
}

/// Returns the passes of a training step that ran for the layer.
Json backward_json(const LayerMeasurement::Backward& backward, const std::string& layer) {
  Json document = Json::object();
  for (const auto& [name, pass] :
       {std::pair("dgrad", &backward.dgrad), std::pair("wgrad", &backward.wgrad)}) {
    if (pass->dataflow.empty() && pass->stages.nodes.empty()) continue;
    Json& row = document[name];
    if (!pass->dataflow.empty()) row["dataflow"] = pass->dataflow;
    const std::string kernel =
        kernel_text(*pass, pass == &backward.dgrad ? LayerPass::dgrad : LayerPass::wgrad, layer);
    if (!kernel.empty()) row["kernel"] = kernel;
    row["stages"] = stages_json(pass->stages);
  }
  return document;
}

Json training_json(const TrainingMeasurement& training) {
  return {{"wall_ms", samples_json(training.wall.ms)},
          {"reached_target", training.wall.reached_target},
          {"peak_bytes", training.peak_bytes},
          {"loss_scale", training.loss_scale},
          {"overflow", training.overflow},
          {"stages", stages_json(training.stages)}};
}

/// `checked_with` names the output with which the output of the layer was compared.
Json layer_json(const LayerMeasurement& layer, const std::string& dataflow, const LayerPlan& plan,
                Precision precision, const char* checked_with) {
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
  if (!dataflow.empty()) row["dataflow"] = dataflow;
  if (const std::string kernel = kernel_text(layer); !kernel.empty()) row["kernel"] = kernel;
  if (layer.redundancy)
    row["redundancy"] = {{"tile_rows", layer.redundancy->sorting.tile_rows},
                         {"active", layer.redundancy->active},
                         {"pairs", layer.redundancy->pairs},
                         {"slots_per_pair", layer.redundancy->slots_per_pair()}};
  if (layer.neighbours) {
    row["triplets"] = layer.neighbours->triplets;
    row["groups"] = layer.neighbours->groups;
    row["folded"] = layer.neighbours->folded;
    row["most_neighbours"] = layer.neighbours->most_neighbours;
    row["in_voxel_map"] = layer.neighbours->in_voxel_map;
    row["same_column"] = layer.neighbours->same_column;
  }
  if (layer.non_finite) row["non_finite_values"] = *layer.non_finite;
  if (layer.backward) row["backward"] = backward_json(*layer.backward, layer.name);
  if (layer.check)
    row["output_check"] = {{"vs", checked_with},
                           {"max_abs", layer.check->max_abs},
                           {"max_rel", layer.check->max_rel},
                           {"tolerance", output_tolerance(precision)},
                           {"ok", layer.check->ok},
                           {"non_finite_values", layer.check->non_finite}};
  return row;
}

Json totals_json(const Measurement& m) {
  Json document{{"wall_ms", watched_json(m.wall)},
                {"sum_of_stages_ms", m.sum_of_stages_ms()},
                {"peak_bytes", m.peak_bytes}};
  if (!m.held_back_by.empty()) document["held_back_by"] = m.held_back_by;
  if (m.forecast_peak_bytes != 0) document["forecast_peak_bytes"] = m.forecast_peak_bytes;
  if (!m.marked_ms.empty()) {
    document["marked_wall_ms"] = samples_json(m.marked_ms);
    document["marks"] = m.marks;
  }
  if (m.training) document["training"] = training_json(*m.training);
  if (!m.compiled_wall.ms.empty()) {
    document["compiled"] = {{"how", m.compiled_how},
                            {"wall_ms", watched_json(m.compiled_wall)},
                            {"reached_target", m.compiled_wall.reached_target},
                            {"bytes", m.compiled_bytes}};
  } else if (!m.compiled_how.empty()) {
    document["compiled"] = {{"why_not", m.compiled_how}};
  }
  return document;
}

Json trust_json(const Trust& trust) {
  Json document{{"grade", std::string(1, letter_of(trust.grade))}, {"reasons", Json::array()}};
  for (const TrustReason& reason : trust.reasons)
    document["reasons"].push_back(reason.code);
  return document;
}

Json kernel_maps_json(const Report& report) {
  Json rows = Json::array();
  for (const ReportedMap& map : kernel_maps(report)) {
    Json row{{"id", "m" + std::to_string(rows.size() + 1)}};
    add_map_key(row, map.key);
    if (std::max(map.key.stride_in, map.key.stride_out) >= first_numbered_level) {
      const Levels levels = levels_of(report.network);
      row["in_level"] = level_text(levels, map.key.stride_in);
      row["out_level"] = level_text(levels, map.key.stride_out);
    }
    row["bytes"] = map.bytes;
    row["used_by"] = Json::array();
    for (const int layer : map.used_by)
      row["used_by"].push_back(report.measurement.layers.at(static_cast<std::size_t>(layer)).name);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

std::string report_json(const Report& report) {
  const Measurement& m = report.measurement;
  Json document;
  document["schema"] = "spira.report";
  document["schema_version"] = std::to_string(report_major) + "." + std::to_string(report_minor);
  document["id"] = report_id(report);
  document["created"] = report.created;
  document["tool"] = {{"name", "spira"}, {"version", report.tool_version}};
  if (report.build) add_build(document["tool"], *report.build);
  document["command"] = report.command;
  if (report.host) document["host"] = host_json(*report.host);
  document["device"] = device_document(m.device, m.state_before, m.state_after);
  if (m.rates) document["rates"] = rates_json(*m.rates);
  document["protocol"] = run_protocol_json(m, report.weights);
  document["scene"] = scene_json(report.scene);
  document["network"] = Json::parse(network_json(report.network));
  document["weights"] = report.weights;
  if (m.input)
    document["input"] = {{"rows", m.input->rows},
                         {"non_finite_rows", m.input->non_finite_rows},
                         {"replaced_intensities", m.input->replaced}};
  document["indexing"] = stages_json(m.indexing);
  document["layers"] = Json::array();
  for (std::size_t at = 0; at < m.layers.size(); ++at) {
    const LayerPlan& plan = m.plan.layers.at(at);
    Json row = layer_json(m.layers[at], dataflow_text(report.network.layers.at(at), plan), plan,
                          m.plan.precision, report.scene.triples ? "reference" : "t_max");
    if (at < m.plan.threshold_sources.size()) row["t_source"] = m.plan.threshold_sources[at].name;
    if (at < report.layer_densities.size()) row["densities"] = densities_json(report.layer_densities[at]);
    document["layers"].push_back(std::move(row));
  }
  if (m.bev) document["bev"] = bev_json(*m.bev);
  document["kernel_maps"] = kernel_maps_json(report);
  if (m.searches) document["counters"] = counters_json(*m.searches);
  document["totals"] = totals_json(m);
  document["trust"] = trust_json(trust_of(report));
  if (!m.timeline.empty()) document["timeline"] = timeline_json(m.timeline);
  if (report.threshold_sweep) document["sweeps"]["thresholds"] = sweep_document(*report.threshold_sweep);
  if (report.pack_sweep) document["sweeps"]["packings"] = sweep_document(*report.pack_sweep);
  return document.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

void write_report(const std::filesystem::path& file, const Report& report) {
  write_file(file, report_json(report));
}

}  // namespace spira
