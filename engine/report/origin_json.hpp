// Converts facts about the build and the machine that wrote a report to JSON and back, and finds the fields
// that a later version wrote.
#pragma once

#include "engine/base/fields_json.hpp"
#include "engine/base/host_facts.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace spira {

/// Adds the build to the member "tool" of a report.
void add_build(nlohmann::ordered_json& tool, const BuildFacts& build);
[[nodiscard]] nlohmann::ordered_json host_json(const HostFacts& host);

// Each function throws `Error(input)` as Fields does.
[[nodiscard]] BuildFacts build_from(const Fields& tool);
[[nodiscard]] HostFacts host_from(const Fields& fields);

/// Returns the paths of `document` that are not in `known`. `known` must be the same content as this program
/// writes it. Rows of an array share one path: "layers[].energy_mj". An unknown object is one path that
/// covers its members.
[[nodiscard]] std::vector<std::string> ignored_fields(const nlohmann::json& document,
                                                      const nlohmann::json& known);

}  // namespace spira
