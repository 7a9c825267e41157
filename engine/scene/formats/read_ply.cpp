// Reads PLY files: ascii data, and binary data in both byte orders. Reads the vertices of point clouds and
// meshes, and skips all other elements.

#include "engine/scene/formats/read_ply.hpp"

#include "engine/base/error.hpp"
#include "engine/base/text.hpp"
#include "engine/scene/point_sink.hpp"
#include "engine/scene/reader.hpp"
#include "engine/scene/text/lines.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace spira {
namespace {

std::vector<Column> columns_of(const PlyElement& vertex) {
  std::vector<Column> columns;
  for (const PlyProperty& property : vertex.properties)
    columns.push_back({property.list ? "" : property.name, Attribute::none, is_integral(property.type)});
  assign_by_name(columns);
  for (std::size_t at = 0; at < columns.size(); ++at)
    columns[at].name = vertex.properties[at].name;
  return columns;
}

/// Returns the index of the element that contains the points. This is the element "vertex". If there is no
/// such element, it is the first element with x, y and z. Returns -1 if no element has x, y and z.
int points_of(const PlyHeader& header) {
  const auto& all = header.elements;
  auto found = std::find_if(all.begin(), all.end(), [](const PlyElement& e) { return e.name == "vertex"; });
  if (found == all.end())
    found = std::find_if(all.begin(), all.end(),
                         [](const PlyElement& e) { return has_positions(columns_of(e)); });
  return found == all.end() ? -1 : static_cast<int>(found - all.begin());
}

/// Reads the values of binary data, one element after another. Has the same interface as AsciiRows.
class BinaryRows {
 public:
  BinaryRows(std::span<const std::byte> data, ByteOrder order, std::string_view file_name)
      : data_(data), order_(order), file_name_(file_name) {}

  void require_room(const PlyElement& element) const {
    const std::size_t least = min_bytes(element);
    if (least != 0 && element.count > (data_.size() - at_) / least) throw truncated(element);
  }
  [[nodiscard]] std::uint64_t left_over() const { return data_.size() - at_; }
  static void note(PointSink& /*sink*/) {}
  void skip(const PlyElement& element, Job& job) {
    if (!element.has_list()) {
      at_ += element.fixed_bytes() * element.count;
      return;
    }
    std::vector<double> values;
    for (std::uint64_t row = 0; row < element.count; ++row) {
      if (row % 65'536 == 0) job.checkpoint({"skipping other elements", 0, 0});
      read(element, values);
    }
  }
  void read(const PlyElement& element, std::vector<double>& values) {
    values.assign(element.properties.size(), 0.0);
    for (std::size_t at = 0; at < element.properties.size(); ++at) {
      const PlyProperty& property = element.properties[at];
      if (!property.list) {
        values[at] = load_scalar(take(bytes_of(property.type), element), property.type, order_);
        continue;
      }
      const double count =
          load_scalar(take(bytes_of(property.count_type), element), property.count_type, order_);
      if (count < 0 || count > static_cast<double>(data_.size())) throw truncated(element);
      take(static_cast<std::size_t>(count) * bytes_of(property.type), element);
    }
  }

 private:
  static std::size_t min_bytes(const PlyElement& element) {
    std::size_t sum = 0;
    for (const auto& property : element.properties)
      sum += bytes_of(property.list ? property.count_type : property.type);
    return sum;
  }
  const std::byte* take(std::size_t bytes, const PlyElement& element) {
    if (bytes > data_.size() - at_) throw truncated(element);
    const std::byte* here = data_.data() + at_;
    at_ += bytes;
    return here;
  }
  [[nodiscard]] Error truncated(const PlyElement& element) const {
    return Error(ErrorKind::input,
                 std::string(file_name_) + ": the header declares " + std::to_string(element.count) + " '" +
                     element.name + "' elements, but only " + std::to_string(data_.size() - at_) +
                     " bytes are left at offset " + std::to_string(at_) + " of the data (truncated?)");
  }

  std::span<const std::byte> data_;
  ByteOrder order_;
  std::string_view file_name_;
  std::size_t at_ = 0;
};

class AsciiRows {
 public:
  AsciiRows(std::string_view text, std::size_t first_line, std::string_view file_name)
      : text_(text), lines_(text), first_line_(first_line), file_name_(file_name) {}

  void require_room(const PlyElement& element) const {
    const std::size_t left = text_.size() - std::min(text_.size(), lines_.offset());
    // Each value has at least one digit and one separator.
    const std::size_t least = 2 * element.properties.size();
    if (least != 0 && element.count > (left + 1) / least) throw fault(short_text(element));
  }
  [[nodiscard]] std::uint64_t left_over() const {
    return text_bytes(text_.substr(std::min(text_.size(), lines_.offset())));
  }
  void skip(const PlyElement& element, Job& job) {
    for (std::uint64_t row = 0; row < element.count; ++row) {
      if (row % 65'536 == 0) job.checkpoint({"skipping other elements", 0, 0});
      if (!next_line()) throw fault(short_text(element));
    }
  }
  void read(const PlyElement& element, std::vector<double>& values) {
    values.assign(element.properties.size(), 0.0);
    const auto line = next_line();
    if (!line) throw fault(short_text(element));
    std::string_view rest = *line;
    for (std::size_t at = 0; at < element.properties.size(); ++at) {
      values[at] = number(rest);
      if (!element.properties[at].list) continue;
      const bool possible =
          values[at] >= 0 &&
          values[at] <= static_cast<double>(rest.size());  // This comparison is also false for NaN.
      if (!possible) throw fault("a list is longer than its line");
      for (auto left = static_cast<std::size_t>(values[at]); left > 0; --left)
        number(rest);
    }
    if (!take_word(rest).empty()) ++long_lines_;
  }
  void note(PointSink& sink) const {
    if (long_lines_ > 0)
      sink.note(counted_text(long_lines_, "line has", "lines have") +
                " more values than the header names; additional values were ignored");
  }

 private:
  std::optional<std::string_view> next_line() {
    auto line = lines_.next();
    while (line && line->find_first_not_of(" \t") == std::string_view::npos)
      line = lines_.next();
    return line;
  }
  double number(std::string_view& rest) const {
    const std::string_view word = take_word(rest);
    const auto value = parse_value(word);
    if (!value)
      throw fault(word.empty() ? "too few values"
                               : "'" + printable(word.substr(0, 32)) + "' is not a number");
    return *value;
  }
  [[nodiscard]] static std::string short_text(const PlyElement& element) {
    return "the header declares " + std::to_string(element.count) + " '" + element.name +
           "' elements, but the file contains fewer of them";
  }
  [[nodiscard]] Error fault(const std::string& text) const {
    return Error(ErrorKind::input, std::string(file_name_) + ": line " +
                                       std::to_string(first_line_ + lines_.number()) + ": " + text);
  }

  std::string_view text_;
  Lines lines_;
  std::size_t first_line_;
  std::string_view file_name_;
  std::int64_t long_lines_ = 0;
};

class PlyReader final : public SceneReader {
 public:
  [[nodiscard]] Guess guess(std::span<const std::byte> bytes, std::string_view) const override {
    constexpr std::size_t head_bytes = 64;
    const std::string_view text = text_of(bytes.first(std::min(bytes.size(), head_bytes)));
    Lines lines(text);
    std::string_view line = lines.next().value_or("");
    const std::string_view word = take_word(line);
    const bool alone = take_word(line).empty() && lines.offset() < text.size();
    if (alone && (word == "ply" || word == "PLY")) return {1.0, "begins with 'ply'"};
    return {};
  }

  [[nodiscard]] PointCloud read(std::span<const std::byte> bytes, std::string_view file_name,
                                const ReadLimits& limits, Job& job) const override {
    const PlyHeader header = read_ply_header(text_of(bytes), file_name);
    const auto data = bytes.subspan(header.data_offset);
    if (header.encoding == PlyEncoding::ascii)
      return collect(header, AsciiRows(text_of(data), header.data_line, file_name), file_name, limits, job);
    const ByteOrder order = header.encoding == PlyEncoding::little ? ByteOrder::little : ByteOrder::big;
    return collect(header, BinaryRows(data, order, file_name), file_name, limits, job);
  }

 private:
  template <class Rows>
  static PointCloud collect(const PlyHeader& header, Rows rows, std::string_view file_name,
                            const ReadLimits& limits, Job& job) {
    const int points = points_of(header);
    for (const PlyElement& element : header.elements) {
      rows.require_room(element);
      if (&element - header.elements.data() != points) {
        rows.skip(element, job);
        continue;
      }
      auto columns = columns_of(element);
      if (!has_positions(columns)) {
        throw Error(ErrorKind::input,
                    std::string(file_name) + ": the vertices have no properties x, y and z");
      }
      PointSink sink(std::move(columns), static_cast<std::int64_t>(element.count), file_name, limits, job);
      std::vector<double> values;
      for (std::uint64_t row = 0; row < element.count; ++row) {
        rows.read(element, values);
        sink.add(values);
      }
      rows.note(sink);
      if (nothing_after(header, element)) sink.note_left_over(rows.left_over());
      return sink.take(file_name, "ply", title(header));
    }
    throw Error(ErrorKind::input,
                std::string(file_name) +
                    ": no element is named 'vertex', and no other element has the properties x, y and z");
  }

  static bool nothing_after(const PlyHeader& header, const PlyElement& vertex) {
    return std::all_of(&vertex + 1, header.elements.data() + header.elements.size(),
                       [](const PlyElement& element) { return element.count == 0; });
  }

  static std::string title(const PlyHeader& header) {
    static constexpr std::array<std::string_view, 3> encodings{"ascii", "binary little-endian",
                                                               "binary big-endian"};
    return "PLY " + std::string(encodings.at(static_cast<std::size_t>(header.encoding)));
  }
};

}  // namespace

const SceneReader& ply_reader() noexcept {
  static const PlyReader reader;
  return reader;
}

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
    if (header_.elements.empty()) throw fault("a property comes before the first element");
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
    if (property.name.empty()) throw fault("a property has no name");
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
