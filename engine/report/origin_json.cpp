#include "engine/report/origin_json.hpp"

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

}  // namespace spira
