// Reads XYZ, TXT, CSV, PTS and ASC files: one point per line, with or without column names.
#include "engine/base/text.hpp"
#include "engine/scene/bytes.hpp"
#include "engine/scene/point_sink.hpp"
#include "engine/scene/reader.hpp"
#include "engine/scene/text/lines.hpp"
#include "engine/scene/text/text_layout.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace spira {
namespace {

/// Returns the content without a byte order mark at the start, and without zeros and end-of-file characters
/// at the end.
std::string_view content_of(std::span<const std::byte> bytes) {
  constexpr std::string_view padding("\0\x1A", 2);
  std::string_view text = text_of(bytes);
  text = text.substr(0, text.find_last_not_of(padding) + 1);
  return text.starts_with("\xEF\xBB\xBF") ? text.substr(3) : text;
}

bool ends_as_text(std::string_view file_name) {
  constexpr std::array<std::string_view, 5> extensions{".xyz", ".txt", ".csv", ".pts", ".asc"};
  return std::any_of(extensions.begin(), extensions.end(),
                     [&](std::string_view end) { return file_name.ends_with(end); });
}

/// Reads the values of one line at a time. Reuses its vectors to avoid allocations.
class Rows {
 public:
  Rows(const TextLayout& layout, std::span<const std::size_t> used, std::string_view file_name)
      : layout_(layout), used_(used), file_name_(file_name), values_(layout.columns.size()) {}

  /// Returns the values of a line. Throws `Error(input)` with the line number if a used column has no number.
  [[nodiscard]] std::span<const double> read(std::string_view line, std::size_t number) {
    const std::string_view text = without_comment(line);
    std::size_t count = split(text, layout_.separator, cells_);
    if (count == values_.size() + 1 && cells_.back().empty()) --count;
    long_lines_ += count > values_.size() ? 1 : 0;
    if (count <= used_.back()) throw too_few(line, number, count);
    for (const std::size_t at : used_) {
      const auto value = value_of(cells_[at]);
      values_[at] = value ? *value : missing(at, line, number);
    }
    return values_;
  }
  [[nodiscard]] std::int64_t long_lines() const noexcept { return long_lines_; }

 private:
  [[nodiscard]] Error fault(std::size_t number, const std::string& text) const {
    return Error(ErrorKind::input,
                 std::string(file_name_) + ": line " + std::to_string(number) + ": " + text);
  }

  [[nodiscard]] Error too_few(std::string_view line, std::size_t number, std::size_t count) const {
    if (is_count(line))
      return fault(number, "a second line with a number of points; split the file into one file per cloud");
    return fault(number, counted_text(static_cast<std::int64_t>(count), "value", "values") + ", expected " +
                             std::to_string(values_.size()));
  }

  /// Returns NaN for an empty cell of an attribute. Throws `Error(input)` for an empty cell of a coordinate
  /// and for a cell that is not a number.
  [[nodiscard]] double missing(std::size_t at, std::string_view line, std::size_t number) const {
    const std::string_view cell = cells_[at];
    const Attribute attribute = layout_.columns[at].attribute;
    if (cell.empty()) {
      if (attribute > Attribute::z) return std::numeric_limits<double>::quiet_NaN();
      throw fault(number,
                  "cell " + std::to_string(at + 1) + " (" + std::string(text_of(attribute)) + ") is empty");
    }
    if (!layout_.header.empty() && line == layout_.header)
      throw fault(number, "the column names appear again; split the file into one file per cloud");
    const std::string shown = "'" + printable(cell.substr(0, 32)) + "'";
    const auto odd = std::find_if(cell.begin(), cell.end(), [](char c) {
      const auto byte = static_cast<unsigned char>(c);
      return byte < 0x20 || byte == 0x7F;
    });
    if (odd != cell.end())
      throw fault(number,
                  "invalid byte " + printable(std::string_view(&*odd, 1)) + " in the number " + shown);
    throw fault(number, kind_of(cell) == CellKind::thousands
                            ? shown + " has thousands separators; write numbers without them"
                            : shown + " is not a number");
  }

  const TextLayout& layout_;
  std::span<const std::size_t> used_;
  std::string_view file_name_;
  std::vector<std::string_view> cells_;
  std::vector<double> values_;
  std::int64_t long_lines_ = 0;
};

class TextReader final : public SceneReader {
 public:
  [[nodiscard]] Guess guess(std::span<const std::byte> bytes, std::string_view file_name) const override {
    // A file that contains only text is certainly not binary. Other readers only guess from values, so this
    // confidence is higher.
    constexpr double sure = 0.98, by_name_only = 0.3;
    if (const auto encoding = wide_encoding(bytes); !encoding.empty())
      return {sure, std::string(encoding) + " text"};
    if (!is_mostly_text(bytes)) return {};
    try {
      static_cast<void>(text_layout_of(content_of(bytes), file_name));
      return {sure, "text with three or more numbers per line"};
    } catch (const Error& error) {
      // Only this reader can explain the fault of such a file.
      if (separator_of(sample_of(content_of(bytes)).lines)) return {sure, error.what()};
      return {ends_as_text(file_name) ? by_name_only : 0.0, error.what()};
    }
  }

  [[nodiscard]] PointCloud read(std::span<const std::byte> bytes, std::string_view file_name,
                                const ReadLimits& limits, Job& job) const override {
    if (const auto encoding = wide_encoding(bytes); !encoding.empty())
      throw Error(ErrorKind::input, std::string(file_name) + ": is " + std::string(encoding) +
                                        " text, expected UTF-8; save it with the encoding UTF-8");
    const std::string_view text = content_of(bytes);
    const TextLayout layout = text_layout_of(text, file_name);
    const std::string_view data = text.substr(layout.begin);
    PointSink sink(layout.columns, max_rows(data), file_name, limits, job);
    Rows rows(layout, sink.used(), file_name);
    Lines lines(data, layout.lines_before);
    std::int64_t count = 0;
    for (auto line = lines.next(); line; line = lines.next()) {
      if (line->find_first_not_of(" \t\f") == std::string_view::npos || is_comment(*line)) continue;
      sink.add(rows.read(*line, lines.number()));
      ++count;
    }
    for (const std::string& note : layout.notes)
      sink.note(note);
    if (rows.long_lines() > 0) {
      sink.note(count_text(rows.long_lines()) + (rows.long_lines() == 1 ? " line has" : " lines have") +
                " more than " + std::to_string(layout.columns.size()) +
                " values; additional values were ignored");
    }
    if (layout.point_count && *layout.point_count != count) {
      sink.note("the file states " + counted_text(*layout.point_count, "point", "points") + ", but holds " +
                count_text(count));
    }
    return sink.take(file_name, "text", layout.named ? "text with column names" : "text");
  }

 private:
  /// Returns an upper bound for the number of points: the number of lines, or the size of the text divided by
  /// the size of the shortest line, whichever is smaller.
  static std::int64_t max_rows(std::string_view data) {
    constexpr std::size_t min_bytes = 6;
    auto lines = std::count(data.begin(), data.end(), '\n');
    if (lines == 0) lines = std::count(data.begin(), data.end(), '\r');
    return std::min<std::int64_t>(lines + 1, static_cast<std::int64_t>(data.size() / min_bytes) + 1);
  }
};

}  // namespace

const SceneReader& text_reader() noexcept {
  static const TextReader reader;
  return reader;
}

}  // namespace spira
