// The schemas as they lie in the tree: what tests hold documents against.
#pragma once

#include "engine/base/schema_json.hpp"

#include <fstream>
#include <string>

namespace spira::test {

using spira::JsonSchema;

/// One that the program brings along, by its name in resources/schemas.
inline JsonSchema shipped_schema(const std::string& name) {
  std::ifstream file(SPIRA_SOURCE_DIR "/resources/schemas/" + name + ".schema.json");
  return JsonSchema(nlohmann::json::parse(file));
}

}  // namespace spira::test
