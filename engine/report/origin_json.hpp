// Converts facts about the program build and the machine of a report to JSON and back. Also finds fields of
// a report that only later program versions know.
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

// The functions below throw `Error(input)` if a value is not valid.
[[nodiscard]] BuildFacts build_from(const JsonFields& tool);
[[nodiscard]] HostFacts host_from(const JsonFields& fields);

/// Returns the paths of all fields of `document` that are not in `known`. `known` must be the document that
/// this program writes for the same content. Entries of an array share one path, such as
/// "layers[].energy_mj". For an unknown object, only the path of the object is returned, not the paths of
/// its members.
[[nodiscard]] std::vector<std::string> ignored_fields(const nlohmann::json& document,
                                                      const nlohmann::json& known);

}  // namespace spira
