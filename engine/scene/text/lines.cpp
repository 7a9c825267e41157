#include "engine/scene/text/lines.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

namespace spira {
namespace {

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool equals_in_lower_case(std::string_view word, std::string_view lower_case) {
  return word.size() == lower_case.size() && std::equal(word.begin(), word.end(), lower_case.begin(),
                                                        [](char a, char b) { return lower(a) == b; });
}

bool is_missing_mark(std::string_view word) {
  constexpr std::array<std::string_view, 10> marks{"null", "n/a", "na",   "none", "nil",
                                                   "-",    "--",  "#n/a", "<na>", "?"};
  if (word.starts_with("1.#") || word.starts_with("-1.#")) return true;
  return std::any_of(marks.begin(), marks.end(),
                     [&](std::string_view mark) { return equals_in_lower_case(word, mark); });
}

/// Returns 0 or infinity for a word that has the form of a number but is out of the range of double.
double out_of_range(std::string_view word) {
  const double sign = word.starts_with('-') ? -1.0 : 1.0;
  const std::size_t exponent = word.find_first_of("eE");
  const bool tiny = exponent == std::string_view::npos ? word.find_first_of("123456789") > word.find('.')
                                                       : word.substr(exponent + 1).starts_with('-');
  return sign * (tiny ? 0.0 : std::numeric_limits<double>::infinity());
}

/// Parses a number in Fortran format, such as "1.5D+03".
std::optional<double> parse_fortran(std::string_view word) {
  constexpr std::size_t most = 40;
  const std::size_t at = word.find_first_of("dD");
  if (at == std::string_view::npos || at == 0 || word.size() > most) return std::nullopt;
  std::array<char, most> copy{};
  std::copy(word.begin(), word.end(), copy.begin());
  copy.at(at) = 'e';
  double value = 0.0;
  const auto result = std::from_chars(copy.data(), copy.data() + word.size(), value);
  if (result.ec != std::errc{} || result.ptr != copy.data() + word.size()) return std::nullopt;
  return value;
}

struct TextTally {
  /// `bytes` counts all bytes. `control` counts the control characters that do not occur in text files.
  std::size_t bytes = 0, control = 0;

  void add(std::span<const std::byte> block) {
    bytes += block.size();
    for (const std::byte one : block) {
      const auto byte = std::to_integer<unsigned>(one);
      const bool blank = byte == '\t' || byte == '\n' || byte == '\r' || byte == '\f';
      if ((byte < 0x20 && !blank) || byte == 0x7F) ++control;
    }
  }
};

/// Removes padding at the end of a file. Programs that allocate whole blocks leave zeros there; old programs
/// write an end-of-file character.
std::span<const std::byte> without_padding(std::span<const std::byte> bytes) {
  while (!bytes.empty() && (bytes.back() == std::byte{0} || bytes.back() == std::byte{0x1A}))
    bytes = bytes.first(bytes.size() - 1);
  return bytes;
}

TextTally tally(std::span<const std::byte> bytes) {
  constexpr std::size_t end_block = std::size_t{64} << 10U, block = std::size_t{8} << 10U, blocks = 32;
  bytes = without_padding(bytes);
  TextTally sum;
  if (bytes.size() <= 2 * end_block + (blocks * block)) {
    sum.add(bytes);
    return sum;
  }
  sum.add(bytes.first(end_block));
  for (std::size_t at = 1; at <= blocks; ++at)
    sum.add(bytes.subspan(at * ((bytes.size() - end_block) / (blocks + 1)), block));
  sum.add(bytes.last(end_block));
  return sum;
}

}  // namespace

std::optional<double> parse_value(std::string_view word) noexcept {
  if (word.starts_with('+')) {
    word.remove_prefix(1);
    if (word.starts_with('+') || word.starts_with('-')) return std::nullopt;
  }
  if (word.empty()) return std::nullopt;
  double value = 0.0;
  const auto result = std::from_chars(word.data(), word.data() + word.size(), value);
  if (result.ptr == word.data() + word.size()) {
    if (result.ec == std::errc{}) return value;
    if (result.ec == std::errc::result_out_of_range) return out_of_range(word);
  }
  if (is_missing_mark(word)) return nan_value;
  return parse_fortran(word);
}

bool is_mostly_text(std::span<const std::byte> bytes) noexcept {
  constexpr std::size_t one_in = 100;
  const TextTally sum = tally(bytes);
  return sum.bytes > 0 && sum.control <= std::max<std::size_t>(1, sum.bytes / one_in);
}

std::string_view wide_encoding(std::span<const std::byte> bytes) noexcept {
  const auto starts = [&](std::initializer_list<int> mark) {
    return bytes.size() >= mark.size() &&
           std::equal(mark.begin(), mark.end(), bytes.begin(),
                      [](int value, std::byte byte) { return std::to_integer<int>(byte) == value; });
  };
  if (starts({0xFF, 0xFE, 0, 0}) || starts({0, 0, 0xFE, 0xFF})) return "UTF-32";
  const auto head = bytes.first(std::min<std::size_t>(bytes.size() / 2 * 2, 4096));
  constexpr std::size_t min_bytes = 12;  // Three values and three separators.
  if (head.size() < min_bytes) return {};
  for (const std::size_t low : {std::size_t{0}, std::size_t{1}}) {
    std::size_t wide = 0;
    for (std::size_t at = 0; at < head.size(); at += 2) {
      const auto value = std::to_integer<unsigned>(head[at + low]);
      const bool text = value == '\t' || value == '\n' || value == '\r' || (value >= ' ' && value <= '~');
      if (head[at + 1 - low] == std::byte{0} && text) ++wide;
    }
    const bool marked = low == 0 ? starts({0xFF, 0xFE}) : starts({0xFE, 0xFF});
    if (wide * 2 == head.size() || (marked && wide * 5 >= head.size() * 2)) return "UTF-16";
  }
  return {};
}

namespace {

constexpr std::string_view blanks = " \t";
constexpr std::size_t max_cells = 4'096;  ///< More cells on a line are ignored.

std::string_view trimmed(std::string_view text) {
  std::size_t begin = 0, end = text.size();
  while (begin < end && (text[begin] == ' ' || text[begin] == '\t'))
    ++begin;
  while (end > begin && (text[end - 1] == ' ' || text[end - 1] == '\t'))
    --end;
  return text.substr(begin, end - begin);
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool all_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

/// Returns the position after the closing quote of a cell. The cell begins with a quote at `at`. Returns npos
/// if the closing quote is missing.
std::size_t end_of_quotes(std::string_view line, std::size_t at) {
  for (std::size_t end = line.find('"', at + 1); end != std::string_view::npos;
       end = line.find('"', end + 2)) {
    if (end + 1 == line.size() || line[end + 1] != '"') return end + 1;
    if (end + 2 >= line.size()) break;
  }
  return std::string_view::npos;
}

std::string_view without_quotes(std::string_view cell) {
  if (cell.size() < 2 || cell.front() != '"' || cell.back() != '"') return cell;
  return trimmed(cell.substr(1, cell.size() - 2));
}

template <class IsSeparator>
void split_at_any(std::string_view line, const IsSeparator& separates, std::vector<std::string_view>& cells) {
  std::size_t at = 0;
  while (true) {
    while (at < line.size() && separates(line[at]))
      ++at;
    if (at == line.size() || cells.size() == max_cells) return;
    const std::size_t begin = at;
    if (line[at] == '"') {
      const std::size_t end = end_of_quotes(line, at);
      if (end != std::string_view::npos) at = end;
    }
    while (at < line.size() && !separates(line[at]))
      ++at;
    cells.push_back(without_quotes(line.substr(begin, at - begin)));
  }
}

void split_at(std::string_view line, char separator, std::vector<std::string_view>& cells) {
  std::size_t at = 0;
  while (true) {
    std::size_t from = at;
    while (from < line.size() && line[from] == ' ')
      ++from;
    if (from < line.size() && line[from] == '"') {
      const std::size_t end = end_of_quotes(line, from);
      if (end != std::string_view::npos) from = end;
    }
    const void* const found =
        from < line.size() ? std::memchr(line.data() + from, separator, line.size() - from) : nullptr;
    const std::size_t end = found == nullptr
                                ? line.size()
                                : static_cast<std::size_t>(static_cast<const char*>(found) - line.data());
    cells.push_back(without_quotes(trimmed(line.substr(at, end - at))));
    if (found == nullptr || cells.size() == max_cells) return;
    at = end + 1;
  }
}

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t\f") == std::string_view::npos;
}

bool states_separator(std::string_view line) {
  return line.starts_with("sep=") || line.starts_with("\"sep=");
}

/// Returns true if the number has thousands separators, as in "1,234,567.8", "1.234,5", "1 234" and "1'234".
/// In such a number, the digits are in groups of three, and a different mark can separate the decimals.
bool has_thousands(std::string_view digits) {
  constexpr std::string_view marks = ",. '_";
  std::array<char, 16> found{};
  std::size_t count = 0, begin = 0;
  std::array<std::size_t, 17> lengths{};
  for (std::size_t at = 0; at <= digits.size(); ++at) {
    const bool mark = at == digits.size() || marks.find(digits[at]) != std::string_view::npos;
    if (!mark) {
      if (!is_digit(digits[at])) return false;
      continue;
    }
    if (count == found.size()) return false;
    lengths.at(count) = at - begin;
    if (at < digits.size()) found.at(count++) = digits[at];
    begin = at + 1;
  }
  if (count == 0 || lengths[0] == 0 || lengths[0] > 3) return false;
  if (count == 1) return (found[0] == ' ' || found[0] == '\'' || found[0] == '_') && lengths[1] == 3;
  const char group = found[0];
  for (std::size_t at = 1; at <= count; ++at) {
    const bool decimals = at == count && found.at(at - 1) != group;
    if (!decimals && (found.at(at - 1) != group || lengths.at(at) != 3)) return false;
  }
  return true;
}

/// Returns the separators of a line in their order, one character per gap between cells. If a gap contains a
/// comma or a semicolon, its character is this mark, otherwise it is a blank.
std::string order_of_separators(std::string_view line) {
  std::string order;
  bool in_cell = false;
  char gap = 0;
  for (const char c : line) {
    if (c == ',' || c == ';') {
      if (gap == ',' || gap == ';') order += 'e';  // The cell before this separator is empty.
      gap = c;
      in_cell = false;
    } else if (c == ' ' || c == '\t') {
      if (gap == 0 && in_cell) gap = ' ';
      in_cell = false;
    } else {
      if (!in_cell && gap != 0) order += gap;
      gap = 0;
      in_cell = true;
    }
  }
  return order;
}

bool suits(std::span<const TextLine> rows, Separator separator) {
  std::vector<std::size_t> numbers, others;
  std::vector<std::string_view> cells;
  for (const TextLine& row : rows) {
    cells.clear();
    split(without_comment(row.text), separator, cells);
    numbers.resize(std::max(numbers.size(), cells.size()), 0);
    others.resize(numbers.size(), 0);
    for (std::size_t at = 0; at < cells.size(); ++at) {
      const CellKind kind = kind_of(cells[at]);
      if (kind == CellKind::empty) continue;
      ++(kind == CellKind::word ? others : numbers)[at];
    }
  }
  // A few damaged lines must not change the separator.
  constexpr std::size_t min_columns = 3, max_others = 4;
  std::size_t columns = 0;
  for (std::size_t at = 0; at < numbers.size(); ++at)
    if (numbers[at] * 2 > rows.size() && others[at] * max_others <= numbers[at]) ++columns;
  if (columns < min_columns) return false;
  if (separator != Separator::mixed) return true;
  const std::string order = order_of_separators(without_comment(rows.front().text));
  return std::all_of(rows.begin(), rows.end(), [&](const TextLine& row) {
    return order_of_separators(without_comment(row.text)) == order;
  });
}

}  // namespace

std::size_t split(std::string_view line, Separator separator, std::vector<std::string_view>& cells) {
  cells.clear();
  if (separator == Separator::blanks) {
    split_at_any(
        line, [](char c) { return c == ' ' || c == '\t'; }, cells);
  } else if (separator == Separator::mixed) {
    split_at_any(
        line, [](char c) { return c == ' ' || c == '\t' || c == ',' || c == ';'; }, cells);
  } else {
    split_at(line, static_cast<char>(separator), cells);
  }
  return cells.size();
}

std::vector<std::string_view> split(std::string_view line, Separator separator) {
  std::vector<std::string_view> cells;
  split(line, separator, cells);
  return cells;
}

CellKind kind_of(std::string_view cell) noexcept {
  if (cell.empty()) return CellKind::empty;
  if (parse_value(cell)) return CellKind::number;
  std::string_view digits = cell;
  if (digits.front() == '+' || digits.front() == '-') digits.remove_prefix(1);
  const std::size_t comma = digits.find(',');
  if (comma != std::string_view::npos && digits.find_first_of(",.", comma + 1) == std::string_view::npos) {
    const std::size_t exponent = std::min(digits.find_first_of("eE", comma), digits.size());
    const std::string_view before = digits.substr(0, comma),
                           after = digits.substr(comma + 1, exponent - comma - 1);
    const bool fine = (before.empty() || all_digits(before)) && all_digits(after);
    if (fine && (exponent == digits.size() || parse_value("1" + std::string(digits.substr(exponent)))))
      return CellKind::decimal_comma;
  }
  return has_thousands(digits) ? CellKind::thousands : CellKind::word;
}

std::optional<double> value_of(std::string_view cell) noexcept {
  if (const auto value = parse_value(cell)) return value;
  constexpr std::size_t most = 64;
  if (cell.size() > most || kind_of(cell) != CellKind::decimal_comma) return std::nullopt;
  std::array<char, most> copy{};
  std::replace_copy(cell.begin(), cell.end(), copy.begin(), ',', '.');
  return parse_value({copy.data(), cell.size()});
}

bool is_comment(std::string_view line) noexcept {
  const std::size_t first = line.find_first_not_of(blanks);
  if (first == std::string_view::npos) return false;
  return line[first] == '#' || line[first] == '%' || line.substr(first).starts_with("//");
}

std::string_view without_comment(std::string_view line) noexcept {
  const auto follows_blank = [&](std::size_t at) {
    return at > 0 && blanks.find(line[at - 1]) != std::string_view::npos;
  };
  for (std::size_t at = line.find('#'); at != std::string_view::npos; at = line.find('#', at + 1)) {
    if (follows_blank(at)) return line.substr(0, at);
  }
  for (std::size_t at = line.find('/'); at != std::string_view::npos; at = line.find('/', at + 1)) {
    if (follows_blank(at) && line.substr(at).starts_with("//")) return line.substr(0, at);
  }
  return line;
}

bool is_count(std::string_view line) noexcept {
  return all_digits(trimmed(line));
}

TextSample sample_of(std::string_view text) {
  constexpr std::size_t max_lines = 2'048, places = 8, lines_per_place = 256;
  TextSample sample;
  Lines lines(text);
  for (auto line = lines.next(); line && sample.lines.size() < max_lines; line = lines.next()) {
    if (is_blank(*line) || (sample.lines.empty() && states_separator(*line))) continue;
    if (!is_comment(*line)) {
      sample.lines.push_back({*line, lines.number(), lines.begin()});
    } else if (sample.lines.size() < 2) {
      sample.comments.push_back({*line, lines.number(), lines.begin()});
    }
  }
  if (sample.lines.size() < max_lines) return sample;
  for (std::size_t place = 1; place <= places; ++place) {
    const std::size_t from = std::max(lines.offset(), text.size() / (places + 1) * place);
    Lines more(text.substr(from));
    static_cast<void>(more.next());  // The position is inside a line; skip the rest of this line.
    for (std::size_t count = 0; count < lines_per_place; ++count) {
      const auto line = more.next();
      if (line && !is_blank(*line) && !is_comment(*line))
        sample.lines.push_back({*line, 0, from + more.begin()});
    }
  }
  return sample;
}

std::optional<Separator> separator_of(std::span<const TextLine> rows) {
  constexpr std::size_t enough = 64;
  rows = rows.first(std::min(rows.size(), enough));
  constexpr std::array<Separator, 5> all{Separator::semicolon, Separator::tab, Separator::comma,
                                         Separator::blanks, Separator::mixed};
  const auto find = [&](std::span<const TextLine> some) {
    return std::find_if(all.begin(), all.end(), [&](Separator one) { return suits(some, one); });
  };
  if (rows.empty()) return std::nullopt;
  if (const auto found = find(rows); found != all.end()) return *found;
  // No separator fits most lines. Try single lines, because some lines can be damaged.
  for (std::size_t at = 0; at < rows.size(); ++at) {
    if (const auto found = find(rows.subspan(at, 1)); found != all.end()) return *found;
  }
  return std::nullopt;
}

}  // namespace spira
