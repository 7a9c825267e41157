// Reads rows of numbers without a header. The layout is detected from the values, or the user describes it.
#include "engine/base/text.hpp"
#include "engine/scene/bytes.hpp"
#include "engine/scene/point_sink.hpp"
#include "engine/scene/reader.hpp"
#include "engine/scene/rows/row_layout.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace spira {
namespace {

constexpr std::string_view kitti_id = "kitti", nuscenes_id = "nuscenes", xyzrgb_id = "xyzrgb",
                           rows_id = "rows";

/// Truncated files often end at a multiple of this size.
constexpr std::size_t block_bytes = 512;

/// Gives access to the values of a file with a known layout.
class Rows {
 public:
  Rows(std::span<const std::byte> bytes, const RowLayout& layout)
      : data_(bytes.subspan(std::min<std::uint64_t>(bytes.size(), layout.skip_bytes))),
        layout_(layout),
        count_(data_.size() / layout.row_bytes()) {}

  [[nodiscard]] std::size_t count() const noexcept { return count_; }
  [[nodiscard]] std::size_t left_over() const noexcept { return data_.size() % layout_.row_bytes(); }
  [[nodiscard]] double value(std::size_t row, std::size_t column) const noexcept {
    const std::size_t at = layout_.planar ? (column * count_) + row : (row * layout_.columns.size()) + column;
    return load_scalar(data_.data() + (at * bytes_of(layout_.type)), layout_.type, layout_.order);
  }

 private:
  std::span<const std::byte> data_;
  const RowLayout& layout_;
  std::size_t count_;
};

/// Sets the attributes of the columns from their values.
void assign_by_value(RowLayout& layout, std::span<const std::byte> bytes) {
  const Rows rows(bytes, layout);
  const auto value = [&](std::int64_t row, std::size_t column) {
    return rows.value(static_cast<std::size_t>(row), column);
  };
  layout.columns = columns_by_value(static_cast<std::int64_t>(rows.count()), layout.columns.size(),
                                    is_integral(layout.type), value);
  const int intensity = index_of(layout.columns, Attribute::intensity);
  if (intensity < 0) return;
  constexpr std::int64_t samples = 1'024;
  constexpr double max_negative = 0.01;
  const auto count = static_cast<std::int64_t>(rows.count());
  double seen = 0, negative = 0;
  for (std::int64_t row = 0; row < count; row += std::max<std::int64_t>(1, count / samples), seen += 1)
    negative += value(row, static_cast<std::size_t>(intensity)) < 0.0 ? 1 : 0;
  // Intensities are rarely negative. A column with many negative values probably contains speeds or radar
  // cross-sections.
  if (negative > max_negative * seen)
    layout.columns[static_cast<std::size_t>(intensity)].attribute = Attribute::none;
}

struct RowGuess {
  /// The id of the format, or an empty string if no layout was found.
  std::string_view id;
  RowVerdict verdict;  ///< Its layout contains the attributes of the columns.
};

RowGuess guess_with_layout(std::span<const std::byte> bytes, std::string_view file_name) {
  RowGuess guess;
  if (is_text(bytes)) {
    guess.verdict.why = "the bytes are text";
    return guess;
  }
  guess.verdict = find_row_layout(bytes, file_name);
  if (!guess.verdict.layout) return guess;
  RowLayout& layout = *guess.verdict.layout;
  assign_by_value(layout, bytes);
  const std::size_t columns = layout.columns.size();
  const bool intensity = index_of(layout.columns, Attribute::intensity) == 3;
  guess.id = rows_id;
  if (layout.type != Scalar::f32) return guess;
  if (columns == 4 && intensity) guess.id = kitti_id;
  if (columns == 5 && intensity) guess.id = nuscenes_id;
  if (columns == 6 && index_of(layout.columns, Attribute::red) == 3) guess.id = xyzrgb_id;
  return guess;
}

PointCloud read_layout(std::span<const std::byte> bytes, std::string_view file_name, const RowLayout& layout,
                       std::string_view format, std::string_view title, const ReadLimits& limits, Job& job) {
  const Rows rows(bytes, layout);
  PointSink sink(layout.columns, static_cast<std::int64_t>(rows.count()), file_name, limits, job);
  std::vector<double> values(layout.columns.size());
  for (std::size_t row = 0; row < rows.count(); ++row) {
    for (const std::size_t column : sink.used())
      values[column] = rows.value(row, column);
    sink.add(values);
  }
  if (rows.left_over() > 0) {
    sink.note(count_text(static_cast<std::int64_t>(rows.left_over())) +
              " bytes after the last whole row were not read: the file is truncated");
  }
  return sink.take(file_name, format, title);
}

/// Reads one of the three float32 layouts that have a format id: KITTI, nuScenes / Waymo and xyzrgb.
class NamedRowReader final : public SceneReader {
 public:
  NamedRowReader(std::size_t columns, std::string_view id, std::string_view title)
      : columns_(columns), id_(id), title_(title) {}

  [[nodiscard]] Guess guess(std::span<const std::byte> bytes, std::string_view file_name) const override {
    const RowGuess guess = guess_with_layout(bytes, file_name);
    return {guess.id == id_ ? guess.verdict.confidence : 0.0, guess.verdict.why};
  }

  [[nodiscard]] PointCloud read(std::span<const std::byte> bytes, std::string_view file_name,
                                const ReadLimits& limits, Job& job) const override {
    RowLayout layout;
    layout.columns = columns(bytes);
    const std::size_t row_bytes = layout.row_bytes();
    if (bytes.size() % row_bytes != 0 && bytes.size() % block_bytes != 0) {
      throw Error(ErrorKind::input, std::string(file_name) + ": " +
                                        count_text(static_cast<std::int64_t>(bytes.size())) +
                                        " bytes is not a multiple of " + std::to_string(row_bytes) + " (" +
                                        std::string(title_) +
                                        " as float32); the file may be truncated or have a different format");
    }
    return read_layout(bytes, file_name, layout, id_, title_, limits, job);
  }

 private:
  [[nodiscard]] std::vector<Column> columns(std::span<const std::byte> bytes) const {
    std::vector<Column> all{{"", Attribute::x}, {"", Attribute::y}, {"", Attribute::z}};
    if (id_ == xyzrgb_id) {
      all.insert(all.end(), {{"", Attribute::red}, {"", Attribute::green}, {"", Attribute::blue}});
    } else {
      all.push_back({"", Attribute::intensity});
    }
    if (id_ == nuscenes_id) all.push_back({fifth_name(bytes), Attribute::none});
    return all;
  }
  /// Returns the name of the fifth of five columns. Its values show whether it is a ring (nuScenes) or an
  /// elongation (Waymo).
  [[nodiscard]] std::string fifth_name(std::span<const std::byte> bytes) const {
    constexpr double max_elongation = 10.0;
    bool whole = true, elongation = true;
    for (std::size_t row = 0; row < bytes.size() / (columns_ * 4); ++row) {
      const auto value = static_cast<double>(load<float>(bytes.data() + (((row * columns_) + 4) * 4)));
      whole = whole && value >= 0.0 && value == std::floor(value);
      elongation = elongation && value >= 0.0 && value < max_elongation;
    }
    if (whole) return "ring";
    return elongation ? "elongation" : "column 5";
  }

  std::size_t columns_;
  std::string_view id_, title_;
};

/// Reads rows in all other layouts.
class RowReader final : public SceneReader {
 public:
  [[nodiscard]] Guess guess(std::span<const std::byte> bytes, std::string_view file_name) const override {
    const RowGuess guess = guess_with_layout(bytes, file_name);
    return {guess.id == rows_id ? guess.verdict.confidence : 0.0, guess.verdict.why};
  }
  [[nodiscard]] PointCloud read(std::span<const std::byte> bytes, std::string_view file_name,
                                const ReadLimits& limits, Job& job) const override {
    const RowGuess guess = guess_with_layout(bytes, file_name);
    if (!guess.verdict.layout) throw no_rows_found(bytes, file_name, file_name);
    return read_described(bytes, file_name, *guess.verdict.layout, limits, job);
  }
  [[nodiscard]] PointCloud read_as(std::string_view detail, std::span<const std::byte> bytes,
                                   std::string_view file_name, const ReadLimits& limits,
                                   Job& job) const override {
    const RowLayout layout = parse_row_layout(detail);
    if (bytes.size() < layout.skip_bytes + layout.row_bytes()) {
      throw Error(ErrorKind::input,
                  std::string(file_name) + ": " + count_text(static_cast<std::int64_t>(bytes.size())) +
                      " bytes are less than one row of " + std::to_string(layout.row_bytes()) + " bytes");
    }
    return read_described(bytes, file_name, layout, limits, job);
  }

  void check_detail(std::string_view detail) const override { static_cast<void>(parse_row_layout(detail)); }

 private:
  [[nodiscard]] static PointCloud read_described(std::span<const std::byte> bytes, std::string_view file_name,
                                                 const RowLayout& layout, const ReadLimits& limits,
                                                 Job& job) {
    return read_layout(bytes, file_name, layout, std::string(rows_id) + ":" + text_of(layout),
                       "rows of " + std::to_string(layout.columns.size()) + " " +
                           std::string(text_of(layout.type)) + (layout.planar ? " (planar)" : ""),
                       limits, job);
  }
};

/// Returns the number of columns if the bytes are big-endian rows of float32, otherwise 0.
std::size_t big_endian_columns(std::span<const std::byte> bytes) {
  constexpr std::size_t max_bytes = 1U << 16U, unit = 3UL * 4 * 5 * 8 * 7;
  const std::size_t size = bytes.size() > max_bytes ? max_bytes / unit * unit : bytes.size();
  std::vector<std::byte> swapped(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
  for (std::size_t at = 0; at + 4 <= swapped.size(); at += 4)
    std::reverse(swapped.begin() + static_cast<std::ptrdiff_t>(at),
                 swapped.begin() + static_cast<std::ptrdiff_t>(at + 4));
  const RowVerdict verdict = find_row_layout(swapped, "");
  const bool found = verdict.layout && verdict.layout->type == Scalar::f32;
  return found ? verdict.layout->columns.size() : 0;
}

}  // namespace

std::string_view guess_rows(std::span<const std::byte> bytes, std::string_view file_name) {
  return guess_with_layout(bytes, file_name).id;
}

UnclearFormat no_rows_found(std::span<const std::byte> bytes, std::string_view file_name,
                            std::string_view path) {
  const std::string begin = std::string(path) + ": " + count_text(static_cast<std::int64_t>(bytes.size())) +
                            " bytes without a header";
  if (const std::size_t columns = big_endian_columns(bytes); columns > 0)
    return {begin + " look like big-endian float32 in " + std::to_string(columns) +
                " columns; describe the columns",
            FormatRemedy::describe_big_endian_rows};
  return {begin + ": " + guess_with_layout(bytes, file_name).verdict.why + "; describe the rows",
          FormatRemedy::describe_rows};
}

const SceneReader& kitti_reader() noexcept {
  static const NamedRowReader reader(4, kitti_id, "KITTI");
  return reader;
}
const SceneReader& nuscenes_reader() noexcept {
  static const NamedRowReader reader(5, nuscenes_id, "nuScenes or Waymo");
  return reader;
}
const SceneReader& xyzrgb_reader() noexcept {
  static const NamedRowReader reader(6, xyzrgb_id, "rows of float32");
  return reader;
}
const SceneReader& row_reader() noexcept {
  static const RowReader reader;
  return reader;
}

}  // namespace spira
