// Converts the facts about the program build and the machine of a report to JSON and back. Also finds the
// fields of a report that this program version does not know.
#pragma once

#include "engine/base/fields_json.hpp"
#include "engine/base/host_facts.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace spira {

/// Adds the facts about the program build to the member "tool" of a report.
void add_build(nlohmann::ordered_json& tool, const BuildFacts& build);
[[nodiscard]] nlohmann::ordered_json host_json(const HostFacts& host);

// The functions below throw `Error(input)` if a value is invalid.
[[nodiscard]] BuildFacts build_from(const JsonFields& tool);
[[nodiscard]] HostFacts host_from(const JsonFields& fields);

/// Returns the paths of all fields of `document` that are missing in `known`. This program would write
/// `known` for the same content. The entries of an array share one path, such as "layers[].energy_mj". For an
/// unknown object, only its own path is returned and not the paths of its members.
[[nodiscard]] std::vector<std::string> ignored_fields(const nlohmann::json& document,
                                                      const nlohmann::json& known);

}  // namespace spira
