// PCD 0.7: ascii, binary and binary_compressed (LZF, fields one after the other).
#include "engine/base/text.hpp"
#include "engine/scene/bytes.hpp"
#include "engine/scene/lines.hpp"
#include "engine/scene/pcd_header.hpp"
#include "engine/scene/point_sink.hpp"
#include "engine/scene/readers.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace spira {
namespace {

/// LZF: runs of literals and back references of up to 8 kB. Stops once there are `needed` bytes; fewer are
/// there when the input is damaged. Memory grows with what comes out.
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

/// One column per field: of a field with several values the first.
std::vector<Column> columns_of(const PcdHeader& header) {
  std::vector<Column> columns;
  for (const PcdField& field : header.fields)
    columns.push_back({field.count > 0 ? field.name : "", Attribute::none, is_integral(field.type)});
  assign_by_name(columns);
  for (std::size_t at = 0; at < columns.size(); ++at) {
    if (columns[at].attribute == Attribute::packed_rgb && bytes_of(header.fields[at].type) != 4)
      columns[at].attribute = Attribute::none;
    columns[at].name = header.fields[at].name;
  }
  return columns;
}

class PcdReader final : public SceneReader {
 public:
  [[nodiscard]] Guess guess(std::span<const std::byte> bytes, std::string_view) const override {
    const std::string_view text = text_of(bytes.first(std::min<std::size_t>(bytes.size(), 4096)));
    if (text.starts_with("# .PCD") || text.starts_with("VERSION ") || text.starts_with("VERSION\t"))
      return {1.0, "begins with a PCD header"};
    if (text.starts_with('#') && text.find("\nFIELDS ") != std::string_view::npos &&
        text.find("\nDATA ") != std::string_view::npos) {
      return {0.9, "has the lines of a PCD header"};
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
    throw Error(ErrorKind::internal, "no such PCD data");
  }

 private:
  static Error truncated(std::string_view file_name, const PcdHeader& header, std::uint64_t has) {
    return Error(ErrorKind::input, std::string(file_name) + ": the header promises " +
                                       std::to_string(header.points) + " points of " +
                                       std::to_string(header.point_bytes) + " bytes, but only " +
                                       std::to_string(has) + " bytes follow (truncated?)");
  }

  /// `at(field, point)` gives the bytes of a value.
  template <class At>
  static PointCloud collect(const PcdHeader& header, const At& at, std::string_view file_name,
                            std::string_view kind, std::uint64_t left_over, const ReadLimits& limits,
                            Job& job) {
    PointSink sink(columns_of(header), static_cast<std::int64_t>(header.points), file_name, limits, job);
    const auto columns = columns_of(header);
    std::vector<double> values(columns.size());
    for (std::uint64_t point = 0; point < header.points; ++point) {
      for (const std::size_t column : sink.used()) {
        const PcdField& field = header.fields[column];
        // A packed colour is 32 bits, whatever type the field claims to have.
        values[column] = columns[column].attribute == Attribute::packed_rgb
                             ? load<std::uint32_t>(at(field, point))
                             : load_scalar(at(field, point), field.type);
      }
      sink.add(values);
    }
    sink.note_left_over(left_over);
    return sink.take(file_name, "pcd", "PCD " + std::string(kind));
  }

  /// Bytes that say something: writers that map whole pages leave zeros behind the last point.
  static std::uint64_t beyond_padding(std::span<const std::byte> rest) {
    const bool zeros = std::all_of(rest.begin(), rest.end(), [](std::byte b) { return b == std::byte{0}; });
    return zeros ? 0 : rest.size();
  }

  static PointCloud read_binary(const PcdHeader& header, std::span<const std::byte> bytes,
                                std::string_view file_name, const ReadLimits& limits, Job& job) {
    const auto data = bytes.subspan(header.data_offset);
    if (header.points > data.size() / header.point_bytes) throw truncated(file_name, header, data.size());
    const auto at = [&](const PcdField& field, std::uint64_t point) {
      return data.data() + (point * header.point_bytes) + field.offset;
    };
    return collect(header, at, file_name, "binary",
                   beyond_padding(data.subspan(header.points * header.point_bytes)), limits, job);
  }

  static PointCloud read_compressed(const PcdHeader& header, std::span<const std::byte> bytes,
                                    std::string_view file_name, const ReadLimits& limits, Job& job) {
    const auto data = bytes.subspan(header.data_offset);
    const auto bad = [&](const std::string& text) {
      return Error(ErrorKind::input, std::string(file_name) + ": " + text);
    };
    if (data.size() < 8) throw bad("compressed PCD without its two sizes (truncated?)");
    const std::uint64_t packed = load<std::uint32_t>(data.data()),
                        unpacked = load<std::uint32_t>(data.data() + 4);
    if (packed > data.size() - 8) {
      throw bad("compressed data of " + std::to_string(packed) + " bytes, but only " +
                std::to_string(data.size() - 8) + " follow (truncated?)");
    }
    // LZF turns 3 bytes into 264 at the best: more than that is a lie.
    constexpr std::uint64_t most_expansion = 100;
    if (unpacked > packed * most_expansion)
      throw bad(std::to_string(unpacked) + " bytes cannot come from " + std::to_string(packed));
    if (header.points > unpacked / header.point_bytes) throw truncated(file_name, header, unpacked);
    const std::uint64_t needed = header.points * header.point_bytes;
    const auto plain = decompress_lzf(data.subspan(8, packed), needed, job);
    if (plain.size() < needed || plain.size() > unpacked) throw bad("compressed data is damaged");
    const auto at = [&](const PcdField& field, std::uint64_t point) {  // all values of a field stand together
      return plain.data() + (field.offset * header.points) + (point * bytes_of(field.type) * field.count);
    };
    return collect(header, at, file_name, "binary_compressed",
                   (unpacked - needed) + beyond_padding(data.subspan(8 + packed)), limits, job);
  }

  static PointCloud read_ascii(const PcdHeader& header, std::span<const std::byte> bytes,
                               std::string_view file_name, const ReadLimits& limits, Job& job) {
    const auto data = bytes.subspan(header.data_offset);
    if (header.points > (data.size() + 1) / (2 * header.point_values))
      throw truncated(file_name, header, data.size());  // a value and its end: 2 bytes
    const auto columns = columns_of(header);
    PointSink sink(columns, static_cast<std::int64_t>(header.points), file_name, limits, job);
    std::vector<double> row(columns.size());
    Lines lines(text_of(data));
    std::vector<double> values(header.point_values);
    std::vector<std::string_view> words(header.point_values);
    std::uint64_t points = 0;
    while (points < header.points) {
      const auto line = lines.next();
      if (!line) throw truncated(file_name, header, data.size());
      std::string_view rest = *line;
      std::size_t count = 0;
      for (auto word = take_word(rest); !word.empty() && count < values.size();
           word = take_word(rest), ++count) {
        const auto value = parse_double(word);
        if (!value)
          throw bad_line(file_name, header, lines,
                         "'" + std::string(word.substr(0, 32)) + "' is not a number");
        values[count] = *value;
        words[count] = word;
      }
      if (count == 0) continue;
      if (count < values.size()) {
        throw bad_line(file_name, header, lines,
                       std::to_string(count) + " values, expected " + std::to_string(values.size()));
      }
      for (const std::size_t column : sink.used()) {
        const PcdField& field = header.fields[column];
        row[column] = columns[column].attribute == Attribute::packed_rgb
                          ? packed_colour(field, values[field.column], words[field.column])
                          : values[field.column];
      }
      sink.add(row);
      ++points;
    }
    sink.note_left_over(text_bytes(text_of(data).substr(lines.offset())));
    return sink.take(file_name, "pcd", "PCD ascii");
  }

  /// A float field carries the bits of the colour, a whole number the colour itself.
  static double packed_colour(const PcdField& field, double value, std::string_view word) {
    const bool whole = word.find_first_of(".eE") == std::string_view::npos;
    if (field.type != Scalar::f32 || whole) return value;
    return std::bit_cast<std::uint32_t>(static_cast<float>(value));
  }

  static Error bad_line(std::string_view file_name, const PcdHeader& header, const Lines& lines,
                        const std::string& what) {
    return Error(ErrorKind::input, std::string(file_name) + ": line " +
                                       std::to_string(header.data_line + lines.number()) + ": " + what);
  }
};

}  // namespace

const SceneReader& pcd_reader() noexcept {
  static const PcdReader reader;
  return reader;
}

}  // namespace spira
