// Reads tuning profiles. Checks every value, because a profile can come from another machine or an editor.
#include "engine/backend/dataflow.hpp"
#include "engine/base/error.hpp"
#include "engine/base/fields_json.hpp"
#include "engine/base/file.hpp"
#include "engine/base/text.hpp"
#include "engine/network/map_key_json.hpp"
#include "engine/run/measurement_json.hpp"
#include "engine/scene/point_cloud.hpp"
#include "engine/scene/shard_json.hpp"
#include "engine/tune/tuning_profile.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <tuple>

namespace spira {
namespace {

constexpr std::uint64_t max_bytes = 128ULL << 20U;
constexpr std::size_t max_scenes = 10'000, max_records = 1'000'000, max_layers = 10'000, max_words = 1000;
constexpr std::size_t max_levels = 10'000;
constexpr int max_threshold = 19;  // The largest t, which occurs for K = 7 without padding.
constexpr std::size_t max_settings = 1000;
constexpr double no_limit = std::numeric_limits<double>::max();

int small(const JsonFields& fields, const std::string& key, std::int64_t most) {
  return static_cast<int>(fields.whole(key, 1, most));
}

/// Returns the setting with this name. Names of thresholds are not allowed, because files contain thresholds
/// as numbers.
std::optional<LayerSetting> setting_named(const std::string& name, const KernelShape& kernel) {
  const auto setting = setting_of(name, KernelOffsets(kernel, 1).max_threshold());
  const bool possible = setting && !setting->is_threshold() &&
                        (setting->splits == 0 || why_not_splits(kernel.columns(), setting->splits).empty());
  return possible ? setting : std::nullopt;
}

/// Reads the member "dataflow" if it is present, and "t" otherwise.
LayerSetting setting_from(const JsonFields& fields, const KernelShape& kernel) {
  if (!fields.has("dataflow"))
    return static_cast<int>(fields.whole("t", 0, KernelOffsets(kernel, 1).max_threshold()));
  if (fields.has("t")) fields.fail("dataflow", "cannot be combined with \"t\"");
  const std::string name = fields.text("dataflow");
  const auto setting = setting_named(name, kernel);
  if (!setting)
    fields.fail("dataflow", "'" + shortened(name) +
                                "' is not the name of a dataflow of this kernel; write a threshold as \"t\"");
  return *setting;
}

/// Reads a setting that is a number t or the name of a dataflow. Returns an empty value if it is neither.
std::optional<LayerSetting> setting_from(const nlohmann::json& value, const KernelShape& kernel) {
  if (value.is_string()) return setting_named(value.get<std::string>(), kernel);
  const bool threshold = value.is_number_unsigned() && value.get<std::uint64_t>() <= max_threshold;
  return threshold ? std::optional<LayerSetting>(value.get<int>()) : std::nullopt;
}

PackSpec pack_from(const JsonFields& fields, const std::string& key) {
  try {
    return parse_pack_spec(fields.text(key));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::usage) throw;
    fields.fail(key, error.what());
  }
}

MapAlgorithm algorithm_from(const JsonFields& fields) {
  return choice<MapAlgorithm>(fields, "map",
                              {{text_of(MapAlgorithm::z_delta), MapAlgorithm::z_delta},
                               {text_of(MapAlgorithm::binary_search), MapAlgorithm::binary_search},
                               {text_of(MapAlgorithm::hash), MapAlgorithm::hash},
                               {text_of(MapAlgorithm::sorted_query), MapAlgorithm::sorted_query}});
}

/// Reads the reason for a choice. If `of_layer` is false, rejects reasons that come from the user or from the
/// whole network.
ChoiceReason reason_from(const JsonFields& fields, bool of_layer) {
  std::vector<std::pair<std::string_view, ChoiceReason>> reasons;
  for (const ChoiceReason reason : {ChoiceReason::fastest, ChoiceReason::tie_simpler,
                                    ChoiceReason::few_samples, ChoiceReason::only_setting})
    reasons.emplace_back(text_of(reason), reason);
  if (of_layer) {
    for (const ChoiceReason reason : {ChoiceReason::one_graph, ChoiceReason::user})
      reasons.emplace_back(text_of(reason), reason);
  }
  return choice<ChoiceReason>(fields, "why", reasons);
}

std::vector<AxisStep> steps_from(const JsonFields& fields, const std::string& axis) {
  constexpr std::size_t max_steps = 64;
  constexpr std::int64_t max_cells = std::int64_t{1} << 30U;
  std::vector<AxisStep> steps;
  for (const JsonFields& row : fields.rows(axis, max_steps)) {
    AxisStep step{static_cast<int>(row.whole("kernel", 1, max_level_stride)),
                  static_cast<int>(row.whole("stride", 1, max_level_stride)),
                  static_cast<int>(row.whole("padding", 0, largest_kernel_size - 1)), 0,
                  row.has("flat") && row.truth("flat")};
    if (row.has("cells")) step.cells = row.whole("cells", 1, max_cells);
    steps.push_back(step);
  }
  return steps;
}

/// Reads the steps of a rule and the levels that its base joins. `depth` is the number of unions around it.
LevelRule rule_from(const JsonFields& fields, int depth) {
  constexpr std::size_t max_parts = 64;
  constexpr int max_depth = 8;
  std::vector<LevelRule> parts;
  if (fields.has("parts")) {
    if (depth == max_depth) fields.fail("parts", "unions are nested more than 8 deep");
    for (const JsonFields& part : fields.rows("parts", max_parts))
      parts.push_back(rule_from(part, depth + 1));
  }
  LevelRule rule = parts.empty() ? LevelRule() : LevelRule::joined(parts);
  const std::array<std::vector<AxisStep>, 3> axes{steps_from(fields, "x"), steps_from(fields, "y"),
                                                  steps_from(fields, "z")};
  for (std::size_t at = 0; at < std::max({axes[0].size(), axes[1].size(), axes[2].size()}); ++at) {
    PerAxis kernel, stride, padding = 0;
    std::array<std::int64_t, 3> cells{};
    bool flat = false;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (at >= axes.at(axis).size()) continue;
      const AxisStep& step = axes.at(axis)[at];
      flat = flat || step.flat;
      if (step.flat) continue;
      kernel[axis] = step.kernel;
      stride[axis] = step.stride;
      padding[axis] = step.padding;
      cells.at(axis) = step.cells;
    }
    rule = rule.after(OutputRule::reached, kernel, stride, padding, cells);
    if (flat) rule = rule.flattened();
  }
  return rule;
}

/// Reads the levels whose number is not their stride, in ascending order of their numbers.
std::vector<SceneLevel> levels_from(const JsonFields& fields) {
  std::vector<SceneLevel> levels;
  for (const JsonFields& row : fields.rows("levels", max_levels)) {
    const int number = level_from(row, "number");
    const int least = levels.empty() ? first_numbered_level : levels.back().number + 1;
    if (number < least)
      row.fail("number", std::to_string(number) + "; expected " + std::to_string(least) + " or more");
    const bool points = row.has("points") && row.truth("points");
    levels.emplace_back(number, points ? LevelRule::of_points() : rule_from(row, 0));
  }
  return levels;
}

/// Throws `Error(input)` if `number` is at least first_numbered_level and the profile has no level with this
/// number.
void check_level(const JsonFields& fields, const std::string& key, int number,
                 const std::vector<SceneLevel>& levels) {
  const bool known = number < first_numbered_level ||
                     std::any_of(levels.begin(), levels.end(),
                                 [&](const SceneLevel& level) { return level.number == number; });
  if (!known) fields.fail(key, std::to_string(number) + " is not the number of a level in \"levels\"");
}

/// Reads the key of a map whose levels are in `profile`.
MapKey map_key_from(const JsonFields& fields, const TuningProfile& profile) {
  const MapKey key = spira::map_key_from(fields);
  check_level(fields, "in_stride", key.stride_in, profile.levels);
  check_level(fields, "out_stride", key.stride_out, profile.levels);
  return key;
}

LayerShape shape_from(const JsonFields& fields, const TuningProfile& profile) {
  constexpr std::int64_t max_channels = 1'000'000;
  const MapKey key = map_key_from(fields, profile);
  // If the member is missing, a layer counts as transposed if its output is on a finer level.
  const bool transposed =
      fields.has("transposed") ? fields.truth("transposed") : key.stride_in > key.stride_out;
  return {key.kernel,
          key.stride_in,
          key.stride_out,
          small(fields, "in_channels", max_channels),
          small(fields, "out_channels", max_channels),
          transposed};
}

OutputDifference output_from(const JsonFields& fields) {
  return {fields.number("max_abs", 0, no_limit), fields.number("max_rel", 0, no_limit), fields.truth("ok")};
}

int scene_from(const JsonFields& fields, const TuningProfile& profile) {
  if (profile.scenes.empty()) fields.fail("scene", "the profile has no scenes");
  return static_cast<int>(fields.whole("scene", 0, std::ssize(profile.scenes) - 1));
}

SceneDensities densities_from(const JsonFields& fields) {
  static_cast<void>(fields.whole("kernel_size", 3, 3));
  static_cast<void>(fields.whole("stride", 1, 1));
  SceneDensities means{};
  const auto values = fields.numbers("mean_by_l1", means.size());
  const bool shares = std::all_of(values.begin(), values.end(), [](double mean) { return mean <= 1; });
  if (values.size() != means.size() || !shares) fields.fail("mean_by_l1", "expected four shares, 0 to 1");
  std::copy(values.begin(), values.end(), means.begin());
  return means;
}

ProfileValidity validity_from(const JsonFields& fields) {
  constexpr double most = 1e6;
  return {fields.number("outputs_factor", 1, most), fields.number("density_distance_limit", 0, 1)};
}

TunedScene tuned_scene_from(const JsonFields& fields, const TuningProfile& profile) {
  TunedScene scene;
  scene.name = fields.text("name");
  scene.fingerprint = fields.fingerprint("voxels_fingerprint");
  scene.points = fields.count("points");
  const auto sizes = fields.numbers("voxel_m", 3);
  if (sizes.size() != 3 || std::find(sizes.begin(), sizes.end(), 0.0) != sizes.end())
    fields.fail("voxel_m", "expected three sizes in metres");
  std::copy(sizes.begin(), sizes.end(), scene.voxel_m.begin());
  if (fields.has("unit"))
    scene.unit =
        choice<LengthUnit>(fields, "unit", {{"metres", LengthUnit::metres}, {"cells", LengthUnit::cells}});
  if (fields.has("positions")) scene.positions = position_kind_from(fields, "positions");
  if (fields.has("batch")) scene.batch = small(fields, "batch", max_batch);
  scene.pack = pack_from(fields, "packing");
  scene.weight = fields.number("weight", 0, 1e9);
  for (const JsonFields& level : fields.rows("levels", max_levels)) {
    scene.levels.push_back({level_from(level, "stride"), level.count("voxels")});
    check_level(level, "stride", scene.levels.back().stride, profile.levels);
  }
  if (fields.has("densities")) scene.densities = densities_from(fields.at("densities"));
  return scene;
}

FeatureRecord feature_record_from(const JsonFields& fields, const TuningProfile& profile) {
  FeatureRecord record;
  record.scene = scene_from(fields, profile);
  record.shape = shape_from(fields.at("key"), profile);
  record.setting = setting_from(fields, record.shape.kernel);
  record.ms = fields.numbers("samples_ms", max_samples);
  record.dropped = fields.truth("dropped");
  record.output = output_from(fields.at("output_vs_t_max"));
  if (fields.has("pass"))
    record.pass = choice<LayerPass>(fields, "pass",
                                    {{text_of(LayerPass::forward), LayerPass::forward},
                                     {text_of(LayerPass::dgrad), LayerPass::dgrad},
                                     {text_of(LayerPass::wgrad), LayerPass::wgrad}});
  if (record.pass == LayerPass::wgrad && record.setting != record.setting.of_map())
    fields.fail("dataflow", "wgrad does not support gather-GEMM-scatter");
  return record;
}

MapRecord map_record_from(const JsonFields& fields, const TuningProfile& profile) {
  MapRecord record;
  record.scene = scene_from(fields, profile);
  const JsonFields key = fields.at("key");
  record.map = map_key_from(key, profile);
  record.pack = pack_from(key, "packing");
  record.setting = setting_from(fields, record.map.kernel);
  if (record.setting != record.setting.of_map())
    fields.fail("dataflow", "this dataflow has no separate map and uses the map of t = 0; expected \"t\": 0");
  record.algorithm = algorithm_from(fields);
  record.ms = fields.numbers("samples_ms", max_samples);
  record.dropped = fields.truth("dropped");
  return record;
}

IndexingRecord indexing_record_from(const JsonFields& fields, const TuningProfile& profile) {
  IndexingRecord record;
  record.scene = scene_from(fields, profile);
  record.pack = pack_from(fields, "packing");
  record.why_not = fields.text_or("why_not", "");
  if (record.why_not.empty()) record.ms = fields.numbers("samples_ms", max_samples);
  return record;
}

MeasuredCost cost_from(const JsonFields& fields, const KernelShape& kernel) {
  MeasuredCost cost;
  cost.setting = setting_from(fields, kernel);
  cost.n = fields.count("n");
  cost.median_ms = fields.number("median_ms", 0, no_limit);
  cost.iqr_ms = fields.number("iqr_ms", 0, no_limit);
  cost.shared_ms = fields.number("shared_ms", 0, no_limit);
  cost.extra_ms = fields.number("extra_ms", -no_limit, no_limit);
  cost.usable = fields.truth("usable");
  return cost;
}

/// Reads the choice for one pass.
ShapeChoice choice_from(const JsonFields& fields, const KernelShape& kernel) {
  ShapeChoice choice;
  choice.setting = setting_from(fields, kernel);
  choice.algorithm = algorithm_from(fields);
  choice.why = reason_from(fields, true);
  const nlohmann::json& ties = fields.value("ties");
  if (!ties.is_array() || ties.size() > max_settings) fields.fail("ties", "expected an array of settings");
  for (const auto& value : ties) {
    const auto setting = setting_from(value, kernel);
    if (!setting) fields.fail("ties", shortened(value.dump()) + " is not a threshold or a dataflow");
    choice.ties.push_back(*setting);
  }
  for (const JsonFields& cost : fields.rows("costs", max_settings))
    choice.costs.push_back(cost_from(cost, kernel));
  return choice;
}

TunedShape tuned_shape_from(const JsonFields& fields, const TuningProfile& profile) {
  const std::size_t scenes = profile.scenes.size();
  TunedShape tuned;
  tuned.shape = shape_from(fields.at("key"), profile);
  tuned.layers = fields.texts("layers", max_layers);
  if (tuned.layers.empty()) fields.fail("layers", "empty");
  const JsonFields outputs = fields.at("outputs");
  tuned.rows_low = outputs.count("low");
  tuned.rows_high = outputs.whole("high", tuned.rows_low, max_exact_count);
  tuned.choice = choice_from(fields, tuned.shape.kernel);
  if (fields.has("dgrad")) tuned.dgrad = choice_from(fields.at("dgrad"), tuned.shape.kernel);
  if (fields.has("wgrad")) tuned.wgrad = choice_from(fields.at("wgrad"), tuned.shape.kernel);
  if (!fields.value("scene_t").is_array()) fields.fail("scene_t", "expected an array");
  for (const auto& value : fields.value("scene_t")) {
    const auto setting = setting_from(value, tuned.shape.kernel);
    if (!setting && !value.is_null())
      fields.fail("scene_t", "expected a threshold, a dataflow or null for each scene");
    tuned.scene_settings.push_back(setting);
  }
  if (tuned.scene_settings.size() != scenes)
    fields.fail("scene_t", "expected one entry for each of " + std::to_string(scenes) + " scenes");
  return tuned;
}

TunedPacking packing_from(const JsonFields& fields) {
  TunedPacking packing;
  packing.why = reason_from(fields, false);
  if (fields.value("packing").is_null()) return packing;
  packing.pack = pack_from(fields, "packing");
  packing.median_ms = fields.number("median_ms", 0, no_limit);
  if (!fields.value("best_other_ms").is_null())
    packing.others_ms = fields.number("best_other_ms", 0, no_limit);
  return packing;
}

std::vector<std::optional<Regret>> regret_row_from(const JsonFields& fields, std::size_t scenes) {
  std::vector<std::optional<Regret>> row;
  const nlohmann::json& shares = fields.value("share_over_own_picks");
  if (!shares.is_array() || shares.size() != scenes)
    fields.fail("share_over_own_picks",
                "expected one entry for each of " + std::to_string(scenes) + " scenes");
  for (const auto& share : shares) {
    if (!share.is_null() && !share.is_number())
      fields.fail("share_over_own_picks", "expected numbers or null");
    row.push_back(share.is_null() ? std::nullopt : std::optional(Regret{share.get<double>(), std::nullopt}));
  }
  if (!fields.has("tied")) return row;  // The file was written before schema version 1.4.
  const nlohmann::json& tied = fields.value("tied");
  if (!tied.is_array() || tied.size() != scenes)
    fields.fail("tied", "expected one entry for each of " + std::to_string(scenes) + " scenes");
  for (std::size_t at = 0; at < scenes; ++at) {
    if (!tied[at].is_null() && !tied[at].is_boolean()) fields.fail("tied", "expected true, false or null");
    if (row[at] && tied[at].is_boolean()) row[at]->tied = tied[at].get<bool>();
  }
  return row;
}

PlanCheck check_from(const JsonFields& fields, const TuningProfile& profile) {
  PlanCheck check;
  check.scene = scene_from(fields, profile);
  check.output = output_from(fields.at("output_vs_t_max"));
  check.not_compiled = fields.text_or("not_compiled", "");
  if (!fields.has("wall")) return check;
  constexpr std::size_t plans = 5;
  for (const JsonFields& row : fields.rows("wall", plans)) {
    Samples& samples = *choice<Samples*>(row, "plan",
                                         {{"tuned", &check.tuned},
                                          {"t_max", &check.all_output_stationary},
                                          {"t_0", &check.all_weight_stationary},
                                          {"one_graph", &check.one_graph},
                                          {"layer_picks", &check.layer_picks}});
    samples.ms = row.numbers("samples_ms", max_samples);
  }
  return check;
}

void read_records(const JsonFields& fields, TuningProfile& profile) {
  for (const JsonFields& row : fields.rows("scenes", max_scenes))
    profile.scenes.push_back(tuned_scene_from(row, profile));
  std::set<std::tuple<std::size_t, LayerShape, LayerPass, LayerSetting>> known;
  for (const JsonFields& row : fields.rows("features", max_records)) {
    profile.features.push_back(feature_record_from(row, profile));
    const FeatureRecord& record = profile.features.back();
    if (profile.training && !row.has("pass"))
      row.fail("pass", "is missing; a profile for training steps requires this key");
    if (!known.emplace(static_cast<std::size_t>(record.scene), record.shape, record.pass, record.setting)
             .second)
      row.fail("key", "a second record of the same scene, layer, pass and setting");
  }
  for (const JsonFields& row : fields.rows("maps", max_records))
    profile.maps.push_back(map_record_from(row, profile));
  for (const JsonFields& row : fields.rows("indexing", max_records))
    profile.indexing.push_back(indexing_record_from(row, profile));
}

}  // namespace

TuningProfile parse_profile(std::string_view json, const std::string& file_name) {
  const nlohmann::json document = parse_json_object(json, file_name);
  const JsonFields fields(document, file_name, "");
  static_cast<void>(check_schema(fields, "spira.tune", "tuning profile", {1, 1}));
  TuningProfile profile;
  profile.created = fields.text("created");
  profile.tool_version = fields.at("tool").text("version");
  profile.command = fields.texts("command", max_words);
  profile.device = device_from(fields.at("device"));
  profile.network = fields.at("network").text("name");
  profile.network_fingerprint = fields.at("network").fingerprint("fingerprint");
  profile.precision =
      choice<Precision>(fields, "precision", {{"fp32", Precision::fp32}, {"fp16", Precision::fp16}});
  if (fields.has("training")) profile.training = fields.truth("training");
  profile.protocol = protocol_from(fields.at("protocol"));
  profile.budget_ms = fields.number("budget_ms", 0, no_limit);
  profile.stopped = choice<std::string>(fields, "stopped",
                                        {{"", ""}, {"budget", "budget"}, {"interrupted", "interrupted"}});
  if (fields.has("validity")) profile.validity = validity_from(fields.at("validity"));
  if (fields.has("shard")) profile.shard = shard_from(fields.at("shard"));
  if (fields.has("levels")) profile.levels = levels_from(fields);
  read_records(fields, profile);
  profile.packing = packing_from(fields.at("packing"));
  for (const JsonFields& row : fields.rows("choices", max_layers))
    profile.choices.push_back(tuned_shape_from(row, profile));
  profile.undecided = fields.texts("undecided_layers", max_layers);
  for (const JsonFields& row : fields.rows("regret", max_scenes + 1))
    profile.regret.push_back(regret_row_from(row, profile.scenes.size()));
  if (!profile.regret.empty() && profile.regret.size() != profile.scenes.size() + 1)
    fields.fail("regret", "expected one row for each scene and one row for all scenes together");
  for (const JsonFields& row : fields.rows("checks", max_scenes))
    profile.checks.push_back(check_from(row, profile));
  return profile;
}

TuningProfile read_profile(const std::filesystem::path& file) {
  return parse_profile(read_text_file(file, max_bytes), file.string());
}

bool looks_like_profile(const std::filesystem::path& file) {
  const std::string text = read_text_file(file, max_bytes);
  try {
    const nlohmann::json document = parse_json_object(text, file.string());
    return document.value("schema", nlohmann::json()) == "spira.tune";
  } catch (const Error&) {
    // The file is not a profile. The caller reads it in another format, and that reader reports the fault.
    return false;
  }
}

}  // namespace spira
