// Reads uncompressed LAS 1.0 to 1.4 with point formats 0 to 10.
#include "engine/scene/bytes.hpp"
#include "engine/scene/point_sink.hpp"
#include "engine/scene/reader.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace spira {
namespace {

/// Offsets of fields in a point record, in bytes. `colour` is 0 if the format has no colour.
struct PointFormat {
  std::size_t bytes, classification, colour;
  bool gps_time, waveform, near_infrared;
};
constexpr std::array<PointFormat, 11> point_formats{{
    {20, 15, 0, false, false, false},
    {28, 15, 0, true, false, false},
    {26, 15, 20, false, false, false},
    {34, 15, 28, true, false, false},
    {57, 15, 0, true, true, false},
    {63, 15, 28, true, true, false},
    {30, 16, 0, true, false, false},
    {36, 16, 30, true, false, false},
    {38, 16, 30, true, false, true},
    {59, 16, 0, true, true, false},
    {67, 16, 30, true, true, true},
}};
constexpr std::size_t first_format_of_las_1_4 = 6;

struct LasHeader {
  int minor = 0;
  std::size_t format = 0;
  /// The offset of the first point record in the file, and the size of a record, in bytes.
  std::size_t offset = 0, record_bytes = 0;
  std::uint64_t count = 0;
  /// Offset of the end of the last point. Other data can follow.
  std::uint64_t end = 0;
  std::array<double, 3> scale{}, origin{};
};

class HeaderReader {
 public:
  HeaderReader(std::span<const std::byte> bytes, std::string_view file_name)
      : bytes_(bytes), file_name_(file_name) {}

  [[nodiscard]] LasHeader read() const {
    constexpr std::size_t header_1_0 = 227;
    if (bytes_.size() < header_1_0)
      throw fault("the file ends within the header, after " + std::to_string(bytes_.size()) + " bytes");
    LasHeader header;
    const int major = load<std::uint8_t>(&bytes_[24]);
    header.minor = load<std::uint8_t>(&bytes_[25]);
    if (major != 1 || header.minor > 4)
      throw fault("LAS version " + std::to_string(major) + "." + std::to_string(header.minor) +
                  ", expected 1.0 to 1.4");
    read_format(header);
    read_transform(header);
    read_count(header);
    return header;
  }

 private:
  void read_format(LasHeader& header) const {
    const unsigned stored = load<std::uint8_t>(&bytes_[104]);
    constexpr unsigned compressed = 0xC0;
    if ((stored & compressed) != 0)
      throw fault(
          "LAZ (compressed LAS) files are not supported yet; convert this file to LAS with: laspy "
          "decompress " +
          std::string(file_name_) +
          " --output-path uncompressed.las (from pip install \"laspy[cli,lazrs]\")");
    header.format = stored;
    if (header.format >= point_formats.size())
      throw fault("point format " + std::to_string(header.format) + ", expected 0 to 10");
    header.record_bytes = load<std::uint16_t>(&bytes_[105]);
    const std::size_t least = point_formats.at(header.format).bytes;
    if (header.record_bytes < least)
      throw fault("points of " + std::to_string(header.record_bytes) + " bytes, but point format " +
                  std::to_string(header.format) + " has " + std::to_string(least));
  }

  void read_transform(LasHeader& header) const {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      header.scale.at(axis) = load<double>(&bytes_[131 + (8 * axis)]);
      header.origin.at(axis) = load<double>(&bytes_[155 + (8 * axis)]);
      const bool scale_ok = std::isfinite(header.scale.at(axis)) && header.scale.at(axis) != 0.0;
      if (!scale_ok || !std::isfinite(header.origin.at(axis)))
        throw fault(std::string("the ") + (scale_ok ? "offset" : "scale") + " of " + "xyz"[axis] +
                    " in the header is not a usable number");
    }
  }

  void read_count(LasHeader& header) const {
    header.offset = load<std::uint32_t>(&bytes_[96]);
    const std::size_t header_bytes = load<std::uint16_t>(&bytes_[94]);
    if (header.offset < header_bytes || header.offset > bytes_.size())
      throw fault("the points begin at byte " + std::to_string(header.offset) + " of " +
                  std::to_string(bytes_.size()) + " (truncated?)");
    header.count = load<std::uint32_t>(&bytes_[107]);
    header.end = bytes_.size();
    constexpr std::size_t header_1_3 = 235, header_1_4 = 375;
    const bool has_1_4 = header.minor >= 4 && header_bytes >= header_1_4 && bytes_.size() >= header_1_4;
    if (has_1_4) {
      const auto count = load<std::uint64_t>(&bytes_[247]);
      if (count != 0) header.count = count;
    }
    const std::uint64_t room = (bytes_.size() - header.offset) / header.record_bytes;
    if (header.count > room)
      throw fault("the header declares " + std::to_string(header.count) + " points of " +
                  std::to_string(header.record_bytes) + " bytes, but the file has only " +
                  std::to_string(room) + " (truncated?)");
    const std::uint64_t points_end = header.offset + (header.count * header.record_bytes);
    const auto ends_before = [&](std::size_t field) {
      const auto begin = load<std::uint64_t>(&bytes_[field]);
      if (begin >= points_end) header.end = std::min(header.end, begin);
    };
    if (header.minor >= 3 && header_bytes >= header_1_3 && bytes_.size() >= header_1_3) ends_before(227);
    if (has_1_4) ends_before(235);
  }

  [[nodiscard]] Error fault(const std::string& text) const {
    return {ErrorKind::input, std::string(file_name_) + ": " + text};
  }

  std::span<const std::byte> bytes_;
  std::string_view file_name_;
};

/// Returns the columns of a point format. The columns that read_point() reads come first, in the same order.
std::vector<Column> columns_of(std::size_t format) {
  const PointFormat& fields = point_formats.at(format);
  std::vector<Column> columns{{"x", Attribute::x, false},
                              {"y", Attribute::y, false},
                              {"z", Attribute::z, false},
                              {"intensity", Attribute::intensity, true},
                              {"classification", Attribute::label, true}};
  if (fields.colour > 0) {
    for (const auto& [name, attribute] :
         {std::pair{"red", Attribute::red}, {"green", Attribute::green}, {"blue", Attribute::blue}})
      columns.push_back({name, attribute, true});
  }
  const auto skipped = [&](bool has, const char* name) {
    if (has) columns.push_back({name, Attribute::none, true});
  };
  for (const char* name : {"returns", "scan angle", "user data", "source"})
    skipped(true, name);
  skipped(fields.gps_time, "GPS time");
  skipped(fields.near_infrared, "near infrared");
  skipped(fields.waveform, "waveform");
  return columns;
}

void read_point(const LasHeader& header, const std::byte* record, std::vector<double>& values) {
  for (std::size_t axis = 0; axis < 3; ++axis)
    values[axis] = (load<std::int32_t>(record + (4 * axis)) * header.scale.at(axis)) + header.origin.at(axis);
  values[3] = load<std::uint16_t>(record + 12);
  const PointFormat& fields = point_formats.at(header.format);
  constexpr unsigned class_of_old_formats = 0x1F;  // The other three bits are flags.
  const unsigned stored = load<std::uint8_t>(record + fields.classification);
  values[4] = header.format < first_format_of_las_1_4 ? stored & class_of_old_formats : stored;
  for (std::size_t channel = 0; fields.colour > 0 && channel < 3; ++channel)
    values[5 + channel] = load<std::uint16_t>(record + fields.colour + (2 * channel));
}

class LasReader final : public SceneReader {
 public:
  [[nodiscard]] Guess guess(std::span<const std::byte> bytes, std::string_view) const override {
    if (text_of(bytes).starts_with("LASF")) return {1.0, "begins with 'LASF'"};
    return {};
  }

  [[nodiscard]] PointCloud read(std::span<const std::byte> bytes, std::string_view file_name,
                                const ReadLimits& limits, Job& job) const override {
    if (!text_of(bytes).starts_with("LASF"))
      throw Error(ErrorKind::input,
                  std::string(file_name) + ": is not a LAS file, because it does not begin with 'LASF'");
    const LasHeader header = HeaderReader(bytes, file_name).read();
    const auto columns = columns_of(header.format);
    PointSink sink(columns, static_cast<std::int64_t>(header.count), file_name, limits, job);
    std::vector<double> values(columns.size());
    for (std::uint64_t point = 0; point < header.count; ++point) {
      read_point(header, bytes.data() + header.offset + (point * header.record_bytes), values);
      sink.add(values);
    }
    sink.note_left_over(header.end - header.offset - (header.count * header.record_bytes));
    return sink.take(
        file_name, "las",
        "LAS 1." + std::to_string(header.minor) + " point format " + std::to_string(header.format));
  }
};

}  // namespace

const SceneReader& las_reader() noexcept {
  static const LasReader reader;
  return reader;
}

}  // namespace spira
