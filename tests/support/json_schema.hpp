// As much of JSON Schema as our schemas use: type, const, enum, bounds, items, properties, required, oneOf,
// $ref.
#pragma once

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace spira::test {

class JsonSchema {
 public:
  explicit JsonSchema(nlohmann::json schema) : schema_(std::move(schema)) {}

  /// Empty: the document keeps to the schema. Throws std::runtime_error for a keyword that is not known here.
  [[nodiscard]] std::vector<std::string> faults(const nlohmann::json& document) const {
    std::vector<std::string> found;
    check(schema_, document, "$", found);
    return found;
  }

 private:
  using Json = nlohmann::json;
  using Faults = std::vector<std::string>;

  static bool has_type(const Json& value, const Json& types) {
    if (types.is_array())
      return std::any_of(types.begin(), types.end(), [&](const Json& one) { return has_type(value, one); });
    const auto type = types.get<std::string>();
    if (type == "null") return value.is_null();
    if (type == "object") return value.is_object();
    if (type == "array") return value.is_array();
    if (type == "string") return value.is_string();
    if (type == "boolean") return value.is_boolean();
    if (type == "number") return value.is_number();
    if (type == "integer") return value.is_number_integer();
    throw std::runtime_error("json_schema: type " + type);
  }

  void check(const Json& schema, const Json& value, const std::string& path, Faults& found) const {
    const auto expect = [&](bool kept, const std::string& rule) {
      if (!kept) found.push_back(path + ": " + rule);
    };
    for (const auto& [rule, wanted] : schema.items()) {
      if (rule == "type") {
        expect(has_type(value, wanted), rule);
      } else if (rule == "const") {
        expect(value == wanted, rule);
      } else if (rule == "enum") {
        expect(std::find(wanted.begin(), wanted.end(), value) != wanted.end(), rule);
      } else if (rule == "$ref") {  // "#/$defs/name"
        check(schema_.at(Json::json_pointer(wanted.get<std::string>().substr(1))), value, path, found);
      } else if (rule == "minimum" || rule == "maximum") {
        expect(!value.is_number() || (rule == "minimum" ? value >= wanted : value <= wanted), rule);
      } else if (rule == "oneOf") {
        expect(kept_of(wanted, value) == 1, rule);
      } else if (rule == "minLength") {
        expect(!value.is_string() || value.get<std::string>().size() >= wanted, rule);
      } else if (rule == "minItems" || rule == "maxItems") {
        expect(!value.is_array() || (rule == "minItems" ? value.size() >= wanted : value.size() <= wanted),
               rule);
      } else if (rule == "items") {
        for (std::size_t at = 0; value.is_array() && at < value.size(); ++at)
          check(wanted, value[at], path + "[" + std::to_string(at) + "]", found);
      } else if (rule == "required") {
        for (const auto& key : wanted)
          expect(!value.is_object() || value.contains(key.get<std::string>()), "required " + key.dump());
      } else if (rule == "properties" || rule == "additionalProperties") {
        if (rule == "properties") check_properties(schema, value, path, found);
      } else if (!about_.contains(rule)) {
        throw std::runtime_error("json_schema: keyword " + rule);
      }
    }
  }

  [[nodiscard]] std::int64_t kept_of(const Json& choices, const Json& value) const {
    return std::count_if(choices.begin(), choices.end(), [&](const Json& one) {
      Faults found;
      check(one, value, "", found);
      return found.empty();
    });
  }

  void check_properties(const Json& schema, const Json& value, const std::string& path, Faults& found) const {
    if (!value.is_object()) return;
    for (const auto& [key, member] : value.items()) {
      const auto property = schema["properties"].find(key);
      if (property != schema["properties"].end()) {
        check(*property, member, path + "." + key, found);
      } else if (schema.value("additionalProperties", true) == false) {
        found.push_back(path + "." + key + ": unknown");
      }
    }
  }

  static inline const std::set<std::string> about_{"$schema", "$defs", "title", "description", "default"};
  Json schema_;
};

/// One that the program brings along, by its name in resources/schemas.
inline JsonSchema shipped_schema(const std::string& name) {
  std::ifstream file(SPIRA_SOURCE_DIR "/resources/schemas/" + name + ".schema.json");
  return JsonSchema(nlohmann::json::parse(file));
}

}  // namespace spira::test
