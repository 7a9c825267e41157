// Converts facts about the build and the machine that wrote a report to JSON and back. Also finds fields of
// a report that a later version of the program wrote.
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

/// Returns the paths of `document` that are not in `known`. `known` must be the document that this program
/// writes for the same content. Rows of an array share one path: "layers[].energy_mj". An unknown object
/// gives one path, without the paths of its members.
[[nodiscard]] std::vector<std::string> ignored_fields(const nlohmann::json& document,
                                                      const nlohmann::json& known);

}  // namespace spira
