// Reads PCD 0.7 files with ascii, binary or binary_compressed data. Compressed data uses the LZF algorithm
// and stores the fields one after another.

#include "engine/scene/formats/read_pcd.hpp"

#include "engine/base/error.hpp"
#include "engine/base/text.hpp"
#include "engine/scene/bytes.hpp"
#include "engine/scene/columns.hpp"
#include "engine/scene/point_sink.hpp"
#include "engine/scene/reader.hpp"
#include "engine/scene/text/lines.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <optional>

namespace spira {
namespace {

/// Decompresses LZF data, which consists of literal bytes and of references to earlier bytes, up to 8 kB
/// back. Stops after `needed` bytes. Returns fewer bytes if the data is damaged. Allocates memory only for
/// bytes that were decompressed.
std::vector<std::byte> decompress_lzf(std::span<const std::byte> in, std::uint64_t needed, Job& job) {
  constexpr std::size_t bytes_per_checkpoint = 4U << 20U;
  std::vector<std::byte> out;
  std::size_t from = 0, next_checkpoint = 0;
  while (from < in.size() && out.size() < needed) {
    if (out.size() >= next_checkpoint) {
      job.checkpoint({"unpacking", static_cast<std::int64_t>(out.size()), static_cast<std::int64_t>(needed)});
      next_checkpoint = out.size() + bytes_per_checkpoint;
    }
    const auto control = std::to_integer<std::size_t>(in[from++]);
    if (control < 32) {
      const auto run = in.subspan(from, std::min(control + 1, in.size() - from));
      out.insert(out.end(), run.begin(), run.end());
      from += run.size();
      continue;
    }
    std::size_t length = (control >> 5U) + 2;
    if (length == 9 && from < in.size()) length += std::to_integer<std::size_t>(in[from++]);
    if (from == in.size()) break;
    const std::size_t distance = ((control & 31U) << 8U) + std::to_integer<std::size_t>(in[from++]) + 1;
    if (distance > out.size()) break;
    for (; length > 0; --length)
      out.push_back(out[out.size() - distance]);
  }
  return out;
}

/// Represents the fields of a header as columns. If a field has several values per point, only the first
/// value is used.
struct FieldColumns {
  std::vector<Column> columns;
  /// One field per column. The pointers refer to the header, which must outlive this object.
  std::vector<const PcdField*> fields;

  explicit FieldColumns(const PcdHeader& header) {
    for (const PcdField& field : header.fields) {
      if (field.name == "_") continue;  // "_" is padding
      columns.push_back({field.count > 0 ? field.name : "", Attribute::none, is_integral(field.type)});
      fields.push_back(&field);
    }
    assign_by_name(columns);
    for (std::size_t at = 0; at < columns.size(); ++at) {
      if (columns[at].attribute == Attribute::packed_rgb && bytes_of(fields[at]->type) != 4)
        columns[at].attribute = Attribute::none;
      columns[at].name = fields[at]->name;
    }
  }
};

Error bad_file(std::string_view file_name, const std::string& text) {
  return Error(ErrorKind::input, std::string(file_name) + ": " + text);
}

/// Returns the number of points. If POINTS and WIDTH x HEIGHT differ, returns the number that is equal to
/// `held`, the number of points in the data.
std::uint64_t points_of(const PcdHeader& header, std::uint64_t held, std::string_view file_name) {
  if (!header.grid_points || *header.grid_points == header.points || held == header.points)
    return header.points;
  if (held == *header.grid_points) return held;
  throw bad_file(file_name, "POINTS " + std::to_string(header.points) +
                                " is not WIDTH x HEIGHT = " + std::to_string(*header.grid_points) +
                                ", and the data holds " + std::to_string(held) + " points");
}

void note_header(const PcdHeader& header, PointSink& sink) {
  if (!header.viewpoint.empty())
    sink.note("VIEWPOINT " + printable(header.viewpoint) +
              " is not applied; the coordinates are used as stored in the file");
  if (header.grid_points && *header.grid_points != header.points)
    sink.note("POINTS is " + std::to_string(header.points) + " and WIDTH x HEIGHT is " +
              std::to_string(*header.grid_points) + "; the number of points in the data is used");
}

/// Reads rows of ascii data. Values are separated by blanks or commas.
class AsciiRows {
 public:
  AsciiRows(const PcdHeader& header, std::string_view data, std::string_view file_name)
      : header_(header), data_(data), lines_(data, header.data_line), file_name_(file_name) {
    const auto first = next_line();
    if (first) separator_ = separator(*first);
    lines_ = Lines(data, header.data_line);
  }

  [[nodiscard]] std::uint64_t count() const {
    AsciiRows copy = *this;
    std::uint64_t rows = 0;
    while (copy.next_line())
      ++rows;
    return rows;
  }
  [[nodiscard]] bool read() {
    const auto line = next_line();
    if (!line) return false;
    const std::size_t count = split(without_comment(*line), separator_, cells_);
    const std::size_t expected = header_.point_values;
    const bool empty_end = count == expected + 1 && cells_.back().empty();
    if (count > expected && !empty_end) {
      if (separator_ != Separator::blanks)
        throw fault(counts(count) + "; are the commas decimal marks? Write decimal points");
      ++long_lines_;
    }
    if (count < expected) throw fault(counts(count));
    return true;
  }
  [[nodiscard]] std::string_view cell(std::size_t at) const { return cells_[at]; }
  [[nodiscard]] double value(std::size_t at, bool optional) const {
    if (const auto value = parse_value(cells_[at])) return *value;
    if (optional && cells_[at].empty()) return std::numeric_limits<double>::quiet_NaN();
    throw fault("'" + printable(cells_[at].substr(0, 32)) + "' is not a number");
  }
  [[nodiscard]] std::size_t left_over() const { return text_bytes(data_.substr(lines_.offset())); }
  [[nodiscard]] std::int64_t long_lines() const noexcept { return long_lines_; }

 private:
  [[nodiscard]] Error fault(const std::string& text) const {
    return bad_file(file_name_, "line " + std::to_string(lines_.number()) + ": " + text);
  }
  [[nodiscard]] std::string counts(std::size_t count) const {
    return counted_text(static_cast<std::int64_t>(count), "value", "values") + ", expected " +
           std::to_string(header_.point_values);
  }
  std::optional<std::string_view> next_line() {
    auto line = lines_.next();
    while (line && (line->find_first_not_of(" \t") == std::string_view::npos || is_comment(*line)))
      line = lines_.next();
    return line;
  }
  [[nodiscard]] Separator separator(std::string_view line) const {
    if (line.find_first_of(",;") == std::string_view::npos) return Separator::blanks;
    for (const Separator one : {Separator::comma, Separator::semicolon}) {
      const auto cells = split(line, one);
      const bool empty_end = cells.size() == header_.point_values + 1 && cells.back().empty();
      if (cells.size() == header_.point_values || empty_end) return one;
    }
    if (split(line, Separator::blanks).size() == header_.point_values)
      throw fault("the values have decimal commas; write decimal points");
    return Separator::mixed;
  }

  const PcdHeader& header_;
  std::string_view data_;
  Lines lines_;
  std::string_view file_name_;
  Separator separator_ = Separator::blanks;
  std::vector<std::string_view> cells_;
  std::int64_t long_lines_ = 0;
};

class PcdReader final : public SceneReader {
 public:
  [[nodiscard]] Guess guess(std::span<const std::byte> bytes, std::string_view) const override {
    constexpr std::size_t head_bytes = 4'096;
    std::string text(text_of(bytes.first(std::min(bytes.size(), head_bytes))));
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    if (text.starts_with("# .PCD")) return {1.0, "begins with a PCD header"};
    Lines lines(text);
    bool fields = false;
    for (auto line = lines.next(); line; line = lines.next()) {
      std::string_view rest = *line;
      const std::string_view key = take_word(rest);
      if (key.empty() || key.front() == '#') continue;
      if (key == "VERSION" && parse_value(take_word(rest))) return {1.0, "begins with a PCD header"};
      if (fields && (key == "SIZE" || key == "TYPE" || key == "DATA"))
        return {1.0, "has the lines of a PCD header"};
      if (key != "FIELDS" && key != "COLUMNS") return {};
      fields = true;
    }
    return {};
  }

  [[nodiscard]] PointCloud read(std::span<const std::byte> bytes, std::string_view file_name,
                                const ReadLimits& limits, Job& job) const override {
    const PcdHeader header = read_pcd_header(text_of(bytes), file_name);
    switch (header.data) {
      case PcdData::ascii:
        return read_ascii(header, bytes, file_name, limits, job);
      case PcdData::binary:
        return read_binary(header, bytes, file_name, limits, job);
      case PcdData::binary_compressed:
        return read_compressed(header, bytes, file_name, limits, job);
    }
    throw Error(ErrorKind::internal, "unknown type of PCD data");
  }

 private:
  static Error truncated(std::string_view file_name, const PcdHeader& header, std::uint64_t has) {
    return Error(ErrorKind::input, std::string(file_name) + ": the header declares " +
                                       std::to_string(header.points) + " points of " +
                                       std::to_string(header.point_bytes) + " bytes, but only " +
                                       std::to_string(has) + " bytes follow (truncated?)");
  }

  /// Adds all points to a sink and returns the cloud. `at(field, point)` must return the address of the first
  /// value of a field.
  template <class At>
  static PointCloud collect(const PcdHeader& header, std::uint64_t points, const At& at,
                            std::string_view file_name, std::string_view kind, std::uint64_t left_over,
                            const ReadLimits& limits, Job& job) {
    const FieldColumns all(header);
    PointSink sink(all.columns, static_cast<std::int64_t>(points), file_name, limits, job);
    std::vector<double> values(all.columns.size());
    for (std::uint64_t point = 0; point < points; ++point) {
      for (const std::size_t column : sink.used()) {
        const PcdField& field = *all.fields[column];
        // A packed colour always has 32 bits, even if the field declares another type.
        values[column] = all.columns[column].attribute == Attribute::packed_rgb
                             ? load<std::uint32_t>(at(field, point))
                             : load_scalar(at(field, point), field.type);
      }
      sink.add(values);
    }
    note_header(header, sink);
    sink.note_left_over(left_over);
    return sink.take(file_name, "pcd", "PCD " + std::string(kind));
  }

  /// Returns the number of bytes after the last point. Returns 0 if all these bytes are zero, because some
  /// programs write whole memory pages and leave zeros at the end.
  static std::uint64_t beyond_padding(std::span<const std::byte> rest) {
    const bool zeros = std::all_of(rest.begin(), rest.end(), [](std::byte b) { return b == std::byte{0}; });
    return zeros ? 0 : rest.size();
  }

  static PointCloud read_binary(const PcdHeader& header, std::span<const std::byte> bytes,
                                std::string_view file_name, const ReadLimits& limits, Job& job) {
    const auto data = bytes.subspan(header.data_offset);
    const std::uint64_t held = data.size() / header.point_bytes;
    const std::uint64_t points = points_of(header, held, file_name);
    if (points > held) throw truncated(file_name, header, data.size());
    const auto at = [&](const PcdField& field, std::uint64_t point) {
      return data.data() + (point * header.point_bytes) + field.offset;
    };
    return collect(header, points, at, file_name, "binary",
                   beyond_padding(data.subspan(points * header.point_bytes)), limits, job);
  }

  static PointCloud read_compressed(const PcdHeader& header, std::span<const std::byte> bytes,
                                    std::string_view file_name, const ReadLimits& limits, Job& job) {
    const auto data = bytes.subspan(header.data_offset);
    const auto bad = [&](const std::string& text) { return bad_file(file_name, text); };
    if (data.size() < 8) throw bad("the two sizes of the compressed data are missing (truncated?)");
    const std::uint64_t packed = load<std::uint32_t>(data.data()),
                        unpacked = load<std::uint32_t>(data.data() + 4);
    if (packed > data.size() - 8) {
      throw bad("compressed data of " + std::to_string(packed) + " bytes, but only " +
                std::to_string(data.size() - 8) + " follow (truncated?)");
    }
    // LZF expands 3 bytes to at most 264 bytes. If the header claims a larger ratio, the data is damaged or
    // hostile.
    constexpr std::uint64_t max_expansion = 100;
    if (unpacked > packed * max_expansion)
      throw bad(std::to_string(unpacked) + " bytes cannot come from " + std::to_string(packed) +
                " compressed bytes; the header is damaged");
    const std::uint64_t held = unpacked / header.point_bytes;
    const std::uint64_t points = points_of(header, held, file_name);
    if (points > held) throw truncated(file_name, header, unpacked);
    const std::uint64_t needed = points * header.point_bytes;
    const auto plain = decompress_lzf(data.subspan(8, packed), needed, job);
    if (plain.size() < needed || plain.size() > unpacked) throw bad("compressed data is damaged");
    // All values of one field are stored together, then all values of the next field.
    const auto at = [&](const PcdField& field, std::uint64_t point) {
      return plain.data() + (field.offset * points) + (point * bytes_of(field.type) * field.count);
    };
    return collect(header, points, at, file_name, "binary_compressed",
                   (unpacked - needed) + beyond_padding(data.subspan(8 + packed)), limits, job);
  }

  static PointCloud read_ascii(const PcdHeader& header, std::span<const std::byte> bytes,
                               std::string_view file_name, const ReadLimits& limits, Job& job) {
    const auto data = bytes.subspan(header.data_offset);
    AsciiRows rows(header, text_of(data), file_name);
    const bool differ = header.grid_points && *header.grid_points != header.points;
    const std::uint64_t points = differ ? points_of(header, rows.count(), file_name) : header.points;
    if (points > (data.size() + 1) / (2 * header.point_values))
      // Each value has at least one digit and one separator.
      throw truncated(file_name, header, data.size());
    const FieldColumns all(header);
    PointSink sink(all.columns, static_cast<std::int64_t>(points), file_name, limits, job);
    std::vector<double> row(all.columns.size());
    for (std::uint64_t point = 0; point < points; ++point) {
      if (!rows.read()) throw truncated(file_name, header, data.size());
      for (const std::size_t column : sink.used()) {
        const PcdField& field = *all.fields[column];
        const Attribute attribute = all.columns[column].attribute;
        row[column] = rows.value(field.column, attribute > Attribute::z);
        if (attribute == Attribute::packed_rgb)
          row[column] = packed_colour(field, row[column], rows.cell(field.column));
      }
      sink.add(row);
    }
    note_header(header, sink);
    if (rows.long_lines() > 0)
      sink.note(counted_text(rows.long_lines(), "line has", "lines have") + " more than " +
                std::to_string(header.point_values) + " values; additional values were ignored");
    sink.note_left_over(rows.left_over());
    return sink.take(file_name, "pcd", "PCD ascii");
  }

  /// Returns a packed colour as a whole number. If the type of the field is float and the text has a decimal
  /// point or an exponent, the colour is in the bits of the float. Otherwise the number itself is the colour.
  static double packed_colour(const PcdField& field, double value, std::string_view word) {
    const bool whole = word.find_first_of(".eE") == std::string_view::npos;
    constexpr double least = -2147483648.0;  // The smallest signed 32-bit number.
    if (whole && value < 0.0 && value >= least) return value + 4294967296.0;
    if (field.type != Scalar::f32 || whole) return value;
    return std::bit_cast<std::uint32_t>(static_cast<float>(value));
  }
};

}  // namespace

const SceneReader& pcd_reader() noexcept {
  static const PcdReader reader;
  return reader;
}

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
  /// Returns an error about the header line with this key. If the header has no such line, the error contains
  /// no line number.
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

  /// Stores the pose of the sensor as text for a note. Does nothing if the pose is the identity.
  void read_viewpoint(std::string_view rest) {
    constexpr double tolerance = 1e-6;
    // Translation x y z, then quaternion w x y z.
    constexpr std::array<double, 7> identity{0, 0, 0, 1, 0, 0, 0};
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
                               " does not exist in PCD");
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
    if (!has_positions(columns)) throw fault_of("FIELDS", "FIELDS does not contain x, y and z");
    if (width_ && height_ && (*height_ != 0 && *width_ > (1ULL << 40U) / *height_))
      throw fault_of("HEIGHT", "WIDTH x HEIGHT is too large");
    if (width_) header_.grid_points = *width_ * height_.value_or(1);
    if (!points_) points_ = header_.grid_points;
    if (!points_) throw fault_at(0, "POINTS and WIDTH x HEIGHT are both missing");
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
