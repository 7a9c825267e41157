// Members of a JSON document that somebody else wrote: typed and bounded, with faults that name the place.
#pragma once

#include "engine/base/text.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace spira {

constexpr std::int64_t most_exact_count = 1LL << 53U;  ///< what a reader that keeps doubles gets right

/// Reads a document that must be an object. Throws Error(input) "FILE: invalid JSON at line 1, column 3: ..."
/// for text that is not JSON and for numbers beyond a double, "FILE: layers[0].name: ..." for a key that
/// occurs twice in one object, and for nesting deeper than any of our documents.
[[nodiscard]] nlohmann::json parse_json_object(std::string_view text, const std::string& file);
/// What a text says about itself, without its members being kept.
struct JsonOutline {
  std::string fault;            ///< what parse_json_object() says after the name of the file; empty: sound
  bool ends_too_early = false;  ///< it is JSON as far as it goes
  bool is_object = false;
  std::set<std::string> keys{};         ///< of the outermost object
  std::optional<std::string> schema{};  ///< its member "schema"
};
[[nodiscard]] JsonOutline json_outline(std::string_view text);

/// An object of a document. It refers to the document, which must outlive it. Every getter throws
/// Error(input) "FILE: layers[2].pairs: -3; expected a whole number from 0 to 100" for a member that is
/// missing, of another type or out of bounds.
class Fields {
 public:
  Fields(const nlohmann::json& object, std::string file, std::string path);

  [[nodiscard]] bool has(const std::string& key) const;
  [[nodiscard]] Fields at(const std::string& key) const;
  [[nodiscard]] std::vector<Fields> rows(const std::string& key, std::size_t most) const;
  [[nodiscard]] const nlohmann::json& value(const std::string& key) const;
  [[nodiscard]] std::string text(const std::string& key) const;
  [[nodiscard]] std::string text_or(const std::string& key, const std::string& otherwise) const;
  [[nodiscard]] bool truth(const std::string& key) const;
  [[nodiscard]] std::int64_t whole(const std::string& key, std::int64_t low, std::int64_t high) const;
  [[nodiscard]] std::int64_t count(const std::string& key) const { return whole(key, 0, most_exact_count); }
  [[nodiscard]] double number(const std::string& key, double low, double high) const;
  [[nodiscard]] std::vector<std::string> texts(const std::string& key, std::size_t most) const;
  [[nodiscard]] std::vector<std::int64_t> counts(const std::string& key, std::size_t most) const;
  /// Numbers that are not negative.
  [[nodiscard]] std::vector<double> numbers(const std::string& key, std::size_t most) const;
  [[nodiscard]] std::uint64_t fingerprint(const std::string& key) const;  ///< as fingerprint_text writes it
  /// Throws Error(input): the member, and what is wrong with it.
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
/// Throws as the getters do unless `schema` is `name` and `schema_version` of this major version. The note
/// that a later minor version deserves, else empty. `noun`: what the document is, "report".
[[nodiscard]] std::string check_schema(const Fields& fields, const std::string& name, const std::string& noun,
                                       SchemaVersion known);

/// The value that `text` stands for among `choices`; throws as the getters do, naming them all.
template <class Value>
[[nodiscard]] Value choice(const Fields& fields, const std::string& key,
                           const std::vector<std::pair<std::string_view, Value>>& choices) {
  const std::string text = fields.text(key);
  std::string names;
  for (const auto& [name, value] : choices) {
    if (text == name) return value;
    names += (names.empty() ? "" : ", ") + std::string(name);
  }
  fields.fail(key, "\"" + shortened(text) + "\"; expected one of: " + names);
}

}  // namespace spira
