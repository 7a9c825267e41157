// Which members of a document a reader that knows less of them has left out.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace spira {

/// Paths of `document` that `known`, the same content as this program writes it, has not:
/// "layers[].energy_mj", one for all rows. An object that is not known stands for what is in it.
[[nodiscard]] std::vector<std::string> ignored_fields(const nlohmann::json& document,
                                                      const nlohmann::json& known);

}  // namespace spira
