// Writes tuning profiles as JSON (docs/tuning.md, resources/schemas/tune.schema.json).
#include "engine/backend/dataflow.hpp"
#include "engine/base/file.hpp"
#include "engine/base/text.hpp"
#include "engine/network/map_key_json.hpp"
#include "engine/run/measurement_json.hpp"
#include "engine/scene/shard_json.hpp"
#include "engine/tune/choice_text.hpp"
#include "engine/tune/tuning_profile.hpp"

#include <bit>

namespace spira {
namespace {

using Json = nlohmann::ordered_json;

/// Returns log2 of `rows`, rounded down. Sizes with the same result differ by less than a factor of two.
Json bucket_json(std::int64_t rows) {
  return rows > 0 ? static_cast<int>(std::bit_width(static_cast<std::uint64_t>(rows))) - 1 : 0;
}

Json shape_json(const LayerShape& shape) {
  Json row;
  add_map_key(row, {shape.kernel, shape.stride_in, shape.stride_out});
  row["in_channels"] = shape.in_channels;
  row["out_channels"] = shape.out_channels;
  if (shape.transposed != (shape.stride_in > shape.stride_out)) row["transposed"] = shape.transposed;
  return row;
}

Json output_json(const OutputDifference& output) {
  return {{"max_abs", output.max_abs}, {"max_rel", output.max_rel}, {"ok", output.ok}};
}

void add_samples(Json& row, const std::vector<double>& ms) {
  row["samples_ms"] = ms;
  row["stats"] = stats_json(ms);
}

Json scene_json(const TunedScene& scene) {
  Json levels = Json::array();
  for (const LevelSize& level : scene.levels)
    levels.push_back({{"stride", level.stride}, {"voxels", level.voxels}});
  Json row{{"name", scene.name},
           {"voxels_fingerprint", fingerprint_text(scene.fingerprint)},
           {"points", scene.points},
           {"voxel_m", scene.voxel_m},
           {"packing", scene.pack.text()},
           {"weight", scene.weight},
           {"levels", levels}};
  if (scene.unit == LengthUnit::cells) row["unit"] = text_of(scene.unit);
  if (scene.positions != PositionKind::nearest) row["positions"] = text_of(scene.positions);
  if (scene.batch > 1) row["batch"] = scene.batch;
  if (scene.densities)
    row["densities"] = {{"kernel_size", 3}, {"stride", 1}, {"mean_by_l1", *scene.densities}};
  return row;
}

/// Returns a setting as a number t, or as the name of another dataflow.
Json setting_json(const LayerSetting& setting, const KernelShape& kernel) {
  if (setting.is_threshold()) return setting.threshold;
  return dataflow_text(setting, KernelOffsets(kernel, 1).max_threshold());
}

/// Adds the member "t" for a threshold, or "dataflow" for another setting.
void add_setting(Json& row, const LayerSetting& setting, const KernelShape& kernel) {
  row[setting.is_threshold() ? "t" : "dataflow"] = setting_json(setting, kernel);
}

Json features_json(const TuningProfile& profile, const FeatureRecord& record) {
  Json key = shape_json(record.shape);
  const TunedScene& scene = profile.scenes.at(static_cast<std::size_t>(record.scene));
  key["precision"] = text_of(profile.precision);
  key["log2_outputs"] = bucket_json(scene.voxels(record.shape.stride_out));
  Json row{{"scene", record.scene}, {"key", key}, {"pass", text_of(record.pass)}};
  add_setting(row, record.setting, record.shape.kernel);
  add_samples(row, record.ms);
  row["dropped"] = record.dropped;
  row["output_vs_t_max"] = output_json(record.output);
  return row;
}

Json map_json(const TuningProfile& profile, const MapRecord& record) {
  const TunedScene& scene = profile.scenes.at(static_cast<std::size_t>(record.scene));
  Json key;
  add_map_key(key, record.map);
  key["packing"] = record.pack.text();
  key["word_bits"] = record.pack.with_batch(scene.batch).word_bits();
  key["log2_outputs"] = bucket_json(scene.voxels(record.map.stride_out));
  Json row{{"scene", record.scene}, {"key", std::move(key)}};
  add_setting(row, record.setting, record.map.kernel);
  row["map"] = text_of(record.algorithm);
  add_samples(row, record.ms);
  row["dropped"] = record.dropped;
  return row;
}

Json indexing_json(const IndexingRecord& record) {
  Json row{{"scene", record.scene}, {"packing", record.pack.text()}};
  if (!record.why_not.empty()) {
    row["why_not"] = record.why_not;
  } else {
    add_samples(row, record.ms);
  }
  return row;
}

Json or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

/// Adds the chosen setting of a pass, and its map and reason.
void add_choice(Json& row, const ShapeChoice& choice, const KernelShape& kernel) {
  add_setting(row, choice.setting, kernel);
  row["map"] = text_of(choice.algorithm);
  row["why"] = text_of(choice.why);
}

/// Adds the ties and the costs of a pass.
void add_costs(Json& row, const ShapeChoice& choice, const KernelShape& kernel) {
  Json ties = Json::array(), costs = Json::array();
  for (const LayerSetting& setting : choice.ties)
    ties.push_back(setting_json(setting, kernel));
  for (const MeasuredCost& cost : choice.costs) {
    Json cost_row;
    add_setting(cost_row, cost.setting, kernel);
    cost_row.update({{"n", cost.n},
                     {"median_ms", cost.median_ms},
                     {"iqr_ms", cost.iqr_ms},
                     {"shared_ms", cost.shared_ms},
                     {"extra_ms", cost.extra_ms},
                     {"usable", cost.usable}});
    costs.push_back(std::move(cost_row));
  }
  row["ties"] = std::move(ties);
  row["costs"] = std::move(costs);
}

Json choice_json(const TunedShape& tuned) {
  const KernelShape& kernel = tuned.shape.kernel;
  Json scene_settings = Json::array();
  for (const auto& setting : tuned.scene_settings)
    scene_settings.push_back(setting ? setting_json(*setting, kernel) : Json(nullptr));
  Json row{{"key", shape_json(tuned.shape)},
           {"layers", tuned.layers},
           {"outputs", {{"low", tuned.rows_low}, {"high", tuned.rows_high}}}};
  add_choice(row, tuned.choice, kernel);
  row["margin_ms"] = or_null(margin_ms(tuned));
  row["margin_rel"] = or_null(margin_share(tuned));
  row["scene_t"] = std::move(scene_settings);
  add_costs(row, tuned.choice, kernel);
  for (const auto& [name, choice] : {std::pair("dgrad", &tuned.dgrad), {"wgrad", &tuned.wgrad}}) {
    if (!*choice) continue;
    add_choice(row[name], **choice, kernel);
    add_costs(row[name], **choice, kernel);
  }
  return row;
}

Json packing_json(const TunedPacking& packing) {
  Json here{{"packing", packing.pack ? Json(packing.pack->text()) : Json(nullptr)},
            {"why", text_of(packing.why)}};
  if (packing.pack) {
    here["median_ms"] = packing.median_ms;
    here["best_other_ms"] = packing.others_ms > 0 ? Json(packing.others_ms) : Json(nullptr);
  }
  return here;
}

Json regret_json(const TuningProfile& profile) {
  Json rows = Json::array();
  for (std::size_t at = 0; at < profile.regret.size(); ++at) {
    Json shares = Json::array(), tied = Json::array();
    for (const auto& regret : profile.regret[at]) {
      shares.push_back(regret ? Json(regret->share) : Json(nullptr));
      tied.push_back(regret && regret->tied ? Json(*regret->tied) : Json(nullptr));
    }
    const bool all = at == profile.scenes.size();
    rows.push_back(
        {{"picked_for", all ? Json("all") : Json(at)}, {"share_over_own_picks", shares}, {"tied", tied}});
  }
  return rows;
}

Json check_json(const PlanCheck& check) {
  Json here{{"scene", check.scene}, {"output_vs_t_max", output_json(check.output)}};
  if (!check.not_compiled.empty()) here["not_compiled"] = check.not_compiled;
  if (check.tuned.ms.empty() && check.layer_picks.ms.empty()) return here;
  Json wall = Json::array();
  const auto add = [&](const char* plan, const Samples& samples) {
    if (samples.ms.empty()) return;
    Json row{{"plan", plan}};
    add_samples(row, samples.ms);
    wall.push_back(row);
  };
  add("tuned", check.tuned);
  add("t_max", check.all_output_stationary);
  add("t_0", check.all_weight_stationary);
  add("one_graph", check.one_graph);
  add("layer_picks", check.layer_picks);
  here["wall"] = wall;
  return here;
}

/// Returns the time of the tuned plan divided by the time of each plan without tuning. Ratios below 1 mean
/// that the tuned plan is faster.
Json expected_gain_json(const TuningProfile& profile) {
  Json rows = Json::array();
  const auto add = [&](const char* plain, Samples PlanCheck::*samples) {
    const auto gain = expected_gain(profile, samples);
    if (!gain) return;
    rows.push_back({{"vs", plain},
                    {"tuned_ms", gain->current_ms},
                    {"plain_ms", gain->baseline_ms},
                    {"median_ratio", gain->ratio()},
                    {"ci95", {gain->low, gain->high}}});
  };
  add("t_max", &PlanCheck::all_output_stationary);
  add("t_0", &PlanCheck::all_weight_stationary);
  return rows;
}

/// Returns the steps of a rule on one axis, from its base on.
Json steps_json(const std::vector<AxisStep>& steps) {
  Json rows = Json::array();
  for (const AxisStep& step : steps) {
    rows.push_back({{"kernel", step.kernel}, {"stride", step.stride}, {"padding", step.padding}});
    if (step.cells > 0) rows.back()["cells"] = step.cells;
    if (step.flat) rows.back()["flat"] = true;
  }
  return rows;
}

/// Adds the steps of a rule and, if its base is a union, the rules of the joined levels.
void add_rule(const LevelRule& rule, Json& row) {
  row["x"] = steps_json(rule.steps(0));
  row["y"] = steps_json(rule.steps(1));
  row["z"] = steps_json(rule.steps(2));
  for (const LevelRule& part : rule.parts())
    add_rule(part, row["parts"].emplace_back());
}

Json levels_json(const std::vector<SceneLevel>& levels) {
  Json rows = Json::array();
  for (const SceneLevel& level : levels) {
    rows.push_back({{"number", level.number}, {"text", level_text(levels, level.number)}});
    if (level.rule.is_points()) rows.back()["points"] = true;
    add_rule(level.rule, rows.back());
  }
  return rows;
}

}  // namespace

std::string profile_json(const TuningProfile& profile) {
  Json document;
  document["schema"] = "spira.tune";
  document["schema_version"] = "1.11";
  document["created"] = profile.created;
  document["tool"] = {{"name", "spira"}, {"version", profile.tool_version}};
  document["command"] = profile.command;
  document["device"] = device_document(profile.device);
  document["network"] = {{"name", profile.network},
                         {"fingerprint", fingerprint_text(profile.network_fingerprint)}};
  if (!profile.levels.empty()) document["levels"] = levels_json(profile.levels);
  document["precision"] = text_of(profile.precision);
  document["training"] = profile.training;
  document["protocol"] = protocol_json(profile.protocol, SampleOrder::interleaved);
  document["budget_ms"] = profile.budget_ms;
  document["stopped"] = profile.stopped;
  document["validity"] = {{"outputs_factor", profile.validity.outputs_factor},
                          {"density_distance_limit", profile.validity.density_distance_limit}};
  document["expected_gain"] = expected_gain_json(profile);
  const auto add_all = [&](const char* name, const auto& all, const auto& one_json) {
    document[name] = Json::array();
    for (const auto& one : all)
      document[name].push_back(one_json(one));
  };
  if (profile.shard) document["shard"] = shard_json(*profile.shard);
  add_all("scenes", profile.scenes, scene_json);
  add_all("features", profile.features, [&](const auto& one) { return features_json(profile, one); });
  add_all("maps", profile.maps, [&](const auto& one) { return map_json(profile, one); });
  add_all("indexing", profile.indexing, indexing_json);
  document["packing"] = packing_json(profile.packing);
  add_all("choices", profile.choices, choice_json);
  document["undecided_layers"] = profile.undecided;
  document["regret"] = regret_json(profile);
  add_all("checks", profile.checks, check_json);
  return document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

void write_profile(const std::filesystem::path& file, const TuningProfile& profile) {
  write_file(file, profile_json(profile));
}

}  // namespace spira
