#include "engine/scene/formats/pcd_header.hpp"

#include "engine/base/error.hpp"
#include "engine/base/text.hpp"
#include "engine/scene/columns.hpp"
#include "engine/scene/text/lines.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <functional>
#include <map>
#include <optional>

namespace spira {
namespace {

class Parser {
 public:
  Parser(std::string_view text, std::string_view file_name) : lines_(text), file_name_(file_name) {}

  PcdHeader run() {
    while (true) {
      const auto line = lines_.next();
      if (!line) throw fault("the header ends without a DATA line");
      std::string_view rest = *line;
      const std::string_view word = take_word(rest);
      const std::string key = upper(word);
      if (key.empty() || key.front() == '#' || key == "VERSION") continue;
      if (key == "DATA") {
        read_data(rest);
        break;
      }
      read_line(key, rest);
    }
    header_.data_offset = lines_.end_of_header();
    header_.data_line = lines_.number();
    finish();
    return std::move(header_);
  }

 private:
  [[nodiscard]] Error fault(const std::string& text) const { return fault_at(lines_.number(), text); }
  [[nodiscard]] Error fault_at(std::size_t line, const std::string& text) const {
    return Error(ErrorKind::input, std::string(file_name_) + ": PCD header" +
                                       (line == 0 ? "" : ", line " + std::to_string(line)) + ": " + text);
  }
  /// Returns an error about the line with this key. Omits the line number if the header does not contain the
  /// key.
  [[nodiscard]] Error fault_of(std::string_view key, const std::string& text) const {
    const auto found = line_of_.find(key);
    return fault_at(found == line_of_.end() ? 0 : found->second, text);
  }

  static std::string upper(std::string_view word) {
    std::string text(word);
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return text;
  }
  static std::vector<std::string_view> words(std::string_view line) {
    std::vector<std::string_view> all;
    for (auto word = take_word(line); !word.empty(); word = take_word(line))
      all.push_back(word);
    return all;
  }
  std::vector<std::uint64_t> numbers(std::string_view line, std::uint64_t most) const {
    std::vector<std::uint64_t> all;
    for (const auto word : words(line)) {
      const auto value = parse_int(word);
      if (!value || *value < 0 || static_cast<std::uint64_t>(*value) > most) {
        throw fault("'" + std::string(word.substr(0, 32)) + "' is not a number from 0 to " +
                    std::to_string(most));
      }
      all.push_back(static_cast<std::uint64_t>(*value));
    }
    return all;
  }

  void read_line(const std::string& key, std::string_view rest) {
    constexpr std::uint64_t max_points = 1ULL << 40U;
    constexpr std::size_t max_fields = 256;
    line_of_[key == "COLUMNS" ? "FIELDS" : key] = lines_.number();
    if (key == "FIELDS" || key == "COLUMNS") {
      for (const auto word : words(rest))
        names_.emplace_back(word);
      if (names_.size() > max_fields) throw fault("more than 256 fields");
    } else if (key == "SIZE") {
      sizes_ = numbers(rest, 8);
    } else if (key == "TYPE") {
      for (const auto word : words(rest))
        types_.push_back(upper(word).front());
    } else if (key == "COUNT") {
      counts_ = numbers(rest, 65'536);
    } else if (key == "WIDTH") {
      width_ = one(numbers(rest, max_points), key);
    } else if (key == "HEIGHT") {
      height_ = one(numbers(rest, max_points), key);
    } else if (key == "POINTS") {
      points_ = one(numbers(rest, max_points), key);
    } else if (key == "VIEWPOINT") {
      read_viewpoint(rest);
    } else {
      throw fault("'" + std::string(key.substr(0, 32)) + "' is not a PCD keyword");
    }
  }
  [[nodiscard]] std::uint64_t one(const std::vector<std::uint64_t>& values, std::string_view key) const {
    if (values.size() != 1) throw fault(std::string(key) + " needs exactly one number");
    return values.front();
  }

  /// Stores the pose of the sensor as text for a note, unless it is the identity.
  void read_viewpoint(std::string_view rest) {
    constexpr double tolerance = 1e-6;
    constexpr std::array<double, 7> identity{0, 0, 0, 1, 0, 0, 0};  // translation, then quaternion w x y z
    const auto all = words(rest);
    if (all.size() != identity.size()) return;
    std::array<double, 7> pose{};
    for (std::size_t at = 0; at < pose.size(); ++at)
      pose.at(at) = parse_double(all[at]).value_or(0.0);
    const bool moved = std::abs(pose[0]) + std::abs(pose[1]) + std::abs(pose[2]) > tolerance;
    const bool turned = std::abs(pose[4]) + std::abs(pose[5]) + std::abs(pose[6]) > tolerance;
    if (!moved && !turned) return;
    for (const auto word : all)
      header_.viewpoint += (header_.viewpoint.empty() ? "" : " ") + std::string(word);
  }

  void read_data(std::string_view rest) {
    const std::string_view word = take_word(rest);
    const std::string kind = upper(word);
    if (kind == "ASCII") {
      header_.data = PcdData::ascii;
    } else if (kind == "BINARY") {
      header_.data = PcdData::binary;
    } else if (kind == "BINARY_COMPRESSED") {
      header_.data = PcdData::binary_compressed;
    } else {
      throw fault("DATA '" + std::string(word.substr(0, 32)) +
                  "', expected ascii, binary or binary_compressed");
    }
  }

  [[nodiscard]] Scalar scalar(char type, std::uint64_t size) const {
    if (type == 'F' && size == 2) return Scalar::f16;
    if (type == 'F' && size == 4) return Scalar::f32;
    if (type == 'F' && size == 8) return Scalar::f64;
    const bool is_signed = type == 'I';
    if (is_signed || type == 'U') {
      if (size == 1) return is_signed ? Scalar::i8 : Scalar::u8;
      if (size == 2) return is_signed ? Scalar::i16 : Scalar::u16;
      if (size == 4) return is_signed ? Scalar::i32 : Scalar::u32;
      if (size == 8) return is_signed ? Scalar::i64 : Scalar::u64;
    }
    throw fault_of("SIZE", std::string("a field of TYPE ") + type + " and SIZE " + std::to_string(size) +
                               " is not defined in PCD");
  }

  void finish() {
    if (names_.empty()) throw fault_of("FIELDS", "no FIELDS");
    if (counts_.empty()) counts_.assign(names_.size(), 1);
    if (sizes_.size() != names_.size() || types_.size() != names_.size() || counts_.size() != names_.size()) {
      const char* key = sizes_.size() != names_.size()   ? "SIZE"
                        : types_.size() != names_.size() ? "TYPE"
                                                         : "COUNT";
      throw fault_of(key, std::to_string(names_.size()) + " FIELDS, but " + std::to_string(sizes_.size()) +
                              " SIZE, " + std::to_string(types_.size()) + " TYPE and " +
                              std::to_string(counts_.size()) + " COUNT");
    }
    for (std::size_t at = 0; at < names_.size(); ++at) {
      PcdField field{names_[at], scalar(types_[at], sizes_[at]), counts_[at], header_.point_bytes,
                     header_.point_values};
      header_.point_bytes += bytes_of(field.type) * field.count;
      header_.point_values += field.count;
      header_.fields.push_back(std::move(field));
    }
    std::vector<Column> columns;
    for (const PcdField& field : header_.fields)
      columns.push_back({field.count > 0 ? field.name : ""});
    assign_by_name(columns);
    if (!has_positions(columns)) throw fault_of("FIELDS", "no fields x, y and z");
    if (width_ && height_ && (*height_ != 0 && *width_ > (1ULL << 40U) / *height_))
      throw fault_of("HEIGHT", "WIDTH x HEIGHT is too large");
    if (width_) header_.grid_points = *width_ * height_.value_or(1);
    if (!points_) points_ = header_.grid_points;
    if (!points_) throw fault_at(0, "neither POINTS nor WIDTH and HEIGHT");
    header_.points = *points_;
  }

  Lines lines_;
  std::string_view file_name_;
  PcdHeader header_;
  std::map<std::string, std::size_t, std::less<>> line_of_;
  std::vector<std::string> names_;
  std::vector<std::uint64_t> sizes_, counts_;
  std::vector<char> types_;
  std::optional<std::uint64_t> width_, height_, points_;
};

}  // namespace

PcdHeader read_pcd_header(std::string_view text, std::string_view file_name) {
  return Parser(text, file_name).run();
}

}  // namespace spira
