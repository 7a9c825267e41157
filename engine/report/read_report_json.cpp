// Reads reports. Checks every value, because a report can come from another machine or program version.
#include "engine/backend/dataflow.hpp"
#include "engine/base/error.hpp"
#include "engine/base/fields_json.hpp"
#include "engine/base/file.hpp"
#include "engine/base/text.hpp"
#include "engine/network/map_key_json.hpp"
#include "engine/report/origin_json.hpp"
#include "engine/report/report.hpp"
#include "engine/report/report_exports.hpp"
#include "engine/run/backward.hpp"
#include "engine/run/measurement_json.hpp"
#include "engine/tune/sweep_json.hpp"
#include "engine/voxel/fit.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <fstream>
#include <limits>

namespace spira {
namespace {

constexpr std::uint64_t max_bytes = 128ULL << 20U;
// A map has K^3 columns, at most 343 (K = 7).
constexpr std::size_t max_layers = 10'000, max_arguments = 1000, max_columns = 343;

/// Calls `read`. If it throws, reports the error as a fault of the member `key`.
template <class Read> auto part(const JsonFields& fields, const std::string& key, Read read) {
  try {
    return read();
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::internal) throw;
    fields.fail(key, error.what());
  }
}

std::array<std::int64_t, 3> cells_from(const JsonFields& fields, const std::string& key) {
  const auto read = fields.counts(key, 3);
  if (read.size() != 3) fields.fail(key, "expected three counts");
  return {read[0], read[1], read[2]};
}

Point corner_from(const JsonFields& fields, const std::string& key) {
  constexpr double farthest_m = 1e9;
  const auto& numbers = fields.value(key);
  Point corner{};
  if (!numbers.is_array() || numbers.size() != corner.size())
    fields.fail(key, "expected three numbers in metres");
  for (std::size_t axis = 0; axis < corner.size(); ++axis) {
    const auto& one = numbers.at(axis);
    if (!one.is_number() || !(std::abs(one.get<double>()) <= farthest_m))
      fields.fail(key, "expected three numbers in metres");
    corner.at(axis) = one.get<double>();
  }
  return corner;
}

void read_crop(const JsonFields& fields, SceneFacts& scene) {
  scene.crop_m = Bounds{corner_from(fields, "low_m"), corner_from(fields, "high_m")};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (!(scene.crop_m->low.at(axis) < scene.crop_m->high.at(axis)))
      fields.fail("high_m", "must be above low_m on each axis");
  }
  scene.kept = fields.whole("points_kept", 0, scene.points);
}

/// Reads the counts of each relation. They must add up to the counts of the graph.
void read_relations(const JsonFields& fields, TripleFacts& triples) {
  constexpr std::size_t most_bins = 31;  // A row has fewer than 2^31 sources.
  std::int64_t all = 0, rows = 0;
  for (const JsonFields& one : fields.rows("each", static_cast<std::size_t>(triples.relations))) {
    triples.each.push_back({one.text("name"), one.whole("triples", 0, triples.triples - all),
                            one.whole("nodes", 0, triples.rows - rows)});
    all += triples.each.back().triples;
    rows += triples.each.back().nodes;
  }
  if (std::ssize(triples.each) != triples.relations || all != triples.triples || rows != triples.rows)
    fields.fail("each", "expected " + count_text(triples.relations) + " relations with " +
                            count_text(triples.triples) + " triples and " + count_text(triples.rows) +
                            " rows in all");
  triples.rows_by_sources = fields.counts("rows_by_sources", most_bins);
  std::int64_t binned = 0;
  for (const std::int64_t bin : triples.rows_by_sources) {
    if (bin > triples.rows - binned) break;
    binned += bin;
  }
  if (binned != triples.rows)
    fields.fail("rows_by_sources", "the sum must be " + count_text(triples.rows) + ", the number of rows");
  const auto bins =
      static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(triples.most_sources)));
  if (triples.rows_by_sources.size() != bins || (bins > 0 && triples.rows_by_sources.back() == 0))
    fields.fail("rows_by_sources", "the last bin does not contain the row with " +
                                       count_text(triples.most_sources) + " sources");
}

TripleFacts triples_from(const JsonFields& fields) {
  TripleFacts triples;
  triples.nodes = fields.count("nodes");
  triples.triples = fields.count("triples");
  triples.duplicates = fields.count("duplicates");
  triples.self_loops = fields.whole("self_loops", 0, triples.triples);
  triples.relations = fields.count("relations");
  triples.rows = fields.whole("rows", 0, triples.triples);
  triples.most_sources = fields.whole("most_sources", 0, triples.triples);
  triples.normalise = choice<Normalise>(
      fields, "normalise",
      {{text_of(Normalise::mean), Normalise::mean}, {text_of(Normalise::sum), Normalise::sum}});
  triples.inverse = fields.truth("inverse");
  if (fields.has("each")) read_relations(fields, triples);
  return triples;
}

PositionFacts positions_from(const JsonFields& fields, const SceneFacts& scene) {
  constexpr double farthest_m = 1e9;
  PositionFacts positions;
  positions.kind = position_kind_from(fields, "kind");
  positions.rms_m = fields.number("rms_m", 0, farthest_m);
  positions.p95_m = fields.number("p95_m", 0, farthest_m);
  positions.merged = fields.whole("merged", 0, scene.kept);
  return positions;
}

SceneFacts scene_from(const JsonFields& fields, const Levels& levels) {
  SceneFacts scene;
  scene.name = fields.text("name");
  scene.format = fields.text("format");
  if (fields.has("unit")) {
    scene.unit =
        choice<LengthUnit>(fields, "unit", {{"metres", LengthUnit::metres}, {"cells", LengthUnit::cells}});
  } else if (scene.format == "voxels") {  // Reports before 1.16 do not contain the unit.
    scene.unit = LengthUnit::cells;
  }
  scene.reading = fields.text_or("reading", "");
  scene.fingerprint = fields.fingerprint("keys_fingerprint");
  scene.points = scene.kept = fields.count("points");
  if (fields.has("every")) scene.every = fields.whole("every", 1, 1'000'000'000);
  if (fields.has("crop")) read_crop(fields.at("crop"), scene);
  if (fields.has("display_origin_m")) scene.display_origin_m = corner_from(fields, "display_origin_m");
  scene.dropped_non_finite = fields.count("dropped_nonfinite");
  scene.voxels = fields.count("voxels");
  if (fields.has("positions")) scene.positions = positions_from(fields.at("positions"), scene);
  const auto sizes = fields.numbers("voxel_m", 3);
  if (sizes.size() != 3 || std::find(sizes.begin(), sizes.end(), 0.0) != sizes.end())
    fields.fail("voxel_m", "expected three sizes in metres");
  for (std::size_t axis = 0; axis < 3; ++axis)
    scene.voxel_m[axis] = sizes[axis];
  scene.span = cells_from(fields, "extent_cells");
  scene.fit_extent = cells_from(fields, "fit_cells");
  const JsonFields packing = fields.at("packing");
  const auto bits = packing.counts("bits", 3);
  if (bits.size() != 3) packing.fail("bits", "expected three widths");
  scene.pack = part(packing, "bits", [&] {
    return parse_pack_spec(std::to_string(bits[0]) + "/" + std::to_string(bits[1]) + "/" +
                           std::to_string(bits[2]));
  });
  if (fields.has("triples")) {
    const JsonFields triples = fields.at("triples");
    scene.triples = triples_from(triples);
    if (scene.triples->nodes != scene.voxels)
      triples.fail("nodes", count_text(scene.triples->nodes) + "; the scene has " + count_text(scene.voxels) +
                                " voxels");
  }
  if (fields.has("batch")) scene.batch = static_cast<int>(fields.whole("batch", 1, max_batch));
  scene.pack = scene.pack.with_batch(scene.batch);
  if (packing.has("batch_bits") && packing.whole("batch_bits", 0, 8) != scene.pack.batch_bits)
    packing.fail("batch_bits", "a batch of " + std::to_string(scene.batch) + " has " +
                                   std::to_string(scene.pack.batch_bits));
  if (packing.has("limit_cells")) {
    scene.fit_limit = cells_from(packing, "limit_cells");
  } else {  // Reports of version 1.0 do not contain the limits.
    const Fit meter = fit(scene.fit_extent, scene.pack, levels.needs);
    for (std::size_t axis = 0; axis < 3; ++axis)
      scene.fit_limit[axis] = meter.axes[axis].limit;
  }
  return scene;
}

LayerPlan plan_from(const JsonFields& fields, const Layer& layer) {
  LayerPlan plan;
  plan.threshold = static_cast<int>(fields.whole("t", 0, 1000));
  if (const auto why = why_not_threshold(layer, plan.threshold); !why.empty()) fields.fail("t", why);
  plan.algorithm = part(fields, "map", [&] { return parse_map_algorithm(fields.text("map")); });
  plan.dense_layout = choice<MapLayout>(fields, "dense_layout",
                                        {{text_of(MapLayout::output_major), MapLayout::output_major},
                                         {text_of(MapLayout::offset_major), MapLayout::offset_major},
                                         {text_of(MapLayout::z_runs), MapLayout::z_runs},
                                         {text_of(MapLayout::mask_sorted), MapLayout::mask_sorted}});
  if (fields.has("dataflow") && layer.convolution()) {  // Since 1.14.
    const LayerPlan named =
        part(fields, "dataflow", [&] { return with_dataflow(layer, plan, fields.text("dataflow")); });
    plan.splits = named.splits;
    plan.method = named.method;
    if (dataflow_text(layer, plan) != fields.text("dataflow"))
      fields.fail("dataflow",
                  "contradicts t and dense_layout, which belong to " + dataflow_text(layer, plan));
  } else if (plan.dense_layout == MapLayout::mask_sorted) {
    fields.fail("dataflow", "is missing, so the number of splits is not known");
  }
  if (const auto why = why_not_plan(layer, plan); !why.empty()) fields.fail("dataflow", why);
  return plan;
}

Densities densities_from(const JsonFields& fields, const MapKey& map, PerAxis stride) {
  const auto matches = fields.counts("matches_per_column", max_columns);
  if (matches.empty()) return {};
  const KernelOffsets offsets(map.kernel, stride);
  if (std::ssize(matches) != offsets.columns())
    fields.fail("matches_per_column", std::to_string(matches.size()) + " counts; a kernel of size " +
                                          text_of(map.kernel.size) + " has " +
                                          std::to_string(offsets.columns()) + " columns");
  const std::int64_t outputs = fields.count("outputs");
  for (const std::int64_t count : matches) {
    if (count > outputs) fields.fail("matches_per_column", "more matches than outputs");
  }
  if (!map.kernel.native()) return densities(offsets, matches, outputs);
  const auto triplets = fields.counts("triplets_per_column", max_columns);
  if (triplets.size() != matches.size())
    fields.fail("triplets_per_column", std::to_string(triplets.size()) + " counts for " +
                                           std::to_string(matches.size()) + " columns");
  for (std::size_t column = 0; column < matches.size(); ++column) {
    if (triplets[column] < matches[column]) fields.fail("triplets_per_column", "fewer triplets than matches");
  }
  return densities(offsets, matches, outputs, triplets);
}

/// Reads the counts of a native layer.
NeighbourCounts neighbours_from(const JsonFields& fields, std::int64_t pairs) {
  NeighbourCounts counts;
  counts.triplets = fields.count("triplets");
  if (counts.triplets != pairs)
    fields.fail("triplets", count_text(counts.triplets) + "; the layer has " + count_text(pairs) + " pairs");
  counts.groups = fields.whole("groups", 0, counts.triplets);
  counts.folded = fields.whole("folded", 0, counts.triplets);
  counts.most_neighbours = fields.whole("most_neighbours", 0, counts.triplets);
  counts.in_voxel_map = fields.whole("in_voxel_map", 0, counts.triplets);
  counts.same_column = fields.whole("same_column", 0, counts.in_voxel_map);
  return counts;
}

OutputDifference check_from(const JsonFields& fields) {
  constexpr double no_limit = std::numeric_limits<double>::max();
  return {fields.number("max_abs", 0, no_limit), fields.number("max_rel", 0, no_limit), fields.truth("ok"),
          fields.has("non_finite_values") ? fields.count("non_finite_values") : 0};
}

PassMeasurement pass_from(const JsonFields& fields, LayerPass pass, const Layer& layer,
                          const LayerLevels& levels, Clock clock) {
  PassMeasurement measured;
  const std::string key(text_of(pass));
  if (!fields.has(key)) return measured;
  const JsonFields row = fields.at(key);
  measured.dataflow = row.text_or("dataflow", "");
  if (!measured.dataflow.empty()) {
    const int highest = KernelOffsets(layer.kernel(), 1).max_threshold();
    const auto setting = setting_of(measured.dataflow, highest);
    const std::string why =
        setting ? why_not_pass(layer, levels, pass, *setting) : "no dataflow of this kernel has this name";
    if (!why.empty()) row.fail("dataflow", "dataflow '" + shortened(measured.dataflow) + "': " + why);
  }
  measured.stages = stages_from(row, "stages", clock);
  return measured;
}

TrainingMeasurement training_from(const JsonFields& fields, Clock clock) {
  TrainingMeasurement training;
  training.wall.ms = fields.at("wall_ms").numbers("samples", max_samples);
  training.wall.reached_target = fields.truth("reached_target");
  training.peak_bytes = static_cast<std::size_t>(fields.count("peak_bytes"));
  training.loss_scale = static_cast<int>(fields.whole("loss_scale", 1, max_loss_scale));
  if (!is_loss_scale(training.loss_scale)) fields.fail("loss_scale", "expected a power of two");
  training.overflow = fields.truth("overflow");
  training.stages = stages_from(fields, "stages", clock);
  return training;
}

void read_layer(const JsonFields& fields, std::size_t at, const Levels& levels, Report& report) {
  Measurement& m = report.measurement;
  const Layer& layer = report.network.layers[at];
  LayerMeasurement row;
  row.name = fields.text("name");
  if (row.name != layer.name)
    fields.fail("name", "\"" + row.name + "\"; expected \"" + layer.name +
                            "\", the name of this layer in the network");
  m.plan.layers.push_back(plan_from(fields, layer));
  if (fields.has("t_source")) {
    m.plan.threshold_sources.resize(at);
    m.plan.threshold_sources.push_back({fields.text("t_source"), m.plan.layers.back().dataflow()});
  }
  row.inputs = fields.count("inputs");
  row.outputs = fields.count("outputs");
  row.pairs = fields.count("pairs");
  row.useful_flops = fields.count("useful_flops");
  if (levels.layers[at].map.kernel.native() && layer.has_map())
    row.neighbours = neighbours_from(fields, row.pairs);
  row.map_bytes = static_cast<std::size_t>(fields.count("map_bytes"));
  row.map_shared = fields.truth("map_shared");
  row.stages = stages_from(fields, "stages", m.device.clock);
  if (fields.has("redundancy")) {
    const JsonFields counted = fields.at("redundancy");
    constexpr std::int64_t max_tile_rows = 1 << 20;
    row.redundancy = Redundancy{
        {m.plan.layers.back().splits, static_cast<int>(counted.whole("tile_rows", 1, max_tile_rows))},
        counted.count("active"),
        counted.whole("pairs", 0, row.pairs)};
  }
  if (fields.has("non_finite_values")) row.non_finite = fields.count("non_finite_values");
  if (fields.has("backward")) {
    const JsonFields backward = fields.at("backward");
    const auto pass = [&](LayerPass one) {
      return pass_from(backward, one, layer, levels.layers[at], m.device.clock);
    };
    row.backward = LayerMeasurement::Backward{pass(LayerPass::dgrad), pass(LayerPass::wgrad)};
  }
  if (fields.has("output_check")) row.check = check_from(fields.at("output_check"));
  m.layers.push_back(std::move(row));
  report.layer_densities.push_back(
      fields.has("densities") ? densities_from(fields.at("densities"), levels.layers[at].map,
                                               levels.set(levels.layers[at].map.stride_in).rule.stride())
                              : Densities{});
}

/// Reads the times and the state of the device after each sample. Each kind of state must have a value for
/// all samples or for none.
void read_watched(const JsonFields& fields, Samples& samples) {
  samples.ms = fields.numbers("samples", max_samples);
  const auto fits = [&](const char* key, std::size_t count) {
    if (count != samples.ms.size())
      fields.fail(key, std::to_string(count) + " for " + std::to_string(samples.ms.size()) + " samples");
  };
  if (fields.has("held_back")) {
    const auto& flags = fields.value("held_back");
    const bool sound = flags.is_array() && std::all_of(flags.begin(), flags.end(),
                                                       [](const auto& flag) { return flag.is_boolean(); });
    if (!sound) fields.fail("held_back", "expected true or false for each sample");
    samples.held_back = flags.get<std::vector<bool>>();
    fits("held_back", samples.held_back.size());
  }
  if (fields.has("sm_clock_mhz")) {
    constexpr std::int64_t max_mhz = 1'000'000;
    for (const std::int64_t mhz : fields.counts("sm_clock_mhz", max_samples))
      samples.sm_clock_mhz.push_back(static_cast<int>(std::min(mhz, max_mhz)));
    fits("sm_clock_mhz", samples.sm_clock_mhz.size());
  }
}

void read_totals(const JsonFields& fields, Measurement& m) {
  constexpr std::size_t max_reasons = 100;
  read_watched(fields.at("wall_ms"), m.wall);
  if (fields.has("held_back_by")) m.held_back_by = fields.texts("held_back_by", max_reasons);
  m.peak_bytes = static_cast<std::size_t>(fields.count("peak_bytes"));
  if (fields.has("forecast_peak_bytes"))
    m.forecast_peak_bytes = static_cast<std::size_t>(fields.count("forecast_peak_bytes"));
  if (fields.has("marked_wall_ms")) {
    m.marked_ms = fields.at("marked_wall_ms").numbers("samples", max_samples);
    m.marks = fields.count("marks");
  }
  if (fields.has("training")) m.training = training_from(fields.at("training"), m.device.clock);
  if (!fields.has("compiled")) return;
  const JsonFields compiled = fields.at("compiled");
  if (compiled.has("why_not")) {
    m.compiled_how = compiled.text("why_not");
    return;
  }
  m.compiled_how = compiled.text("how");
  read_watched(compiled.at("wall_ms"), m.compiled_wall);
  if (compiled.has("reached_target")) m.compiled_wall.reached_target = compiled.truth("reached_target");
  m.compiled_bytes = static_cast<std::size_t>(compiled.count("bytes"));
}

/// Reads a sweep. If the file ends inside the sweep, reads only the settings that are complete. Returns
/// `nullptr` if there are none.
std::shared_ptr<const Sweep> sweep_in(const JsonFields& fields, const std::string& key, Report& report) {
  if (!fields.has(key)) return nullptr;
  const bool truncated = !report.lost.empty();
  if (truncated && (!fields.at(key).has("rows") || fields.at(key).value("rows").empty())) return nullptr;
  auto sweep = std::make_shared<Sweep>(sweep_from(fields.at(key)));
  if (sweep->layer >= static_cast<int>(report.network.layers.size()))
    fields.at(key).fail("layer", "the network has no such layer");
  if (sweep->of_dataflows) fields.at(key).fail("of_dataflows", "a report has no sweep of dataflows");
  for (SweepRow& row : sweep->rows)
    row.pack = row.pack.with_batch(report.scene.batch);
  return sweep;
}

void read_measurement(const JsonFields& fields, Report& report) {
  Measurement& m = report.measurement;
  const JsonFields protocol = fields.at("protocol");
  const JsonFields device = fields.at("device");
  m.device = device_from(device);
  m.device.clock = clock_from(protocol, "timer");
  if (device.has("state_before")) m.state_before = state_from(device.at("state_before"));
  if (device.has("state_after")) m.state_after = state_from(device.at("state_after"));
  if (fields.has("rates")) m.rates = rates_from(fields.at("rates"));
  constexpr double max_us = 1e9;
  if (protocol.has("timer_resolution_us"))
    m.timer.resolution_us = protocol.number("timer_resolution_us", 0, max_us);
  if (protocol.has("timer_overhead_us"))
    m.timer.overhead_us = protocol.number("timer_overhead_us", 0, max_us);
  m.protocol = protocol_from(protocol);
  m.wall.reached_target = protocol.truth("reached_target");
  if (protocol.has("rendering_paused")) m.rendering_paused = protocol.truth("rendering_paused");
  m.plan.precision = choice<Precision>(
      protocol, "precision",
      {{text_of(Precision::fp32), Precision::fp32}, {text_of(Precision::fp16), Precision::fp16}});
  m.plan.source = "report";
  if (fields.has("input")) {
    const JsonFields input = fields.at("input");
    m.input =
        InputValues{input.count("rows"), input.count("non_finite_rows"), input.count("replaced_intensities")};
  }
  m.indexing = stages_from(fields, "indexing", m.device.clock);
  if ((report.network.space == NetworkSpace::bev) != fields.has("bev"))
    fields.fail("bev", "a report has this member if its network has \"space\": \"bev\", and no other");
  if (fields.has("bev")) {
    m.bev = bev_from(fields.at("bev"), report.network);
    for (const UnitFacts& unit : m.bev->units)
      m.plan.units.push_back(unit.plan);
  }
  if (report.lost.empty() || fields.has("totals")) read_totals(fields.at("totals"), m);
  if (fields.has("counters")) m.searches = counters_from(fields.at("counters"));
  if (fields.has("timeline")) m.timeline = timeline_from(fields.at("timeline"));
}

void read_layers(const JsonFields& fields, const Levels& levels, Report& report) {
  const std::size_t wanted = report.network.layers.size();
  const auto rows = fields.rows("layers", max_layers);
  if (rows.size() > wanted || (rows.size() < wanted && report.lost.empty()))
    fields.fail("layers",
                std::to_string(rows.size()) + " rows; the network has " + std::to_string(wanted) + " layers");
  for (std::size_t at = 0; at < rows.size(); ++at)
    read_layer(rows[at], at, levels, report);
  if (report.scene.triples) {
    for (LayerMeasurement& layer : report.measurement.layers)
      layer.relation_weights = report.scene.triples->relations + 1;
  }
  const Plan otherwise = default_plan(report.network);
  for (std::size_t at = rows.size(); at < wanted; ++at)
    report.measurement.plan.layers.push_back(otherwise.layers[at]);
}

/// Returns the parts that are missing in a file that ends inside the member `at`, in file order. The timeline
/// and the sweeps are optional, so it is not known whether the complete file contained them.
std::vector<std::string> lost_after(const std::string& at, const nlohmann::json& document) {
  std::vector<std::string> lost;
  const std::size_t there = document.at("layers").size();
  const auto& all = document.at("network").at("layers");
  if (there < all.size())
    lost.push_back(std::to_string(all.size() - there) + " of " + std::to_string(all.size()) +
                   " layers, starting with \"" + all[there].value("name", "") + "\"");
  if (!document.contains("totals")) lost.emplace_back("the wall time and the peak memory of the run");
  if (at.starts_with("counters")) lost.emplace_back("the search counters");
  const auto settings = [&](const char* key) {
    const auto rows = nlohmann::json::json_pointer(std::string("/sweeps/") + key + "/rows");
    const std::size_t kept = document.contains(rows) ? document.at(rows).size() : 0;
    return "all but the first " + std::to_string(kept) + " settings of the sweep of " + key;
  };
  if (at.starts_with("sweeps.thresholds")) {
    lost.push_back(settings("thresholds"));
    lost.emplace_back("the sweep of packings, if the complete file has one");
  } else if (at.starts_with("sweeps.packings")) {
    lost.push_back(settings("packings"));
  } else if (document.contains("timeline")) {
    lost.emplace_back("the sweeps, if the complete file has any");
  } else {
    lost.emplace_back(at == "timeline" ? "the timeline" : "the timeline, if the complete file has one");
    lost.emplace_back("the sweeps, if the complete file has any");
  }
  return lost;
}

/// Parses the document. If the file is truncated, stores the names of the missing parts in `lost`.
nlohmann::json document_of(std::string_view json, const std::string& file_name, IfTruncated if_torn,
                           std::vector<std::string>& lost) {
  constexpr std::array<std::string_view, 7> open{"",
                                                 "layers",
                                                 "sweeps",
                                                 "sweeps.thresholds",
                                                 "sweeps.thresholds.rows",
                                                 "sweeps.packings",
                                                 "sweeps.packings.rows"};
  const JsonOutline outline = json_outline(json);
  const bool cut_off = outline.ends_too_early && outline.schema == "spira.report";
  const auto truncated =
      cut_off && if_torn == IfTruncated::open ? complete_truncated_json(json, open) : std::nullopt;
  if (!truncated) return parse_json_object(json, file_name);
  nlohmann::json document = parse_json_object(truncated->text, file_name);
  const auto layers = document.find("layers");
  if (layers == document.end() || !layers->is_array() || layers->empty())
    throw Error(ErrorKind::input, file_name +
                                      ": the file ends before the end of the first layer, so nothing can be "
                                      "shown. Copy the file again, or record the run again");
  static_cast<void>(
      parse_network(document.value("network", nlohmann::json()).dump(), file_name + ": network"));
  lost = lost_after(truncated->at, document);
  return document;
}

}  // namespace

Report parse_report(std::string_view json, const std::string& file_name, IfTruncated truncated) {
  Report report;
  const nlohmann::json document = document_of(json, file_name, truncated, report.lost);
  const JsonFields fields(document, file_name, "");
  if (fields.text("schema") == "spira.lesson")
    fields.fail("schema",
                "this is a lesson, not a report; open it in the window with Learn > Open lesson file...");
  const std::string note = check_schema(fields, "spira.report", "report", {report_major, report_minor});
  if (!note.empty()) report.notes.push_back(note);
  report.created = fields.text("created");
  report.tool_version = fields.at("tool").text("version");
  if (fields.at("tool").has("git")) report.build = build_from(fields.at("tool"));
  if (fields.has("host")) report.host = host_from(fields.at("host"));
  report.command = fields.texts("command", max_arguments);
  report.weights = fields.text("weights");
  report.network = parse_network(fields.value("network").dump(), file_name + ": network");
  const Levels levels = part(fields, "network", [&] { return levels_of(report.network); });
  report.scene = scene_from(fields.at("scene"), levels);
  read_measurement(fields, report);
  read_layers(fields, levels, report);
  if (fields.has("sweeps")) {
    report.threshold_sweep = sweep_in(fields.at("sweeps"), "thresholds", report);
    report.pack_sweep = sweep_in(fields.at("sweeps"), "packings", report);
  }
  if (!note.empty()) report.ignored = ignored_fields(document, nlohmann::json::parse(report_json(report)));
  return report;
}

Report read_report(const std::filesystem::path& file, IfTruncated truncated) {
  return parse_report(read_text_file(file, max_bytes), file.string(), truncated);
}

bool looks_like_json(const std::filesystem::path& file) {
  std::error_code ignored;
  // Opening a named pipe can block forever, so only regular files are opened.
  if (!std::filesystem::is_regular_file(file, ignored)) return false;
  std::ifstream in(file, std::ios::binary);
  std::string head(4096, '\0');
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(in.gcount()));
  if (head.starts_with("\xEF\xBB\xBF")) head.erase(0, 3);  // Skip a byte order mark.
  const auto begin = head.find_first_not_of(" \t\r\n");
  if (begin == std::string::npos || head[begin] != '{') return false;
  // A binary scene can begin with the same byte by chance, but its next bytes are not text.
  return std::none_of(head.begin(), head.end(), [](char letter) {
    return static_cast<unsigned char>(letter) < ' ' &&
           std::string_view("\t\r\n").find(letter) == std::string_view::npos;
  });
}

}  // namespace spira
