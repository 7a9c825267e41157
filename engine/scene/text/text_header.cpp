#include "engine/scene/text/text_header.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace spira {
namespace {

using enum Attribute;

std::string lower(std::string_view word) {
  std::string text(word);
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

std::vector<Column> named(const std::vector<std::string_view>& names) {
  std::vector<Column> columns;
  for (const std::string_view name : names)
    columns.push_back({std::string(name)});
  assign_by_name(columns);
  return columns;
}

/// Joins units to the names before them: "x" and "(m)" become one name.
std::vector<std::string_view> joined_units(const std::vector<std::string_view>& words) {
  std::vector<std::string_view> names;
  for (const std::string_view word : words) {
    const bool unit = !names.empty() && (word.front() == '(' || word.front() == '[');
    if (unit) {
      names.back() = {names.back().data(),
                      static_cast<std::size_t>(word.data() + word.size() - names.back().data())};
    } else {
      names.push_back(word);
    }
  }
  return names;
}

std::vector<std::string_view> names_between(std::string_view line, Separator separator) {
  auto names = split(line, separator);
  if (separator == Separator::blanks || separator == Separator::mixed) return joined_units(names);
  return names;
}

/// Returns true for a word that introduces column names, such as "columns", and is not a name itself.
bool announces(std::string_view word) {
  constexpr std::array<std::string_view, 16> words{
      "columns", "column", "cols",   "fields", "field",  "format", "header", "names",
      "name",    "data",   "layout", "order",  "points", "coords", "values", "coordinates"};
  const std::string text = lower(word);
  return std::find(words.begin(), words.end(), text) != words.end();
}

/// Returns true for a common word of English sentences, which is not a column name.
bool is_of_sentence(std::string_view word) {
  constexpr std::array<std::string_view, 24> words{
      "with", "has", "have", "of",   "the",      "this",    "in", "and", "each", "from", "by", "for",
      "are",  "is",  "file", "line", "contains", "contain", "to", "an",  "per",  "all",  "at", "as"};
  const std::string text = lower(word);
  return std::find(words.begin(), words.end(), text) != words.end();
}

/// Removes comment marks and introducing words: returns "x y z" for "Columns: x y z" and for "# x y z".
std::string_view without_marks(std::string_view comment) {
  constexpr std::string_view marks = " \t#/%";
  comment.remove_prefix(std::min(comment.find_first_not_of(marks), comment.size()));
  const std::size_t colon = comment.find(':');
  if (colon == std::string_view::npos) return comment;
  const std::string_view before = comment.substr(0, colon);
  const auto words = split(before, Separator::mixed);
  const bool names =
      std::any_of(words.begin(), words.end(), [](std::string_view word) { return attribute_of(word) == x; });
  return names ? comment : comment.substr(colon + 1);
}

}  // namespace

std::optional<std::vector<Column>> columns_named_by(std::string_view line, Separator separator,
                                                    std::size_t values_per_row) {
  auto columns = named(names_between(line, separator));
  if (columns.size() > 1 && columns.back().name.empty()) columns.pop_back();  // a separator can end the line
  if (has_positions(columns)) return columns;
  for (const Separator other : {Separator::semicolon, Separator::tab, Separator::comma, Separator::blanks}) {
    auto others = named(names_between(line, other));
    if (has_positions(others) && (others.size() == values_per_row || values_per_row == 0)) return others;
  }
  return std::nullopt;
}

std::optional<std::vector<Column>> columns_of_comment(std::string_view comment) {
  const std::string_view text = without_marks(comment);
  Separator separator = Separator::blanks;
  for (const Separator other : {Separator::comma, Separator::tab, Separator::semicolon}) {
    if (std::count(text.begin(), text.end(), static_cast<char>(other)) >= 2) separator = other;
  }
  auto names = names_between(text, separator);
  while (!names.empty() && announces(names.front()))
    names.erase(names.begin());
  auto columns = named(names);
  if (!has_positions(columns)) return std::nullopt;
  const auto known = std::count_if(columns.begin(), columns.end(), [](const Column& column) {
    return column.attribute != none || is_name_of_row(column.name);
  });
  const bool sentence =
      known * 2 < std::ssize(columns) || std::any_of(names.begin(), names.end(), is_of_sentence);
  if (!sentence) return columns;
  // "each line has time x y z" is a sentence, but it also names a column before x.
  const int x_at = index_of(columns, x);
  if (x_at == 0 || !is_name_of_row(columns[static_cast<std::size_t>(x_at) - 1].name)) return std::nullopt;
  columns.erase(columns.begin(), columns.begin() + x_at - 1);
  return columns;
}

bool is_name_of_row(std::string_view name) {
  constexpr std::array<std::string_view, 11> exact{"id",  "t",     "n",   "nr",  "no",   "idx",
                                                   "num", "index", "row", "key", "frame"};
  const std::string text = lower(name);
  if (std::find(exact.begin(), exact.end(), text) != exact.end()) return true;
  constexpr std::array<std::string_view, 7> parts{"time", "stamp", "index", "_id", " id", "number", "frame"};
  return std::any_of(parts.begin(), parts.end(),
                     [&](std::string_view part) { return text.find(part) != std::string::npos; });
}

bool are_units(const std::vector<std::string_view>& cells) {
  constexpr std::array<std::string_view, 8> units{"m", "mm", "cm", "km", "ft", "meter", "metre", "meters"};
  const auto count = std::count_if(cells.begin(), cells.end(), [&](std::string_view cell) {
    std::string text = lower(cell);
    std::erase_if(text, [](char c) { return std::string_view("[]()").find(c) != std::string_view::npos; });
    return std::find(units.begin(), units.end(), text) != units.end();
  });
  return count >= 3;
}

bool are_column_numbers(const std::vector<std::string_view>& cells) {
  constexpr std::size_t least = 3;
  const std::size_t first = !cells.empty() && cells.front().empty() ? 1 : 0;
  if (cells.size() < first + least) return false;
  for (std::size_t at = first; at < cells.size(); ++at) {
    if (cells[at] != std::to_string(at - first)) return false;
  }
  return true;
}

}  // namespace spira
