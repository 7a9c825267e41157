// Finds the members of a document that this program does not know.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace spira {

/// Returns the paths of `document` that are not in `known`. `known` must be the same content as this program
/// writes it. Rows of an array share one path: "layers[].energy_mj". An unknown object is one path that
/// covers its members.
[[nodiscard]] std::vector<std::string> ignored_fields(const nlohmann::json& document,
                                                      const nlohmann::json& known);

}  // namespace spira
