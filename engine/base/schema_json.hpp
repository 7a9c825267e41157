// Checks JSON documents against a schema, and lists the schemas in the program. Supports the part of JSON
// Schema that these schemas use: type, const, enum, bounds, items, properties, required, $ref.
#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace spira {

class JsonSchema {
 public:
  /// `root` is the JSON pointer to the part of `schema` that a document must satisfy, such as "/$defs/sweep".
  /// If `root` is empty, a document must satisfy the whole schema.
  explicit JsonSchema(nlohmann::json schema, const std::string& root = "");

  /// Returns the faults of a document, at most `most`, as lines such as "layers[2].pairs: -3; expected at
  /// least 0". Returns an empty list if the document is valid. Throws `Error(internal)` if the schema
  /// contains a keyword that is not supported.
  [[nodiscard]] std::vector<std::string> faults(const nlohmann::json& document, std::size_t most = 100) const;

 private:
  nlohmann::json schema_;
  nlohmann::json::json_pointer root_;
};

struct ShippedSchema {
  std::string_view name;     ///< For example "report" for resources/schemas/report.schema.json.
  std::string_view content;  ///< The schema as JSON text.
};
[[nodiscard]] std::span<const ShippedSchema> shipped_schemas() noexcept;

}  // namespace spira
