#include "engine/scene/formats/ply_header.hpp"

#include "engine/base/error.hpp"
#include "engine/base/text.hpp"
#include "engine/scene/text/lines.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace spira {
namespace {

class Parser {
 public:
  Parser(std::string_view text, std::string_view file_name) : lines_(text), file_name_(file_name) {}

  PlyHeader run() {
    auto first = lines_.next().value_or("");
    if (lower(take_word(first)) != "ply" || !take_word(first).empty()) throw fault("expected 'ply'");
    bool format_seen = false;
    while (true) {
      const auto line = lines_.next();
      if (!line) throw fault("the header ends without end_header");
      std::string_view rest = *line;
      const std::string_view word = take_word(rest);
      const std::string key = lower(word);
      if (key == "end_header") break;
      if (key == "comment" || key == "obj_info" || key.empty()) continue;
      if (key == "format") {
        read_format(rest);
        format_seen = true;
      } else if (key == "element") {
        read_element(rest);
      } else if (key == "property") {
        read_property(rest);
      } else {
        throw fault("'" + std::string(word.substr(0, 32)) + "' is not a PLY keyword");
      }
    }
    if (!format_seen) throw fault("no format line");
    header_.data_offset = lines_.end_of_header();
    header_.data_line = lines_.number();
    return std::move(header_);
  }

 private:
  static std::string lower(std::string_view word) {
    std::string text(word);
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
  }
  [[nodiscard]] Error fault(const std::string& text) const {
    return Error(ErrorKind::input, std::string(file_name_) + ": PLY header, line " +
                                       std::to_string(lines_.number()) + ": " + text);
  }

  void read_format(std::string_view rest) {
    const std::string_view word = take_word(rest);
    const std::string kind = lower(word);
    if (kind == "ascii") {
      header_.encoding = PlyEncoding::ascii;
    } else if (kind == "binary_little_endian") {
      header_.encoding = PlyEncoding::little;
    } else if (kind == "binary_big_endian") {
      header_.encoding = PlyEncoding::big;
    } else {
      throw fault("format '" + std::string(word.substr(0, 32)) +
                  "', expected ascii, binary_little_endian or binary_big_endian");
    }
  }

  void read_element(std::string_view rest) {
    constexpr std::size_t max_elements = 64;
    PlyElement element;
    element.name = take_word(rest);
    const std::string_view count_text = take_word(rest);
    const auto count = parse_int(count_text);
    if (!count || *count < 0)
      throw fault("'" + std::string(count_text.substr(0, 32)) + "' is not a number of elements");
    if (header_.elements.size() == max_elements) throw fault("more than 64 elements");
    element.count = static_cast<std::uint64_t>(*count);
    header_.elements.push_back(std::move(element));
  }

  void read_property(std::string_view rest) {
    constexpr std::size_t max_properties = 1024;
    if (header_.elements.empty()) throw fault("a property before any element");
    auto& properties = header_.elements.back().properties;
    if (properties.size() == max_properties) throw fault("more than 1024 properties");
    PlyProperty property;
    std::string_view type = take_word(rest);
    if (lower(type) == "list") {
      property.list = true;
      property.count_type = scalar(take_word(rest));
      if (property.count_type == Scalar::f32 || property.count_type == Scalar::f64)
        throw fault("the length of a list must be a whole number");
      type = take_word(rest);
    }
    property.type = scalar(type);
    property.name = take_word(rest);
    if (property.name.empty()) throw fault("a property without a name");
    properties.push_back(std::move(property));
  }

  [[nodiscard]] Scalar scalar(std::string_view word) const {
    static constexpr std::array<std::pair<std::string_view, Scalar>, 18> names{{
        {"char", Scalar::i8},
        {"int8", Scalar::i8},
        {"uchar", Scalar::u8},
        {"uint8", Scalar::u8},
        {"short", Scalar::i16},
        {"int16", Scalar::i16},
        {"ushort", Scalar::u16},
        {"uint16", Scalar::u16},
        {"int", Scalar::i32},
        {"int32", Scalar::i32},
        {"uint", Scalar::u32},
        {"uint32", Scalar::u32},
        {"int64", Scalar::i64},
        {"uint64", Scalar::u64},
        {"float", Scalar::f32},
        {"float32", Scalar::f32},
        {"double", Scalar::f64},
        {"float64", Scalar::f64},
    }};
    const std::string name = lower(word);
    const auto found =
        std::find_if(names.begin(), names.end(), [&](const auto& row) { return row.first == name; });
    if (found == names.end()) throw fault("'" + std::string(word.substr(0, 32)) + "' is not a PLY type");
    return found->second;
  }

  Lines lines_;
  std::string_view file_name_;
  PlyHeader header_;
};

}  // namespace

bool PlyElement::has_list() const noexcept {
  return std::any_of(properties.begin(), properties.end(), [](const PlyProperty& p) { return p.list; });
}

std::size_t PlyElement::fixed_bytes() const noexcept {
  std::size_t sum = 0;
  for (const PlyProperty& property : properties)
    sum += bytes_of(property.type);
  return sum;
}

PlyHeader read_ply_header(std::string_view text, std::string_view file_name) {
  return Parser(text, file_name).run();
}

}  // namespace spira
