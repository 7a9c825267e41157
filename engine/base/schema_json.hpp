// As much of JSON Schema as our schemas use: type, const, enum, bounds, items, properties, required, $ref.
#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace spira {

class JsonSchema {
 public:
  /// `root`: where in `schema` the rules for a document stand ("/$defs/sweep"); empty: all of it.
  explicit JsonSchema(nlohmann::json schema, const std::string& root = "");

  /// Lines such as "layers[2].pairs: -3; expected at least 0", `most` of them; none: the document keeps to
  /// the schema. Throws Error(internal) for a keyword of the schema that is not known here.
  [[nodiscard]] std::vector<std::string> faults(const nlohmann::json& document, std::size_t most = 100) const;

 private:
  nlohmann::json schema_;
  nlohmann::json::json_pointer root_;
};

}  // namespace spira
