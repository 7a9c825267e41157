// Reads the members of JSON documents, which other programs may have written. Checks types and limits.
// Reports the position of each fault.
#pragma once

#include "engine/base/text.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace spira {

/// The largest n for which all whole numbers from 0 to n are exact as doubles. Some JSON readers store all
/// numbers as doubles.
constexpr std::int64_t max_exact_count = 1LL << 53U;

/// Parses a JSON document, which must be an object. Throws `Error(input)` in these cases:
/// - The text is not JSON, or a number is too large for a double: "FILE: invalid JSON at line 1, column 3:
///   ...".
/// - A key occurs twice in one object: "FILE: layers[0].name: ...".
/// - There are too many levels of nesting. Documents of this program never reach the limit.
[[nodiscard]] nlohmann::json parse_json_object(std::string_view text, const std::string& file);
/// The properties of a JSON text that can be found without storing its members.
struct JsonOutline {
  /// The fault for which parse_json_object() would throw, without the file name. Empty if the text is valid.
  std::string fault;
  bool ends_too_early = false;  ///< True if the text is valid so far but incomplete.
  bool is_object = false;
  std::set<std::string> keys{};         ///< The keys of the outermost object.
  std::optional<std::string> schema{};  ///< The member "schema" of the outermost object.
};
[[nodiscard]] JsonOutline json_outline(std::string_view text);

/// Reads the members of one object in a JSON document. The document must outlive this object. Each getter
/// throws `Error(input)` if the member is missing, has the wrong type or is outside its limits, for example
/// "FILE: layers[2].pairs: -3; expected a whole number from 0 to 100".
class JsonFields {
 public:
  JsonFields(const nlohmann::json& object, std::string file, std::string path);

  [[nodiscard]] bool has(const std::string& key) const;
  [[nodiscard]] JsonFields at(const std::string& key) const;
  [[nodiscard]] std::vector<JsonFields> rows(const std::string& key, std::size_t most) const;
  [[nodiscard]] const nlohmann::json& value(const std::string& key) const;
  [[nodiscard]] std::string text(const std::string& key) const;
  [[nodiscard]] std::string text_or(const std::string& key, const std::string& otherwise) const;
  [[nodiscard]] bool truth(const std::string& key) const;
  [[nodiscard]] std::int64_t whole(const std::string& key, std::int64_t low, std::int64_t high) const;
  [[nodiscard]] std::int64_t count(const std::string& key) const { return whole(key, 0, max_exact_count); }
  [[nodiscard]] double number(const std::string& key, double low, double high) const;
  [[nodiscard]] std::vector<std::string> texts(const std::string& key, std::size_t most) const;
  [[nodiscard]] std::vector<std::int64_t> counts(const std::string& key, std::size_t most) const;
  /// Returns a list of at most `most` numbers, which must be finite and not negative.
  [[nodiscard]] std::vector<double> numbers(const std::string& key, std::size_t most) const;
  /// Returns a fingerprint. It is stored as the text of fingerprint_text().
  [[nodiscard]] std::uint64_t fingerprint(const std::string& key) const;
  /// Throws `Error(input)` with the path of the member `key` and the message `fault`.
  [[noreturn]] void fail(const std::string& key, const std::string& fault) const;

 private:
  [[nodiscard]] const nlohmann::json& array(const std::string& key, std::size_t most) const;
  [[nodiscard]] std::string place(const std::string& key) const;

  const nlohmann::json* object_;
  std::string file_, path_;
};

struct SchemaVersion {
  int major = 1, minor = 0;
};
/// Throws `Error(input)` unless the member `schema` is `name`, and `schema_version` has the major version of
/// `known`. If the minor version is newer than `known`, returns a note for the user, otherwise an empty
/// string. `noun` is the kind of document in messages, such as "report".
[[nodiscard]] std::string check_schema(const JsonFields& fields, const std::string& name,
                                       const std::string& noun, SchemaVersion known);

/// Returns the value in `choices` whose name equals the text of the member `key`. Throws `Error(input)` with
/// a list of the names if there is none.
template <class Value>
[[nodiscard]] Value choice(const JsonFields& fields, const std::string& key,
                           const std::vector<std::pair<std::string_view, Value>>& choices) {
  const std::string text = fields.text(key);
  std::string names;
  for (const auto& [name, value] : choices) {
    if (text == name) return value;
    names += (names.empty() ? "" : ", ") + std::string(name);
  }
  fields.fail(key, "\"" + shortened(text) + "\"; expected one of: " + names);
}

// The declarations below recover the complete members of a JSON document that ends too early.

struct TruncatedJson {
  std::string text;  ///< The document without its incomplete members.
  std::string at;    ///< The path of the member in which the text ends, such as "sweeps.thresholds.rows".
};

/// Completes a JSON document that ends too early. An incomplete member is removed as a whole, so that a list
/// with missing elements does not look complete. Only objects and lists whose paths are in `open` keep their
/// complete members. The path "" is the document, and "a.b" is the member b of its member a. Returns an empty
/// optional if the text does not end inside an object. The result must be validated by a parser.
[[nodiscard]] std::optional<TruncatedJson> complete_truncated_json(std::string_view text,
                                                                   std::span<const std::string_view> open);

}  // namespace spira
