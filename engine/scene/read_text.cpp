// XYZ, TXT, CSV: one point a line; blanks, commas or semicolons; with or without a line of column names.
#include "engine/base/text.hpp"
#include "engine/scene/bytes.hpp"
#include "engine/scene/lines.hpp"
#include "engine/scene/point_sink.hpp"
#include "engine/scene/readers.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace spira {
namespace {

constexpr std::string_view separators = " \t,;";

std::string lower(std::string_view word) {
  std::string text(word);
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (text.size() > 1 && text.front() == '"' && text.back() == '"') text = text.substr(1, text.size() - 2);
  return text;
}

std::string_view without_byte_order_mark(std::string_view text) {
  return text.starts_with("\xEF\xBB\xBF") ? text.substr(3) : text;
}

bool is_comment(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t");
  return first == std::string_view::npos || line[first] == '#' || line.substr(first).starts_with("//");
}

/// Which column holds what; -1: none does.
struct Columns {
  int x = 0, y = 1, z = 2, intensity = -1, red = -1, green = -1, blue = -1, label = -1;
  int count = 3;
  bool named = false;

  [[nodiscard]] RowAttributes attributes() const {
    return {intensity >= 0, red >= 0 && green >= 0 && blue >= 0, label >= 0};
  }
};

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  constexpr std::size_t most_columns = 256;
  for (auto word = take_word(line, separators); !word.empty() && words.size() < most_columns;
       word = take_word(line, separators)) {
    words.push_back(lower(word));
  }
  return words;
}

bool all_numbers(const std::vector<std::string>& words) {
  return std::all_of(words.begin(), words.end(),
                     [](const std::string& w) { return parse_double(w).has_value(); });
}

/// Index of the first of `count` cells between commas or semicolons that has nothing in it; -1: none. What
/// stands after the last separator is a cell only where one is missing.
int empty_cell(std::string_view line, int count) {
  int cell = 0;
  bool empty = true;
  for (const char c : line) {
    if (c == ',' || c == ';') {
      if (empty && cell < count) return cell;
      ++cell;
      empty = true;
    } else if (c != ' ' && c != '\t') {
      empty = false;
    }
  }
  return empty && cell > 0 && cell < count ? cell : -1;
}

/// From a line of names. `x` is -1 when they do not name x, y and z.
Columns named_columns(std::vector<std::string> names) {
  if (!names.empty() && (names.front() == "#" || names.front() == "//")) names.erase(names.begin());
  if (!names.empty() && names.front().starts_with('#')) names.front().erase(0, 1);
  Columns columns;
  const auto index_of = [&](std::initializer_list<std::string_view> wanted) {
    for (const auto name : wanted) {
      const auto found = std::find(names.begin(), names.end(), name);
      if (found != names.end()) return static_cast<int>(found - names.begin());
    }
    return -1;
  };
  columns.x = index_of({"x", "//x"});
  columns.y = index_of({"y"});
  columns.z = index_of({"z"});
  if (columns.y < 0 || columns.z < 0) columns.x = -1;
  columns.intensity = index_of({"intensity", "i", "reflectance"});
  columns.red = index_of({"r", "red"});
  columns.green = index_of({"g", "green"});
  columns.blue = index_of({"b", "blue"});
  columns.label = index_of({"label", "class", "classification"});
  columns.count = static_cast<int>(names.size());
  columns.named = true;
  return columns;
}

/// Of a file without names: 3 x,y,z; 4 and intensity; 6 and colour where the numbers look like one; 7
/// intensity and colour.
Columns guessed_columns(const std::vector<std::string>& first) {
  Columns columns;
  columns.count = static_cast<int>(first.size());
  const auto colour_at = [&](std::size_t at) {
    return std::all_of(first.begin() + static_cast<std::ptrdiff_t>(at),
                       first.begin() + static_cast<std::ptrdiff_t>(at) + 3, [](const std::string& word) {
                         const double value = parse_double(word).value_or(-1.0);
                         return value >= 0.0 && value <= 255.0 && word.find('.') == std::string::npos;
                       });
  };
  if (first.size() == 4 || (first.size() == 7 && colour_at(4))) columns.intensity = 3;
  if ((first.size() == 6 && colour_at(3)) || (first.size() == 7 && colour_at(4))) {
    columns.red = static_cast<int>(first.size()) - 3;
    columns.green = columns.red + 1;
    columns.blue = columns.red + 2;
  }
  return columns;
}

class TextReader final : public SceneReader {
 public:
  [[nodiscard]] Guess guess(std::span<const std::byte> bytes, std::string_view) const override {
    const std::string_view text =
        without_byte_order_mark(text_of(bytes.first(std::min<std::size_t>(bytes.size(), 8192))));
    const bool printable = std::all_of(text.begin(), text.end(), [](char c) {
      return (c >= ' ' && c <= '~') || c == '\n' || c == '\r' || c == '\t' ||
             static_cast<unsigned char>(c) >= 0x80;
    });
    if (!printable || text.empty()) return {};
    Lines lines(text);
    int rows = 0;
    for (auto line = lines.next(); line && rows < 20; line = lines.next()) {
      if (is_comment(*line)) continue;
      const auto words = words_of(*line);
      if (words.size() >= 3 && all_numbers(words)) ++rows;
    }
    if (rows == 0) return {};
    return {0.7, "lines of three or more numbers"};
  }

  [[nodiscard]] PointCloud read(std::span<const std::byte> bytes, std::string_view file_name,
                                const ReadLimits& limits, Job& job) const override {
    const std::string_view text = without_byte_order_mark(text_of(bytes));
    const Columns columns = find_columns(text, file_name);
    const auto rows = std::count(text.begin(), text.end(), '\n') + 1;
    PointSink sink(columns.attributes(),
                   std::min<std::int64_t>(rows, static_cast<std::int64_t>(text.size() / 6) + 1), file_name,
                   limits, job);
    Lines lines(text);
    std::array<double, 256> values{};
    bool header_left = columns.named;
    std::int64_t long_lines = 0;
    for (auto line = lines.next(); line; line = lines.next()) {
      if (is_comment(*line)) continue;
      if (header_left && !parse_double(lower(first_word(*line)))) {
        header_left = false;
        continue;
      }
      const int count = read_line(*line, columns, values, lines.number(), file_name);
      long_lines += count > columns.count ? 1 : 0;
      sink.add(row_of(columns, values));
    }
    if (long_lines > 0) {
      sink.note(count_text(long_lines) + (long_lines == 1 ? " line has" : " lines have") + " more than " +
                std::to_string(columns.count) + " values; the rest of them was not read");
    }
    return sink.take(file_name, "text", title(columns));
  }

 private:
  static std::string_view first_word(std::string_view line) { return take_word(line, separators); }

  static Columns find_columns(std::string_view text, std::string_view file_name) {
    Lines lines(text);
    for (auto line = lines.next(); line; line = lines.next()) {
      const auto words = words_of(*line);
      if (words.empty()) continue;
      if (words.size() >= 3 && all_numbers(words)) return guessed_columns(words);
      if (const Columns named = named_columns(words); named.x >= 0) return named;
      if (is_comment(*line)) continue;
      if (lines.number() > 1 && words.size() == 1 && all_numbers(words)) continue;
      throw Error(ErrorKind::input, std::string(file_name) + ": line " + std::to_string(lines.number()) +
                                        ": neither three or more numbers nor column names with x, y and z");
    }
    throw Error(ErrorKind::input, std::string(file_name) + ": holds no points");
  }

  /// The number of values on the line: at least that of the columns.
  static int read_line(std::string_view line, const Columns& columns, std::array<double, 256>& values,
                       std::size_t number, std::string_view file_name) {
    const auto bad = [&](const std::string& text) {
      return Error(ErrorKind::input,
                   std::string(file_name) + ": line " + std::to_string(number) + ": " + text);
    };
    if (const int cell = empty_cell(line, columns.count); cell >= 0) {
      const char* name = cell == columns.x   ? " (x)"
                         : cell == columns.y ? " (y)"
                         : cell == columns.z ? " (z)"
                                             : "";
      throw bad("cell " + std::to_string(cell + 1) + name + " is empty");
    }
    std::size_t count = 0;
    for (auto word = take_word(line, separators); !word.empty() && count < values.size();
         word = take_word(line, separators)) {
      const auto value = parse_double(word);
      if (!value) throw bad("'" + std::string(word.substr(0, 32)) + "' is not a number");
      values.at(count++) = *value;
    }
    if (count < static_cast<std::size_t>(columns.count)) {
      throw bad(std::to_string(count) + " values, expected " + std::to_string(columns.count));
    }
    return static_cast<int>(count);
  }

  static PointRow row_of(const Columns& columns, const std::array<double, 256>& values) {
    const auto value = [&](int at) { return at < 0 ? 0.0 : values.at(static_cast<std::size_t>(at)); };
    PointRow row;
    row.position = {value(columns.x), value(columns.y), value(columns.z)};
    row.intensity = static_cast<float>(value(columns.intensity));
    row.colour = {colour_level(value(columns.red), false), colour_level(value(columns.green), false),
                  colour_level(value(columns.blue), false)};
    const double label = value(columns.label);
    row.label = label >= 0.0 && label < 4294967296.0 ? static_cast<std::uint32_t>(label) : 0U;
    return row;
  }

  static std::string title(const Columns& columns) {
    std::string text = columns.named ? "text with named columns x,y,z" : "text x,y,z";
    if (columns.intensity >= 0) text += ",intensity";
    if (columns.attributes().colour) text += ",r,g,b";
    if (columns.label >= 0) text += ",label";
    if (columns.count > 3) text += " of " + std::to_string(columns.count) + " columns";
    return text;
  }
};

}  // namespace

const SceneReader& text_reader() noexcept {
  static const TextReader reader;
  return reader;
}

}  // namespace spira
