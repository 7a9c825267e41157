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

struct Layout {
  std::vector<Column> columns;
  bool named = false;
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

/// Of a line of names; without x, y and z if the line names others.
Layout named_layout(std::vector<std::string> names) {
  if (!names.empty() && (names.front() == "#" || names.front() == "//")) names.erase(names.begin());
  Layout layout{{}, true};
  for (std::string& name : names)
    layout.columns.push_back({std::move(name)});
  assign_by_name(layout.columns);
  return layout;
}

/// Of a file without names: its first lines decide.
Layout guessed_layout(std::string_view text) {
  constexpr std::size_t most_rows = 4'096;
  std::vector<std::vector<double>> rows;
  bool integral = true;
  Lines lines(text);
  for (auto line = lines.next(); line && rows.size() < most_rows; line = lines.next()) {
    if (is_comment(*line)) continue;
    const auto words = words_of(*line);
    if (words.size() < 3 || !all_numbers(words) || (!rows.empty() && words.size() < rows.front().size()))
      continue;
    auto& row = rows.emplace_back();
    for (const std::string& word : words)
      row.push_back(parse_double(word).value_or(0.0));
    integral = integral && std::all_of(words.begin() + 3, words.end(), [](const std::string& word) {
                 return word.find_first_of(".eE") == std::string::npos;
               });
  }
  return {columns_by_value(
      std::ssize(rows), rows.front().size(), integral,
      [&](std::int64_t row, std::size_t column) { return rows[static_cast<std::size_t>(row)][column]; })};
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
    const Layout layout = find_layout(text, file_name);
    const int columns = static_cast<int>(layout.columns.size());
    const auto rows = std::count(text.begin(), text.end(), '\n') + 1;
    PointSink sink(layout.columns,
                   std::min<std::int64_t>(rows, static_cast<std::int64_t>(text.size() / 6) + 1), file_name,
                   limits, job);
    Lines lines(text);
    std::array<double, 256> values{};
    bool header_left = layout.named;
    std::int64_t long_lines = 0;
    for (auto line = lines.next(); line; line = lines.next()) {
      if (is_comment(*line)) continue;
      if (header_left && !parse_double(lower(first_word(*line)))) {
        header_left = false;
        continue;
      }
      const int count = read_line(*line, layout.columns, values, lines.number(), file_name);
      long_lines += count > columns ? 1 : 0;
      sink.add(values);
    }
    if (long_lines > 0) {
      sink.note(count_text(long_lines) + (long_lines == 1 ? " line has" : " lines have") + " more than " +
                std::to_string(columns) + " values; the rest of them was not read");
    }
    return sink.take(file_name, "text", layout.named ? "text with column names" : "text");
  }

 private:
  static std::string_view first_word(std::string_view line) { return take_word(line, separators); }

  static Layout find_layout(std::string_view text, std::string_view file_name) {
    Lines lines(text);
    for (auto line = lines.next(); line; line = lines.next()) {
      const auto words = words_of(*line);
      if (words.empty()) continue;
      if (words.size() >= 3 && all_numbers(words)) return guessed_layout(text);
      if (Layout named = named_layout(words); has_positions(named.columns)) return named;
      if (is_comment(*line)) continue;
      if (lines.number() > 1 && words.size() == 1 && all_numbers(words)) continue;
      throw Error(ErrorKind::input, std::string(file_name) + ": line " + std::to_string(lines.number()) +
                                        ": neither three or more numbers nor column names with x, y and z");
    }
    throw Error(ErrorKind::input, std::string(file_name) + ": holds no points");
  }

  /// The number of values on the line: at least that of the columns.
  static int read_line(std::string_view line, const std::vector<Column>& columns,
                       std::array<double, 256>& values, std::size_t number, std::string_view file_name) {
    const auto bad = [&](const std::string& text) {
      return Error(ErrorKind::input,
                   std::string(file_name) + ": line " + std::to_string(number) + ": " + text);
    };
    if (const int cell = empty_cell(line, static_cast<int>(columns.size())); cell >= 0) {
      const std::string name(text_of(columns[static_cast<std::size_t>(cell)].attribute));
      throw bad("cell " + std::to_string(cell + 1) + (name.empty() ? "" : " (" + name + ")") + " is empty");
    }
    std::size_t count = 0;
    for (auto word = take_word(line, separators); !word.empty() && count < values.size();
         word = take_word(line, separators)) {
      const auto value = parse_double(word);
      if (!value) throw bad("'" + std::string(word.substr(0, 32)) + "' is not a number");
      values.at(count++) = *value;
    }
    if (count < columns.size()) {
      throw bad(std::to_string(count) + " values, expected " + std::to_string(columns.size()));
    }
    return static_cast<int>(count);
  }
};

}  // namespace

const SceneReader& text_reader() noexcept {
  static const TextReader reader;
  return reader;
}

}  // namespace spira
