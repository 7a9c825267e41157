#include "engine/report/origin_json.hpp"

#include "engine/backend/dataflow.hpp"
#include "engine/backend/plan.hpp"
#include "engine/base/error.hpp"
#include "engine/base/fields_json.hpp"
#include "engine/report/validate.hpp"
#include "engine/voxel/pack_spec.hpp"

#include <algorithm>
#include <set>

namespace spira {

using Json = nlohmann::ordered_json;

void add_build(Json& tool, const BuildFacts& build) {
  tool["git"] = build.commit;
  tool["dirty"] = build.dirty ? Json(*build.dirty) : Json(nullptr);
  tool["build"] = build.type;
  tool["compiler"] = build.compiler;
  tool["archs"] = build.archs;
}

Json host_json(const HostFacts& host) {
  return {{"os", host.os},
          {"kernel", host.kernel},
          {"cpu", host.cpu},
          {"cores", host.cores},
          {"ram_bytes", host.ram_bytes},
          {"governor", host.governor},
          {"container", host.container}};
}

BuildFacts build_from(const JsonFields& tool) {
  constexpr std::size_t max_archs = 100;
  BuildFacts build;
  build.commit = tool.text("git");
  if (!tool.value("dirty").is_null()) build.dirty = tool.truth("dirty");
  build.type = tool.text("build");
  build.compiler = tool.text("compiler");
  build.archs = tool.texts("archs", max_archs);
  return build;
}

HostFacts host_from(const JsonFields& fields) {
  constexpr std::int64_t max_cores = 1'000'000;
  HostFacts host;
  host.os = fields.text("os");
  host.kernel = fields.text("kernel");
  host.cpu = fields.text("cpu");
  host.cores = static_cast<int>(fields.whole("cores", 0, max_cores));
  host.ram_bytes = static_cast<std::uint64_t>(fields.count("ram_bytes"));
  host.governor = fields.text("governor");
  host.container = fields.truth("container");
  return host;
}

namespace {

std::string member(const std::string& path, const std::string& key) {
  return path.empty() ? key : path + "." + key;
}

void collect(const nlohmann::json& value, const std::string& path, std::set<std::string>& paths) {
  if (value.is_object()) {
    for (const auto& [key, one] : value.items()) {
      paths.insert(member(path, key));
      collect(one, member(path, key), paths);
    }
  } else if (value.is_array()) {
    for (const nlohmann::json& one : value)
      collect(one, path + "[]", paths);
  }
}

void find(const nlohmann::json& value, const std::string& path, const std::set<std::string>& known,
          std::set<std::string>& unknown) {
  if (value.is_object()) {
    for (const auto& [key, one] : value.items()) {
      const std::string here = member(path, key);
      if (known.contains(here)) {
        find(one, here, known, unknown);
      } else {
        unknown.insert(here);
      }
    }
  } else if (value.is_array()) {
    for (const nlohmann::json& one : value)
      find(one, path + "[]", known, unknown);
  }
}

}  // namespace

std::vector<std::string> ignored_fields(const nlohmann::json& document, const nlohmann::json& known) {
  std::set<std::string> paths, unknown;
  collect(known, "", paths);
  find(document, "", paths, unknown);
  return {unknown.begin(), unknown.end()};
}

namespace {

constexpr std::size_t max_rows = 100'000;

void check_open(const JsonFields& open) {
  if (open.text("kind") == "built_in") {
    static_cast<void>(open.text("name"));
    return;
  }
  if (open.texts("paths", max_rows).empty()) open.fail("paths", "empty; expected at least one path");
  static_cast<void>(open.whole("frame", 0, max_rows));
}

void check_voxels(const JsonFields& voxels) {
  static_cast<void>(voxels.at("size_m"));
  try {
    static_cast<void>(parse_pack_spec(voxels.text("pack")));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::usage) throw;
    voxels.fail("pack", error.what());
  }
}

Network network_of(const JsonFields& fields, const std::string& file_name) {
  if (!fields.has("preset"))
    return parse_network(fields.value("inline").dump(), file_name + ": network.inline");
  const std::string id = fields.text("preset");
  const auto all = network_presets();
  if (std::none_of(all.begin(), all.end(), [&](const PresetFacts& facts) { return facts.id == id; }))
    fields.fail("preset", "\"" + shortened(id) + "\"; unknown network");
  return network_preset(id);
}

void check_thresholds(const JsonFields& fields, const Network& network) {
  const auto thresholds = fields.counts("thresholds", max_rows);
  if (thresholds.size() != network.layers.size())
    fields.fail("thresholds", std::to_string(thresholds.size()) + " values; the network has " +
                                  std::to_string(network.layers.size()) + " layers");
  for (std::size_t at = 0; at < thresholds.size(); ++at) {
    const int t = static_cast<int>(std::min<std::int64_t>(thresholds[at], max_rows));
    if (const std::string why = why_not_threshold(network.layers[at], t); !why.empty())
      fields.fail("thresholds[" + std::to_string(at) + "]", why);
  }
}

/// Checks the dataflows of the layers whose t does not describe their dataflow.
void check_dataflows(const JsonFields& fields, const Network& network) {
  if (!fields.has("dataflows")) return;
  const JsonFields dataflows = fields.at("dataflows");
  for (const Layer& layer : network.layers) {
    if (!dataflows.has(layer.name)) continue;
    const std::string name = dataflows.text(layer.name);
    if (!can_run_dataflow(layer, name))
      dataflows.fail(layer.name, "\"" + shortened(name) + "\"; the layer cannot run this dataflow");
  }
}

void check_stride(const JsonFields& fields) {
  const std::int64_t stride = fields.whole("stride", 1, 16);
  if ((stride & (stride - 1)) != 0)
    fields.fail("stride", std::to_string(stride) + "; expected 1, 2, 4, 8 or 16");
}

void check_view(const JsonFields& view) {
  const std::int64_t kernel = view.whole("scene_kernel_size", 1, 7);
  if (kernel == 4 || kernel == 6)
    view.fail("scene_kernel_size", std::to_string(kernel) + "; expected 1, 2, 3, 5 or 7");
  check_stride(view);
  if (view.has("voxel")) check_stride(view.at("voxel"));
}

}  // namespace

std::string check_session(std::string_view json, const std::string& file_name) {
  const nlohmann::json document = parse_json_object(json, file_name);
  const JsonFields fields(document, file_name, "");
  std::string note = check_schema(fields, "spirascope.session", "session", {session_major, session_minor});
  check_open(fields.at("open"));
  if (fields.at("open").text("kind") != "report") {
    check_voxels(fields.at("voxels"));
    if (fields.has("network")) {
      const Network network = network_of(fields.at("network"), file_name);
      check_thresholds(fields, network);
      check_dataflows(fields, network);
    }
    if (fields.has("weights")) {
      static_cast<void>(fields.at("weights").text("path"));
      static_cast<void>(fields.at("weights").fingerprint("fingerprint"));
    }
    if (fields.has("captured_layer")) {
      static_cast<void>(fields.at("captured_layer").text("name"));
      static_cast<void>(fields.at("captured_layer").whole("threshold", 0, max_rows));
    }
  }
  check_view(fields.at("view"));
  return note;
}

}  // namespace spira
