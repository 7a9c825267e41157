#include "engine/base/schema_json.hpp"

#include "engine/base/error.hpp"
#include "engine/base/text.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace spira {
namespace {

using Json = nlohmann::json;

std::string shown(const Json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "an array";
  constexpr std::size_t most = 60;
  const std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  return text.size() <= most ? text : text.substr(0, most) + "...";
}

bool has_type(const Json& value, const std::string& type) {
  if (type == "null") return value.is_null();
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "number") return value.is_number();
  if (type == "integer") return value.is_number_integer();
  throw Error(ErrorKind::internal, "JSON schema: unsupported type " + type);
}

std::vector<std::string> words_of(const Json& one_or_more) {
  if (one_or_more.is_string()) return {one_or_more.get<std::string>()};
  return one_or_more.get<std::vector<std::string>>();
}

std::string joined(const std::vector<std::string>& words, const char* between) {
  std::string text;
  for (const auto& word : words)
    text += (text.empty() ? "" : between) + word;
  return text;
}

class Check {
 public:
  Check(const Json& schema, std::size_t most) : all_(schema), most_(most) {}

  void check(const Json& schema, const Json& value, const std::string& path) {
    if (found_.size() >= most_) return;
    if (const auto type = schema.find("type"); type != schema.end()) {
      const auto types = words_of(*type);
      const bool fits =
          std::any_of(types.begin(), types.end(), [&](const auto& one) { return has_type(value, one); });
      if (!fits)
        // If the type is wrong, the other rules are not checked, because they assume the right type.
        return expected(path, value, joined(types, " or "));
    }
    for (const auto& [rule, wanted] : schema.items())
      check_rule(schema, rule, wanted, value, path);
  }
  [[nodiscard]] std::vector<std::string> take() { return std::move(found_); }

 private:
  static std::string place(const std::string& path) { return path.empty() ? "the document" : path; }
  static std::string member(const std::string& path, const std::string& key) {
    return path.empty() ? key : path + "." + key;
  }
  void add(const std::string& path, const std::string& fault) {
    if (found_.size() < most_) found_.push_back(place(path) + ": " + fault);
  }
  void expected(const std::string& path, const Json& value, const std::string& wanted) {
    add(path, shown(value) + "; expected " + wanted);
  }

  void check_rule(const Json& schema, const std::string& rule, const Json& wanted, const Json& value,
                  const std::string& path) {
    constexpr std::array<std::string_view, 6> about{"$schema",     "$defs",   "title",
                                                    "description", "default", "type"};
    if (rule == "const") {
      if (value != wanted) expected(path, value, shown(wanted));
    } else if (rule == "enum") {
      if (std::find(wanted.begin(), wanted.end(), value) == wanted.end()) {
        std::vector<std::string> choices;
        for (const Json& one : wanted)
          choices.push_back(shown(one));
        expected(path, value, "one of: " + joined(choices, ", "));
      }
    } else if (rule == "$ref") {  // A reference such as "#/$defs/name".
      check(all_.at(Json::json_pointer(wanted.get<std::string>().substr(1))), value, path);
    } else if (rule == "oneOf") {
      const auto kept = std::count_if(wanted.begin(), wanted.end(), [&](const Json& one) {
        Check alone(all_, 1);
        alone.check(one, value, path);
        return alone.found_.empty();
      });
      if (kept != 1) expected(path, value, "exactly one of " + std::to_string(wanted.size()) + " forms");
    } else if (rule == "minimum" || rule == "maximum") {
      check_bound(rule == "minimum", wanted, value, path);
    } else if (rule == "exclusiveMinimum") {
      if (value.is_number() && value <= wanted) expected(path, value, "more than " + wanted.dump());
    } else if (rule == "minLength") {
      if (value.is_string() && value.get_ref<const std::string&>().size() < wanted.get<std::size_t>())
        expected(path, value, "at least " + wanted.dump() + " characters");
    } else if (rule == "minItems" || rule == "maxItems") {
      check_length(rule == "minItems", wanted, value, path);
    } else if (rule == "items") {
      for (std::size_t at = 0; value.is_array() && at < value.size(); ++at)
        check(wanted, value[at], path + "[" + std::to_string(at) + "]");
    } else if (rule == "required") {
      for (const Json& key : wanted) {
        if (value.is_object() && !value.contains(key.get<std::string>()))
          add(member(path, key.get<std::string>()), "missing");
      }
    } else if (rule == "properties") {
      check_properties(wanted, value, path);
    } else if (rule == "additionalProperties") {
      check_others(schema, wanted, value, path);
    } else if (std::find(about.begin(), about.end(), rule) == about.end()) {
      throw Error(ErrorKind::internal, "JSON schema: unsupported keyword " + rule);
    }
  }

  void check_bound(bool lower, const Json& wanted, const Json& value, const std::string& path) {
    if (!value.is_number() || (lower ? value >= wanted : value <= wanted)) return;
    expected(path, value, (lower ? "at least " : "at most ") + wanted.dump());
  }

  void check_length(bool lower, const Json& wanted, const Json& value, const std::string& path) {
    if (!value.is_array()) return;
    const auto limit = wanted.get<std::size_t>();
    if (lower ? value.size() >= limit : value.size() <= limit) return;
    add(path, std::to_string(value.size()) + " entries; expected " + (lower ? "at least " : "at most ") +
                  wanted.dump());
  }

  void check_properties(const Json& properties, const Json& value, const std::string& path) {
    if (!value.is_object()) return;
    for (const auto& [key, one] : value.items()) {
      const auto property = properties.find(key);
      if (property != properties.end()) check(*property, one, member(path, key));
    }
  }
  /// Checks the members that "properties" does not list. `wanted` is their schema, or false if no other
  /// members are allowed.
  void check_others(const Json& schema, const Json& wanted, const Json& value, const std::string& path) {
    if (!value.is_object()) return;
    const auto named = schema.find("properties");
    for (const auto& [key, one] : value.items()) {
      if (named != schema.end() && named->contains(key)) continue;
      const std::string place = member(path, shortened(key));
      if (wanted.is_object()) check(wanted, one, place);
      if (wanted == false) add(place, "unknown");
    }
  }

  const Json& all_;
  std::size_t most_;
  std::vector<std::string> found_;
};

}  // namespace

JsonSchema::JsonSchema(Json schema, const std::string& root) : schema_(std::move(schema)), root_(root) {}

std::vector<std::string> JsonSchema::faults(const Json& document, std::size_t most) const {
  Check check(schema_, most);
  check.check(schema_.at(root_), document, "");
  return check.take();
}

}  // namespace spira
