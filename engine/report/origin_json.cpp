#include "engine/report/origin_json.hpp"

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

BuildFacts build_from(const Fields& tool) {
  constexpr std::size_t most_archs = 100;
  BuildFacts build;
  build.commit = tool.text("git");
  if (!tool.value("dirty").is_null()) build.dirty = tool.truth("dirty");
  build.type = tool.text("build");
  build.compiler = tool.text("compiler");
  build.archs = tool.texts("archs", most_archs);
  return build;
}

HostFacts host_from(const Fields& fields) {
  constexpr std::int64_t most_cores = 1'000'000;
  HostFacts host;
  host.os = fields.text("os");
  host.kernel = fields.text("kernel");
  host.cpu = fields.text("cpu");
  host.cores = static_cast<int>(fields.whole("cores", 0, most_cores));
  host.ram_bytes = static_cast<std::uint64_t>(fields.count("ram_bytes"));
  host.governor = fields.text("governor");
  host.container = fields.truth("container");
  return host;
}

}  // namespace spira
