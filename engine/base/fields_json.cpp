#include "engine/base/fields_json.hpp"

#include "engine/base/error.hpp"
#include "engine/base/text.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <vector>

namespace spira {
namespace {

using Json = nlohmann::json;

// Documents of this program have about ten levels of nesting. Deeper documents are rejected, because the
// destructor and dump() of the JSON library are recursive.
constexpr std::size_t max_levels = 40;
// The maximum length of a text in bytes. Labels of the window cannot draw longer texts.
constexpr std::size_t max_letters = 8000;

std::string shown(const Json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "an array";
  constexpr std::size_t most = 60;
  const std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  return text.size() <= most ? text : text.substr(0, most) + "...";
}

/// Checks a JSON text before it is parsed. Finds faults that the JSON library does not report or reports
/// without a position.
class Inspector final : public nlohmann::json_sax<Json> {
 public:
  explicit Inspector(std::string_view text) : text_(text) {}
  [[nodiscard]] JsonOutline take() { return std::move(found_); }

  bool null() override { return value(); }
  bool boolean(bool) override { return value(); }
  bool number_integer(number_integer_t) override { return value(); }
  bool number_unsigned(number_unsigned_t) override { return value(); }
  bool number_float(number_float_t, const string_t&) override { return value(); }
  bool string(string_t& text) override {
    if (inside_.size() == 1 && inside_.back().object && inside_.back().key == "schema") found_.schema = text;
    return value();
  }
  bool binary(binary_t&) override { return value(); }
  bool start_object(std::size_t) override { return enter(true); }
  bool end_object() override { return leave(); }
  bool start_array(std::size_t) override { return enter(false); }
  bool end_array() override { return leave(); }

  bool key(string_t& name) override {
    Container& object = inside_.back();
    object.key = name;
    if (inside_.size() == 1) found_.keys.insert(name);
    if (object.keys.insert(name).second) return true;
    return refuse(path() + ": the key occurs twice in one object");
  }

  bool parse_error(std::size_t position, const std::string& token, const Json::exception& error) override {
    if (dynamic_cast<const Json::out_of_range*>(&error) != nullptr) {
      const std::size_t begin = position - std::min(position, token.size()) + 1;
      return refuse("invalid JSON at " + place_of(begin) + ": the number is out of range (" +
                    shortened(token) + ")");
    }
    if (text_.empty()) return refuse("the file is empty; expected a JSON object");
    const std::string place = "invalid JSON at " + place_of(position);
    found_.ends_too_early = position > text_.size();
    if (found_.ends_too_early) return refuse(place + ": unexpected end of the text");
    const std::size_t at = std::max<std::size_t>(position, 1) - 1;
    return refuse(place + ": unexpected " +
                  Json(text_.substr(at, 1)).dump(-1, ' ', true, Json::error_handler_t::replace));
  }

 private:
  struct Container {
    bool object = false;
    std::set<std::string, std::less<>> keys;
    std::string key;
    std::size_t index = 0;
  };

  /// Returns the position of a byte, such as "line 3, column 7". Lines and columns are counted from 1.
  [[nodiscard]] std::string place_of(std::size_t byte) const {
    std::size_t line = 1, column = 1;
    for (std::size_t at = 0; at + 1 < byte && at < text_.size(); ++at) {
      column = text_[at] == '\n' ? 1 : column + 1;
      line += text_[at] == '\n' ? 1 : 0;
    }
    return "line " + std::to_string(line) + ", column " + std::to_string(column);
  }
  /// Returns the path of the current member or element, such as "layers[0].kernel_size".
  [[nodiscard]] std::string path() const {
    std::string all;
    for (const Container& one : inside_)
      all +=
          one.object ? (all.empty() ? "" : ".") + shortened(one.key) : "[" + std::to_string(one.index) + "]";
    return all;
  }
  bool refuse(const std::string& fault) {
    found_.fault = fault;
    return false;
  }
  bool value() {
    if (!inside_.empty() && !inside_.back().object) ++inside_.back().index;
    return true;
  }
  bool enter(bool object) {
    if (inside_.empty()) found_.is_object = object;
    if (inside_.size() >= max_levels)
      return refuse("nested deeper than " + std::to_string(max_levels) + " levels");
    inside_.push_back({object, {}, {}, 0});
    return true;
  }
  bool leave() {
    inside_.pop_back();
    return value();
  }

  std::string_view text_;
  std::vector<Container> inside_;
  JsonOutline found_;
};

}  // namespace

JsonOutline json_outline(std::string_view text) {
  Inspector inspector(text);
  static_cast<void>(Json::sax_parse(text, &inspector));
  return inspector.take();
}

Json parse_json_object(std::string_view text, const std::string& file) {
  const JsonOutline outline = json_outline(text);
  if (!outline.fault.empty()) throw Error(ErrorKind::input, file + ": " + outline.fault);
  Json document = Json::parse(text);
  if (!document.is_object())
    throw Error(ErrorKind::input, file + ": " + shown(document) + "; expected a JSON object");
  return document;
}

JsonFields::JsonFields(const Json& object, std::string file, std::string path)
    : object_(&object), file_(std::move(file)), path_(std::move(path)) {
  if (!object.is_object())
    throw Error(ErrorKind::input, file_ + ": " + path_ + ": " + shown(object) + "; expected an object");
}

std::string JsonFields::place(const std::string& key) const {
  return path_.empty() ? key : path_ + "." + key;
}

void JsonFields::fail(const std::string& key, const std::string& fault) const {
  throw Error(ErrorKind::input, file_ + ": " + place(key) + ": " + fault);
}

bool JsonFields::has(const std::string& key) const {
  return object_->contains(key);
}

const Json& JsonFields::value(const std::string& key) const {
  const auto found = object_->find(key);
  if (found == object_->end()) fail(key, "missing");
  return *found;
}

JsonFields JsonFields::at(const std::string& key) const {
  return {value(key), file_, place(key)};
}

const Json& JsonFields::array(const std::string& key, std::size_t most) const {
  const Json& found = value(key);
  if (!found.is_array()) fail(key, shown(found) + "; expected an array");
  if (found.size() > most)
    fail(key, count_text(static_cast<std::int64_t>(found.size())) + " entries; the limit is " +
                  count_text(static_cast<std::int64_t>(most)));
  return found;
}

std::vector<JsonFields> JsonFields::rows(const std::string& key, std::size_t most) const {
  std::vector<JsonFields> all;
  for (const Json& row : array(key, most))
    all.emplace_back(row, file_, place(key) + "[" + std::to_string(all.size()) + "]");
  return all;
}

std::string JsonFields::text(const std::string& key) const {
  const Json& found = value(key);
  if (!found.is_string()) fail(key, shown(found) + "; expected a string");
  if (found.get_ref<const std::string&>().size() > max_letters)
    fail(key, "longer than " + std::to_string(max_letters) + " bytes");
  return found.get<std::string>();
}

std::string JsonFields::text_or(const std::string& key, const std::string& otherwise) const {
  return has(key) ? text(key) : otherwise;
}

bool JsonFields::truth(const std::string& key) const {
  const Json& found = value(key);
  if (!found.is_boolean()) fail(key, shown(found) + "; expected true or false");
  return found.get<bool>();
}

std::int64_t JsonFields::whole(const std::string& key, std::int64_t low, std::int64_t high) const {
  const Json& found = value(key);
  const bool fits = found.is_number_integer() &&
                    (!found.is_number_unsigned() || found.get<std::uint64_t>() <= std::uint64_t{1} << 62U) &&
                    found.get<std::int64_t>() >= low && found.get<std::int64_t>() <= high;
  if (!fits)
    fail(key, shown(found) + "; expected a whole number from " + count_text(low) + " to " + count_text(high));
  return found.get<std::int64_t>();
}

double JsonFields::number(const std::string& key, double low, double high) const {
  const Json& found = value(key);
  if (!found.is_number() || !(found.get<double>() >= low && found.get<double>() <= high))
    fail(key, shown(found) + "; expected a number from " + shortest(low) + " to " + shortest(high));
  return found.get<double>();
}

std::vector<std::string> JsonFields::texts(const std::string& key, std::size_t most) const {
  std::vector<std::string> all;
  for (const Json& one : array(key, most)) {
    if (!one.is_string())
      fail(key + "[" + std::to_string(all.size()) + "]", shown(one) + "; expected a string");
    all.push_back(one.get<std::string>());
  }
  return all;
}

std::vector<std::int64_t> JsonFields::counts(const std::string& key, std::size_t most) const {
  std::vector<std::int64_t> all;
  for (const Json& one : array(key, most)) {
    const bool sound =
        one.is_number_unsigned() && one.get<std::uint64_t>() <= static_cast<std::uint64_t>(max_exact_count);
    if (!sound) fail(key + "[" + std::to_string(all.size()) + "]", shown(one) + "; expected a count");
    all.push_back(one.get<std::int64_t>());
  }
  return all;
}

std::vector<double> JsonFields::numbers(const std::string& key, std::size_t most) const {
  std::vector<double> all;
  for (const Json& one : array(key, most)) {
    if (!one.is_number() || !(one.get<double>() >= 0 && std::isfinite(one.get<double>())))
      fail(key + "[" + std::to_string(all.size()) + "]", shown(one) + "; expected a number of at least 0");
    all.push_back(one.get<double>());
  }
  return all;
}

std::uint64_t JsonFields::fingerprint(const std::string& key) const {
  const std::string text = this->text(key);
  constexpr std::string_view digits = "0123456789abcdef";
  if (text.size() != 16 || text.find_first_not_of(digits) != std::string::npos)
    fail(key, "expected 16 hexadecimal digits");
  std::uint64_t value = 0;
  for (const char digit : text)
    value = value << 4U | digits.find(digit);
  return value;
}

std::string check_schema(const JsonFields& fields, const std::string& name, const std::string& noun,
                         SchemaVersion known) {
  if (fields.text("schema") != name)
    fields.fail("schema", "\"" + shortened(fields.text("schema")) + "\" is not a " + noun + "; expected \"" +
                              name + "\"");
  const std::string text = fields.text("schema_version");
  const std::string ours = std::to_string(known.major) + "." + std::to_string(known.minor);
  const auto dot = text.find('.');
  const auto major = parse_int(text.substr(0, dot));
  const auto minor = dot == std::string::npos ? std::nullopt : parse_int(text.substr(dot + 1));
  if (!major || !minor || *major < 1 || *minor < 0)
    fields.fail("schema_version", "\"" + shortened(text) + "\"; expected a version such as " + ours);
  if (*major != known.major)
    fields.fail("schema_version", text + " is newer than this program, which reads version " +
                                      std::to_string(known.major) + ".x; open it with a newer SpiraScope");
  if (*minor <= known.minor) return {};
  return "written by a newer version (" + noun + " " + text + "; this program reads " + ours +
         "): unknown fields are ignored";
}

namespace {

class Tear {
 public:
  explicit Tear(std::span<const std::string_view> open) : open_(open) {}

  std::optional<TruncatedJson> mend(std::string_view text) {
    for (std::size_t at = 0; at < text.size(); ++at) {
      const char letter = text[at];
      if (letter == '"') {
        at = take_string(text, at);
      } else if (letter == ':' && !inside_.empty() && inside_.back().open) {
        inside_.back().key = last_string_;
      } else if (letter == ',') {
        keep_to(at);
      } else if (letter == '{' || letter == '[') {
        enter(letter == '{' ? '}' : ']');
        keep_to(at + 1);
      } else if (letter == '}' || letter == ']') {
        if (inside_.empty() || inside_.back().end != letter) return std::nullopt;
        inside_.pop_back();
        if (inside_.empty()) return std::nullopt;  // The document is complete.
        keep_to(at + 1);
      }
    }
    if (ends_.empty()) return std::nullopt;
    return TruncatedJson{std::string(text.substr(0, whole_)) + ends_, torn_member()};
  }

 private:
  struct Container {
    char end;
    std::string path, key;  // The key of the current member.
    bool open;
  };

  /// Returns the position of the closing quote, or the end of the text if the quote is missing.
  std::size_t take_string(std::string_view text, std::size_t begin) {
    std::size_t end = begin + 1;
    while (end < text.size() && text[end] != '"')
      end += text[end] == '\\' ? 2 : 1;
    end = std::min(end, text.size());
    last_string_ = text.substr(begin + 1, end - begin - 1);
    return end;
  }

  [[nodiscard]] static std::string path_in(const Container& container) {
    if (container.end == ']') return container.path + "[]";
    return container.path.empty() ? container.key : container.path + "." + container.key;
  }

  void enter(char end) {
    // A container is not open if any of the containers around it is not open.
    if (!inside_.empty() && !inside_.back().open) {
      inside_.push_back({end, {}, {}, false});
      return;
    }
    const std::string path = inside_.empty() ? "" : path_in(inside_.back());
    inside_.push_back({end, path, {}, std::find(open_.begin(), open_.end(), path) != open_.end()});
  }

  /// Keeps the text before `at` if the current container is open. Called at each comma and bracket, so all
  /// complete members of an open container are kept.
  void keep_to(std::size_t at) {
    if (inside_.empty() || !inside_.back().open) return;
    whole_ = at;
    ends_.clear();
    std::transform(inside_.rbegin(), inside_.rend(), std::back_inserter(ends_),
                   [](const Container& one) { return one.end; });
  }

  /// Returns the path of the outermost member that is incomplete and therefore removed. If only an element of
  /// an open list is removed, returns the path of the list.
  [[nodiscard]] std::string torn_member() const {
    const auto last =
        std::find_if(inside_.rbegin(), inside_.rend(), [](const Container& c) { return c.open; });
    if (last == inside_.rend()) return {};
    return last->end == ']' ? last->path : path_in(*last);
  }

  std::span<const std::string_view> open_;
  std::vector<Container> inside_;
  std::string_view last_string_;
  std::size_t whole_ = 0;
  std::string ends_;  // The brackets that close all containers around `whole_`.
};

}  // namespace

std::optional<TruncatedJson> complete_truncated_json(std::string_view text,
                                                     std::span<const std::string_view> open) {
  return Tear(open).mend(text);
}

}  // namespace spira
