#pragma once

#include "engine/base/schema_json.hpp"

#include <fstream>
#include <string>

namespace spira::test {

using spira::JsonSchema;

/// Returns the JSON schema `name` from the folder resources/schemas.
inline JsonSchema shipped_schema(const std::string& name) {
  std::ifstream file(SPIRA_SOURCE_DIR "/resources/schemas/" + name + ".schema.json");
  return JsonSchema(nlohmann::json::parse(file));
}

}  // namespace spira::test
