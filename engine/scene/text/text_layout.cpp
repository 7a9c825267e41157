#include "engine/scene/text/text_layout.hpp"

#include "engine/base/error.hpp"
#include "engine/base/text.hpp"
#include "engine/scene/text/lines.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>
#include <span>
#include <string>

namespace spira {
namespace {

using enum Attribute;

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

/// Counts the sampled cells of one column, separately by kind.
struct CellFacts {
  std::size_t numbers = 0, words = 0;
  bool whole = true;  ///< True if no number has a decimal mark or an exponent.

  /// Returns true if the column is numeric: fewer than one in five cells are words. These words are faults,
  /// and the reader reports them later.
  [[nodiscard]] bool holds_numbers() const {
    constexpr std::size_t one_in = 5;
    return numbers > 0 && words * one_in < numbers + words;
  }
};

class Finder {
 public:
  Finder(std::string_view text, std::string_view file_name)
      : text_(text), file_name_(file_name), sample_(sample_of(text)) {}

  TextLayout run() {
    if (sample_.lines.empty())
      throw Error(ErrorKind::input, std::string(file_name_) + ": contains no points");
    std::span<const TextLine> rest = sample_.lines;
    take_count(rest);
    const TextLine first = rest.front();
    rows_ = rest.subspan(1);
    std::span<const TextLine> rows_after_count = rows_;
    const auto count_before = layout_.point_count;
    take_count(rows_after_count);
    auto separator = separator_of(rows_after_count.empty() ? rest.first(1) : rows_after_count);
    if (!separator) separator = separator_of(rest);
    if (!separator) separator = separator_of_names(first.text);
    if (!separator) throw neither(first);
    layout_.separator = *separator;
    find_rows(rest, rows_after_count);
    // If the second line is a single number, it is the number of points only after a line of column names.
    // After a row of values, it is a fault.
    if (!layout_.named) layout_.point_count = count_before;
    if (rows_.empty()) throw Error(ErrorKind::input, std::string(file_name_) + ": contains no points");
    layout_.begin = rows_.front().begin;
    layout_.lines_before = rows_.front().number - 1;
    split_rows();
    find_columns(first);
    leave_out_words();
    require_clear_numbers();
    return std::move(layout_);
  }

 private:
  [[nodiscard]] Error fault(std::size_t line, const std::string& what) const {
    return Error(ErrorKind::input,
                 std::string(file_name_) + ": line " + std::to_string(line) + ": " + printable(what));
  }
  [[nodiscard]] Error neither(const TextLine& line) const {
    return fault(line.number, "expected at least three numbers, or column names that include x, y and z");
  }

  [[nodiscard]] static std::optional<Separator> separator_of_names(std::string_view line) {
    for (const Separator one : {Separator::semicolon, Separator::tab, Separator::comma, Separator::blanks}) {
      if (split(line, one).size() >= 3 && columns_named_by(line, one, 0)) return one;
    }
    return std::nullopt;
  }

  void take_count(std::span<const TextLine>& lines) {
    if (lines.size() < 2 || !is_count(lines.front().text) || layout_.point_count) return;
    std::string_view word = lines.front().text;
    layout_.point_count = parse_int(take_word(word));
    lines = lines.subspan(1);
  }

  /// Decides whether the first line is a row of values or a line of column names.
  void find_rows(std::span<const TextLine> rest, std::span<const TextLine> rows_after_count) {
    const TextLine& first = rest.front();
    const auto cells = split(without_comment(first.text), layout_.separator);
    const std::size_t values =
        rows_.empty() ? 0 : split(without_comment(rows_after_count.front().text), layout_.separator).size();
    if (auto columns = columns_named_by(without_comment(first.text), layout_.separator, values)) {
      layout_.columns = std::move(*columns);
      layout_.named = true;
      layout_.header = first.text;
      rows_ = rows_after_count;
      if (!rows_.empty() && are_units(split(rows_.front().text, layout_.separator))) rows_ = rows_.subspan(1);
      return;
    }
    const bool decimals = std::any_of(rows_.begin(), rows_.end(), [](const TextLine& row) {
      return row.text.find('.') != std::string_view::npos;
    });
    if (are_column_numbers(cells) && decimals) {
      layout_.notes.push_back("line " + std::to_string(first.number) +
                              " contains column numbers and was not read as a point");
      return;
    }
    const auto numbers = std::count_if(cells.begin(), cells.end(), [](std::string_view cell) {
      const CellKind kind = kind_of(cell);
      return kind != CellKind::word && kind != CellKind::empty;
    });
    if (numbers < 3) throw neither(first);
    rows_ = rest;
  }

  void split_rows() {
    for (const TextLine& row : rows_)
      cells_.push_back(split(without_comment(row.text), layout_.separator));
    const bool ends_empty = std::all_of(cells_.begin(), cells_.end(), [](const auto& cells) {
      return cells.size() > 1 && cells.back().empty();
    });
    // True if the last column is empty but has a name.
    const bool named_end = layout_.columns.size() == cells_.front().size();
    values_ = cells_.front().size() - (ends_empty && !named_end ? 1 : 0);
    for (auto& cells : cells_) {
      if (cells.size() == values_ + 1 && cells.back().empty()) cells.pop_back();
    }
    facts_.resize(values_);
    for (const auto& cells : cells_) {
      for (std::size_t at = 0; at < std::min(values_, cells.size()); ++at) {
        const CellKind kind = kind_of(cells[at]);
        if (kind == CellKind::empty) continue;
        CellFacts& facts = facts_[at];
        ++(kind == CellKind::word ? facts.words : facts.numbers);
        if (kind != CellKind::word && cells[at].find_first_of(".,eEdD") != std::string_view::npos)
          facts.whole = false;
      }
    }
  }

  void find_columns(const TextLine& first) {
    const auto others = std::count_if(cells_.begin(), cells_.end(),
                                      [&](const auto& cells) { return cells.size() != values_; });
    if (static_cast<std::size_t>(others) * 2 > cells_.size()) {
      const auto other = std::find_if(cells_.begin(), cells_.end(),
                                      [&](const auto& cells) { return cells.size() != values_; });
      throw fault(line_of(static_cast<std::size_t>(other - cells_.begin())),
                  std::to_string(other->size()) + " values, but line " +
                      std::to_string(rows_.front().number) + " has " + std::to_string(values_) +
                      (layout_.separator == Separator::comma ? "; are the commas decimal marks?" : ""));
    }
    if (layout_.named) return match_names(first);
    for (std::size_t left = sample_.comments.size(); left > 0; --left) {
      if (take_comment(sample_.comments[left - 1])) return;
    }
    columns_without_names();
  }

  /// Matches the names in the header to the columns of the rows. If their numbers differ and it is not clear
  /// which name belongs to which column, throws an error.
  void match_names(const TextLine& header) {
    auto& columns = layout_.columns;
    if (columns.size() == values_) return;
    const std::string counts = std::to_string(columns.size()) + " column names, but line " +
                               std::to_string(rows_.front().number) + " has " + std::to_string(values_) +
                               " values";
    const bool in_front = columns[0].attribute == x && columns[1].attribute == y && columns[2].attribute == z;
    if (columns.size() > values_) {
      if (!in_front || values_ < 3) throw fault(header.number, counts);
      columns.resize(values_);
      for (std::size_t at = 3; at < values_; ++at)
        columns[at] = {};
      layout_.notes.push_back("line " + std::to_string(header.number) + " has " + counts +
                              ", so only x, y and z were read");
      return;
    }
    if (values_ == columns.size() * 2 && layout_.separator == Separator::comma)
      throw fault(header.number, counts + "; are the commas decimal marks? Write decimal points");
    if (values_ == columns.size() + 1 && (counts_rows(0) || !facts_[0].holds_numbers())) {
      // R writes row names as the first column. This column has no name.
      columns.insert(columns.begin(), Column{});
      layout_.notes.emplace_back("column 1 has no column name and seems to contain row names; it is ignored");
      return;
    }
    if (facts_[0].whole && !facts_[1].whole) throw fault(header.number, counts + "; name every column");
  }

  /// Uses the column names in a comment. Returns false if the comment does not name the columns of the rows.
  bool take_comment(const TextLine& comment) {
    auto columns = columns_of_comment(comment.text);
    if (!columns) return false;
    const auto x_at = static_cast<std::size_t>(index_of(*columns, x));
    const std::string remedy = "; write one name for each column as the first line, without a comment mark";
    if (columns->size() != values_) {
      const bool in_front = x_at == 0 && (*columns)[1].attribute == y && (*columns)[2].attribute == z;
      // "# x y z" is ambiguous, because "#" can also be the name of the first column.
      const bool shifted =
          columns->size() + 1 == values_ && facts_[0].whole && !facts_[1].whole && !counts_rows(0);
      if (in_front && !shifted) return false;
      throw fault(comment.number, "the comment has " + std::to_string(columns->size()) +
                                      " column names and line " + std::to_string(rows_.front().number) +
                                      " has " + std::to_string(values_) +
                                      " values, so the column of x is not clear" + remedy);
    }
    for (std::size_t at = 0; at < x_at; ++at) {
      const Column& column = (*columns)[at];
      const bool number_of_row = facts_[at].whole || !facts_[at].holds_numbers();
      if (column.attribute == none && !is_name_of_row(column.name) && !number_of_row)
        throw fault(comment.number, "it is not clear whether '" + column.name + "' names a column" + remedy);
    }
    layout_.columns = std::move(*columns);
    layout_.named = true;
    return true;
  }

  [[nodiscard]] double value(std::size_t row, std::size_t column) const {
    const auto& cells = cells_[row];
    return column < cells.size() ? value_of(cells[column]).value_or(nan_value) : nan_value;
  }

  /// Returns true if the values of the column increase by one from row to row.
  [[nodiscard]] bool counts_rows(std::size_t column) const {
    constexpr std::size_t min_rows = 3;
    std::size_t rows = 0;
    for (; rows < cells_.size() && rows_[rows].number > 0; ++rows) {
      if (value(rows, column) != value(0, column) + static_cast<double>(rows)) return false;
    }
    return rows >= min_rows && facts_[column].whole;
  }

  void columns_without_names() {
    std::size_t first = 0;
    if (values_ >= 4 && facts_[0].whole && !(facts_[1].whole && facts_[2].whole)) {
      const bool row_numbers = counts_rows(0);
      first = row_numbers ? 1 : 0;
      layout_.notes.emplace_back(
          row_numbers ? "column 1 looks like a row number and is not used"
                      : "column 1 contains only whole numbers and is read as x; if it is not x, add a line "
                        "with column names");
    } else if (values_ >= 4 && counts_rows(0)) {
      layout_.notes.emplace_back(
          "column 1 looks like a row number but is read as x; if it is not x, add a line with column names");
    }
    std::vector<std::size_t> numeric;
    bool integral = true;
    for (std::size_t at = first; at < values_; ++at) {
      const bool needed = at < first + 3;
      if (needed && facts_[at].numbers == 0)
        throw fault(rows_.front().number, "column " + std::to_string(at + 1) +
                                              " does not contain numbers; add a line with column names");
      if (!needed && !facts_[at].holds_numbers()) continue;
      numeric.push_back(at);
      integral = integral && (needed || facts_[at].whole);
    }
    if (numeric.size() < 3) throw neither(rows_.front());
    layout_.columns.resize(values_);
    const auto found = columns_by_value(std::ssize(cells_), numeric.size(), integral,
                                        [&](std::int64_t row, std::size_t column) {
                                          return value(static_cast<std::size_t>(row), numeric[column]);
                                        });
    for (std::size_t at = 0; at < numeric.size(); ++at)
      layout_.columns[numeric[at]] = found[at];
    if (layout_.point_count && values_ == 7 && numeric.size() == 7) return columns_of_pts();
    if (const std::string note = note_on_guessed(layout_.columns); !note.empty())
      layout_.notes.push_back(note + "; to choose the columns, add a first line with column names");
  }

  /// Sets the attributes of the columns of a PTS file: x, y, z, intensity, r, g, b. Does nothing if columns 5
  /// to 7 are not colour levels. Intensities may have any range.
  void columns_of_pts() {
    constexpr std::array<Attribute, 4> attributes{intensity, red, green, blue};
    for (std::size_t row = 0; row < cells_.size(); ++row) {
      for (std::size_t at = 4; at < 7; ++at) {
        const double level = value(row, at);
        if (!facts_[at].whole || !(level >= 0.0 && level <= 255.0)) return;
      }
    }
    for (std::size_t at = 0; at < attributes.size(); ++at)
      layout_.columns[at + 3] = {"", attributes.at(at), at > 0};
  }

  /// Removes the attributes of columns that contain words. For the other columns, records whether their
  /// values are whole numbers, because the scale of colours depends on it.
  void leave_out_words() {
    auto& columns = layout_.columns;
    for (std::size_t at = 0; at < std::min(columns.size(), values_); ++at) {
      columns[at].integral = facts_[at].whole;
      if (columns[at].attribute <= z || facts_[at].holds_numbers()) continue;
      if (facts_[at].words > 0)
        layout_.notes.push_back("column '" + printable(columns[at].name) +
                                "' does not contain numbers and is ignored");
      columns[at].attribute = none;
    }
    for (const Attribute part : {red, harmonic_red, normal_x}) {
      const auto is_part = [&](const Column& column) {
        return column.attribute >= part && static_cast<int>(column.attribute) < static_cast<int>(part) + 3;
      };
      const bool whole = std::all_of(columns.begin(), columns.end(), [&](const Column& column) {
        return !is_part(column) || column.integral;
      });
      const bool complete = std::count_if(columns.begin(), columns.end(), is_part) == 3;
      for (Column& column : columns) {
        if (!is_part(column)) continue;
        column.integral = whole;
        if (!complete) column.attribute = none;
      }
    }
  }

  /// Throws if a number is ambiguous, for example because a comma can be a decimal mark or a separator.
  void require_clear_numbers() const {
    std::size_t commas = 0, points = 0, line = 0;
    bool all_thousands = true;
    for (std::size_t row = 0; row < cells_.size(); ++row) {
      for (std::size_t at = 0; at < std::min(cells_[row].size(), layout_.columns.size()); ++at) {
        if (layout_.columns[at].attribute == none) continue;
        const std::string_view cell = cells_[row][at];
        const CellKind kind = kind_of(cell);
        if (kind == CellKind::thousands) {
          throw fault(line_of(row), "'" + std::string(cell.substr(0, 32)) +
                                        "' has thousands separators; write numbers without them");
        }
        if (kind == CellKind::number && cell.find('.') != std::string_view::npos) ++points;
        if (kind != CellKind::decimal_comma) continue;
        line = commas++ == 0 ? line_of(row) : line;
        const std::size_t digits = cell.find_first_of("0123456789"), comma = cell.find(',');
        all_thousands = all_thousands && digits < comma && cell[digits] != '0' && comma - digits <= 3 &&
                        cell.size() == comma + 4;
      }
    }
    if (commas > 0 && points > 0)
      throw fault(line, "a number has a decimal comma, but others have decimal points");
    if (commas > 0 && all_thousands)
      throw fault(line, "the comma can be a decimal mark or a thousands separator; write decimal points");
    if (layout_.separator == Separator::comma && !layout_.named && commas_are_doubtful())
      throw fault(rows_.front().number,
                  "the commas can be decimal marks; write decimal points, or semicolons between the columns");
  }
  [[nodiscard]] std::size_t line_of(std::size_t row) const {
    if (rows_[row].number > 0) return rows_[row].number;
    Lines lines(text_);
    while (lines.next() && lines.begin() < rows_[row].begin) {
    }
    return lines.number();
  }

  /// Returns true if the commas may be decimal marks, as in "1,05,2,25,3,125": all cells are whole numbers,
  /// and every second cell looks like the decimals of the cell before it.
  [[nodiscard]] bool commas_are_doubtful() const {
    constexpr std::size_t min_values = 6, enough_rows = 8;
    if (values_ < min_values || values_ % 2 != 0) return false;
    if (std::any_of(facts_.begin(), facts_.end(), [](const CellFacts& facts) { return !facts.whole; }))
      return false;
    bool zeros = false, same_length = true, blanks = true;
    const std::size_t length = cells_.front()[1].size();
    for (const auto& cells : cells_) {
      for (std::size_t at = 1; at < cells.size(); at += 2) {
        const std::string_view cell = cells[at];
        if (cell.empty() || cell.front() == '-' || cell.front() == '+') return false;
        zeros = zeros || (cell.size() > 1 && cell.front() == '0');
        same_length = same_length && cell.size() == length;
        blanks =
            blanks && cell.data()[-1] == ',' && (at + 1 >= cells.size() || cells[at + 1].data()[-1] == ' ');
      }
    }
    return zeros || blanks || (same_length && cells_.size() >= enough_rows);
  }

  std::string_view text_, file_name_;
  TextSample sample_;
  std::span<const TextLine> rows_;
  std::vector<std::vector<std::string_view>> cells_;  ///< One entry per row.
  std::size_t values_ = 0;                            ///< Number of values per line.
  std::vector<CellFacts> facts_;                      ///< One entry per column.
  TextLayout layout_;
};

}  // namespace

TextLayout text_layout_of(std::string_view text, std::string_view file_name) {
  return Finder(text, file_name).run();
}

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

/// Joins each unit to the name before it. For example, the words "x" and "(m)" become one name.
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

/// Returns true if the word introduces column names, as "columns" does, and is not a name itself.
bool announces(std::string_view word) {
  constexpr std::array<std::string_view, 16> words{
      "columns", "column", "cols",   "fields", "field",  "format", "header", "names",
      "name",    "data",   "layout", "order",  "points", "coords", "values", "coordinates"};
  const std::string text = lower(word);
  return std::find(words.begin(), words.end(), text) != words.end();
}

/// Returns true if the word is common in English sentences and is not a column name.
bool is_of_sentence(std::string_view word) {
  constexpr std::array<std::string_view, 24> words{
      "with", "has", "have", "of",   "the",      "this",    "in", "and", "each", "from", "by", "for",
      "are",  "is",  "file", "line", "contains", "contain", "to", "an",  "per",  "all",  "at", "as"};
  const std::string text = lower(word);
  return std::find(words.begin(), words.end(), text) != words.end();
}

/// Removes comment marks and words that introduce names: "# Columns: x y z" and "# x y z" become "x y z".
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
  if (columns.size() > 1 && columns.back().name.empty()) columns.pop_back();  // A separator can end the line.
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
  // Some sentences list the columns, as in "each line has time x y z". Such a sentence is accepted if the
  // word before x is a usual column name.
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
