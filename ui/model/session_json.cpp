#include "engine/backend/dataflow.hpp"
#include "engine/base/fields_json.hpp"
#include "engine/base/file.hpp"
#include "engine/base/text.hpp"
#include "engine/report/validate.hpp"
#include "ui/model/session.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace spira::ui {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr std::size_t max_rows = 100'000;
constexpr std::int64_t max_every = 1'000'000;
constexpr double far_away = 1e9;  // Limit of camera coordinates in metres. Scenes have the same limit.

const std::vector<std::pair<std::string_view, ColourBy>> colouring_names{
    {"height", ColourBy::height},
    {"intensity", ColourBy::intensity},
    {"colour", ColourBy::colour},
    {"label", ColourBy::label},
    {"points_per_voxel", ColourBy::points_per_voxel},
    {"match_count", ColourBy::match_count},
    {"feature_norm", ColourBy::feature_norm},
    {"threshold_sides", ColourBy::threshold_sides},
    {"density", ColourBy::density},
    {"offset_match", ColourBy::offset_match},
    {"changed", ColourBy::changed},
    {"centre_distance", ColourBy::centre_distance},
    {"changed_neighbours", ColourBy::changed_neighbours}};
const std::vector<std::pair<std::string_view, ColourMap>> maps{
    {"viridis", ColourMap::viridis}, {"cividis", ColourMap::cividis}, {"bands", ColourMap::bands}};
const std::vector<std::pair<std::string_view, RangeMode>> ranges{
    {"all", RangeMode::all}, {"view", RangeMode::view}, {"typed", RangeMode::typed}};
const std::vector<std::pair<std::string_view, VoxelStyle>> styles{{"automatic", VoxelStyle::automatic},
                                                                  {"points", VoxelStyle::points},
                                                                  {"cubes", VoxelStyle::cubes},
                                                                  {"outlined", VoxelStyle::outlined}};
const std::vector<std::pair<std::string_view, ViewPart>> parts{
    {"voxels", ViewPart::voxels},     {"points", ViewPart::points},    {"highlights", ViewPart::highlights},
    {"crop_box", ViewPart::crop_box}, {"outside", ViewPart::outside},  {"axes", ViewPart::axes},
    {"grid", ViewPart::grid},         {"baseline", ViewPart::baseline}};
const std::vector<std::pair<std::string_view, OpenKind>> kinds{{"built_in", OpenKind::built_in},
                                                               {"file", OpenKind::file},
                                                               {"folder", OpenKind::folder},
                                                               {"files", OpenKind::files},
                                                               {"report", OpenKind::report}};

const std::vector<std::pair<std::string_view, PositionKind>> position_kinds{
    {text_of(PositionKind::nearest), PositionKind::nearest},
    {text_of(PositionKind::grid), PositionKind::grid}};

template <class Value>
std::string name_of(Value value, const std::vector<std::pair<std::string_view, Value>>& names) {
  const auto found =
      std::find_if(names.begin(), names.end(), [&](const auto& name) { return name.second == value; });
  return std::string(found->first);
}

template <class Number> Json xyz(const std::array<Number, 3>& values) {
  return {{"x", values[0]}, {"y", values[1]}, {"z", values[2]}};
}

std::array<double, 3> xyz_from(const JsonFields& fields, double low, double high) {
  return {fields.number("x", low, high), fields.number("y", low, high), fields.number("z", low, high)};
}

Json network_to(const Network& network) {
  for (const PresetFacts& preset : network_presets()) {
    if (network_json(network_preset(preset.id)) == network_json(network))
      return {{"preset", std::string(preset.id)}};
  }
  return {{"inline", Json::parse(network_json(network))}};
}

std::shared_ptr<const Network> network_from(const JsonFields& fields, const std::string& file) {
  if (fields.has("preset")) return std::make_shared<const Network>(network_preset(fields.text("preset")));
  return std::make_shared<const Network>(
      parse_network(fields.value("inline").dump(), file + ": network.inline"));
}

std::string path_to(const std::string& path, const fs::path& folder) {
  if (folder.empty()) return fs::absolute(path).lexically_normal().generic_string();
  const fs::path relative = fs::absolute(path).lexically_proximate(fs::absolute(folder));
  return relative.generic_string();
}

std::string path_from(const std::string& path, const fs::path& folder) {
  return (folder / path).lexically_normal().string();
}

Json open_to(const SessionState& session, const fs::path& folder) {
  Json open{{"kind", name_of(session.kind, kinds)}};
  if (session.kind == OpenKind::built_in) {
    open["name"] = session.open.front();
    return open;
  }
  Json paths = Json::array();
  for (const std::string& path : session.open)
    paths.push_back(path_to(path, folder));
  open["paths"] = paths;
  if (!session.format.empty()) open["format"] = session.format;
  if (session.every > 1) open["every"] = session.every;
  open["frame"] = session.frame;
  if (session.batch) open["batch"] = true;
  if (session.scene_fingerprint != 0) open["fingerprint"] = fingerprint_text(session.scene_fingerprint);
  return open;
}

void read_open(const JsonFields& fields, const fs::path& folder, SessionState& session) {
  session.kind = choice<OpenKind>(fields, "kind", kinds);
  if (session.kind == OpenKind::built_in) {
    session.open = {fields.text("name")};
    return;
  }
  for (const std::string& path : fields.texts("paths", max_rows))
    session.open.push_back(path_from(path, folder));
  session.format = fields.text_or("format", "");
  if (fields.has("every")) session.every = fields.whole("every", 1, max_every);
  session.frame = static_cast<int>(fields.whole("frame", 0, max_rows));
  session.batch = fields.has("batch") && fields.truth("batch");
  if (fields.has("fingerprint")) session.scene_fingerprint = fields.fingerprint("fingerprint");
}

/// Returns the dataflows of the layers whose t does not describe their dataflow, by name of the layer.
Json dataflows_to(const Network& network, const Plan& plan) {
  Json dataflows = Json::object();
  for (std::size_t at = 0; at < plan.layers.size(); ++at) {
    const Layer& layer = network.layers.at(at);
    if (layer.convolution() && !divides_at_threshold(layer, plan.layers[at]))
      dataflows[layer.name] = dataflow_text(layer, plan.layers[at]);
  }
  return dataflows;
}

void read_dataflows(const JsonFields& fields, const Network& network, Plan& plan) {
  for (std::size_t at = 0; at < network.layers.size(); ++at) {
    const Layer& layer = network.layers[at];
    if (fields.has(layer.name))
      plan.layers[at] = with_dataflow(layer, plan.layers[at], fields.text(layer.name));
  }
}

Json voxels_to(const Parameters& parameters) {
  Json voxels{{"size_m", xyz(parameters.grid.voxel_m)}, {"pack", parameters.pack.text()}};
  if (parameters.grid.positions != PositionKind::nearest)
    voxels["positions"] = std::string(text_of(parameters.grid.positions));
  if (const auto& crop = parameters.grid.crop_m)
    voxels["crop_m"] = {{"low", xyz(crop->low)}, {"high", xyz(crop->high)}};
  return voxels;
}

void read_voxels(const JsonFields& fields, Parameters& parameters) {
  constexpr double smallest = 1e-6, largest = 1e6;
  parameters.grid.voxel_m = xyz_from(fields.at("size_m"), smallest, largest);
  parameters.pack = parse_pack_spec(fields.text("pack"));
  if (fields.has("positions"))
    parameters.grid.positions = choice<PositionKind>(fields, "positions", position_kinds);
  if (!fields.has("crop_m")) return;
  const JsonFields crop = fields.at("crop_m");
  parameters.grid.crop_m =
      Bounds{xyz_from(crop.at("low"), -far_away, far_away), xyz_from(crop.at("high"), -far_away, far_away)};
}

Json colours_to(const Parameters& parameters) {
  Json typed = Json::object();
  for (const auto& [colouring, range] : parameters.look.typed)
    typed[name_of(colouring, colouring_names)] = {{"low", range.first}, {"high", range.second}};
  Json hidden = Json::array();
  for (const std::uint32_t label : parameters.hidden_labels)
    hidden.push_back(label);
  Json colours{{"by", name_of(parameters.colour_by, colouring_names)},
               {"map", name_of(parameters.look.map, maps)},
               {"range", name_of(parameters.look.range, ranges)},
               {"typed_ranges", typed},
               {"hidden_classes", hidden}};
  return colours;
}

void read_colours(const JsonFields& fields, Parameters& parameters) {
  constexpr double widest = 1e12;
  parameters.colour_by = choice<ColourBy>(fields, "by", colouring_names);
  parameters.look.map = choice<ColourMap>(fields, "map", maps);
  parameters.look.range = choice<RangeMode>(fields, "range", ranges);
  const JsonFields typed = fields.at("typed_ranges");
  for (const auto& [name, colouring] : colouring_names) {
    if (!typed.has(std::string(name))) continue;
    const JsonFields range = typed.at(std::string(name));
    parameters.look.typed[colouring] = {range.number("low", -widest, widest),
                                        range.number("high", -widest, widest)};
  }
  for (const std::int64_t label : fields.counts("hidden_classes", max_rows))
    parameters.hidden_labels.insert(static_cast<std::uint32_t>(label));
}

void put_parts(const PartsShown& shown, Json& view) {
  view["hidden"] = Json::array();
  for (const ViewPart part : shown.hidden)
    view["hidden"].push_back(name_of(part, parts));
  if (shown.alone) view["alone"] = name_of(*shown.alone, parts);
}

/// Reads which parts of the 3D view are hidden. Ignores unknown names, which come from a later version.
PartsShown parts_from(const JsonFields& view) {
  PartsShown shown;
  if (!view.has("hidden")) return shown;
  shown.hidden.clear();
  const auto names = view.texts("hidden", max_rows);
  for (const auto& [name, part] : parts) {
    if (std::find(names.begin(), names.end(), name) != names.end()) shown.hidden.insert(part);
  }
  if (view.has("alone")) shown.alone = choice<ViewPart>(view, "alone", parts);
  return shown;
}

Json view_to(const SessionState& session) {
  Json view{{"scene_kernel_size", session.parameters.scene_kernel_size},
            {"stride", session.stride},
            {"layer", session.layer},
            {"offsets", session.columns},
            {"voxels_as", name_of(session.parameters.voxel_style, styles)}};
  if (session.voxel) view["voxel"] = {{"cell", xyz(session.voxel->voxel)}, {"stride", session.voxel->stride}};
  if (const auto& slab = session.parameters.slab_m)
    view["slab_m"] = {{"low", slab->first}, {"high", slab->second}};
  if (const auto& camera = session.camera)
    view["camera"] = {
        {"position_m", xyz(camera->position_m)}, {"focal_m", xyz(camera->focal_m)}, {"up", xyz(camera->up)}};
  put_parts(session.parameters.parts, view);
  view["layout"] = session.layout;
  return view;
}

void read_view(const JsonFields& fields, SessionState& session) {
  constexpr std::int64_t max_stride = 1024, max_cell = 1LL << 30U;
  session.parameters.scene_kernel_size = static_cast<int>(fields.whole("scene_kernel_size", 1, 7));
  session.stride = static_cast<int>(fields.whole("stride", 1, max_stride));
  session.layer = static_cast<int>(fields.whole("layer", -1, max_rows));
  for (const std::int64_t column : fields.counts("offsets", max_rows))
    session.columns.push_back(static_cast<int>(column));
  if (fields.has("voxels_as"))
    session.parameters.voxel_style = choice<VoxelStyle>(fields, "voxels_as", styles);
  if (fields.has("voxel")) {
    const JsonFields voxel = fields.at("voxel"), cell = voxel.at("cell");
    const auto axis = [&](const char* name) {
      return static_cast<std::int32_t>(cell.whole(name, -max_cell, max_cell));
    };
    session.voxel = ChosenVoxel{{axis("x"), axis("y"), axis("z")},
                                static_cast<int>(voxel.whole("stride", 1, max_stride))};
  }
  if (fields.has("slab_m")) {
    const JsonFields slab = fields.at("slab_m");
    session.parameters.slab_m =
        std::pair{slab.number("low", -far_away, far_away), slab.number("high", -far_away, far_away)};
  }
  if (fields.has("camera")) {
    const JsonFields camera = fields.at("camera");
    session.camera =
        CameraPose{xyz_from(camera.at("position_m"), -far_away, far_away),
                   xyz_from(camera.at("focal_m"), -far_away, far_away), xyz_from(camera.at("up"), -1, 1)};
  }
  session.parameters.parts = parts_from(fields);
  session.layout = fields.text_or("layout", "");
}

}  // namespace

std::string session_json(const SessionState& session, const fs::path& folder) {
  Json document{{"schema", "spirascope.session"},
                {"schema_version", std::to_string(session_major) + "." + std::to_string(session_minor)},
                {"open", open_to(session, folder)}};
  const Parameters& parameters = session.parameters;
  if (session.kind != OpenKind::report) {
    document["voxels"] = voxels_to(parameters);
    if (parameters.network) {
      document["network"] = network_to(*parameters.network);
      if (!session.weights_file.empty())
        document["weights"] = {{"path", path_to(session.weights_file, folder)},
                               {"fingerprint", fingerprint_text(session.weights_fingerprint)}};
      Json thresholds = Json::array();
      for (const LayerPlan& layer : parameters.plan.layers)
        thresholds.push_back(layer.threshold);
      document["thresholds"] = thresholds;
      if (Json dataflows = dataflows_to(*parameters.network, parameters.plan); !dataflows.empty())
        document["dataflows"] = std::move(dataflows);
      if (!session.captured_layer.empty()) {
        document["captured_layer"] = {{"name", session.captured_layer},
                                      {"threshold", session.captured_threshold}};
        if (!session.captured_dataflow.empty())
          document["captured_layer"]["dataflow"] = session.captured_dataflow;
      }
      if (parameters.precision) document["precision"] = text_of(*parameters.precision);
    }
  }
  document["colours"] = colours_to(parameters);
  document["view"] = view_to(session);
  return document.dump(2) + "\n";
}

SessionState parse_session(std::string_view json, const std::string& file_name, const fs::path& folder) {
  const nlohmann::json document = parse_json_object(json, file_name);
  const JsonFields fields(document, file_name, "");
  SessionState session;  // check_session() also checks rules that involve more than one member.
  session.note = check_session(json, file_name);
  read_open(fields.at("open"), folder, session);
  if (session.kind != OpenKind::report) {
    read_voxels(fields.at("voxels"), session.parameters);
    if (fields.has("network")) {
      session.parameters.network = network_from(fields.at("network"), file_name);
      if (fields.has("weights")) {
        const JsonFields weights = fields.at("weights");
        session.weights_file = path_from(weights.text("path"), folder);
        session.weights_fingerprint = weights.fingerprint("fingerprint");
      }
      const Network& network = *session.parameters.network;
      const auto thresholds = fields.counts("thresholds", max_rows);
      session.parameters.plan = default_plan(network);
      for (std::size_t at = 0; at < thresholds.size(); ++at)
        session.parameters.plan.layers[at].set_threshold(static_cast<int>(thresholds[at]));
      if (fields.has("dataflows")) read_dataflows(fields.at("dataflows"), network, session.parameters.plan);
      session.parameters.plan.source = "session";
      if (fields.has("captured_layer")) {
        const JsonFields captured = fields.at("captured_layer");
        session.captured_layer = captured.text("name");
        session.captured_threshold = static_cast<int>(captured.whole("threshold", 0, max_rows));
        session.captured_dataflow = captured.text_or("dataflow", "");
      }
      if (fields.has("precision"))
        session.parameters.precision = choice<Precision>(
            fields, "precision",
            {{text_of(Precision::fp32), Precision::fp32}, {text_of(Precision::fp16), Precision::fp16}});
    }
  }
  read_colours(fields.at("colours"), session.parameters);
  read_view(fields.at("view"), session);
  return session;
}

SessionState read_session(const fs::path& file) {
  constexpr std::uint64_t max_bytes = 16U << 20U;
  return parse_session(read_text_file(file, max_bytes), file.string(), fs::absolute(file).parent_path());
}

}  // namespace spira::ui
