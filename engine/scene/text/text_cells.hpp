// Splits a text file with one point per line into cells: finds their separator and the format of their
// numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace spira {

/// Separator of the cells of a line. `blanks` stands for spaces and tabs. `mixed` stands for blanks, commas
/// and semicolons that occur in the same order on every line.
enum class Separator : char { comma = ',', semicolon = ';', tab = '\t', blanks = ' ', mixed = '*' };

/// Splits `line` into `cells` and returns their number. Removes quotes and the blanks around cells. If the
/// line ends with a separator other than blanks, the last cell is empty.
std::size_t split(std::string_view line, Separator separator, std::vector<std::string_view>& cells);
[[nodiscard]] std::vector<std::string_view> split(std::string_view line, Separator separator);

/// Format of the value in a cell. `thousands` is a number with thousands separators, such as "1,234.5" or "1
/// 234,5".
enum class CellKind : std::uint8_t { empty, word, number, decimal_comma, thousands };
[[nodiscard]] CellKind kind_of(std::string_view cell) noexcept;

/// Returns the value of a cell of kind `number` or `decimal_comma`, or an empty value for other cells.
[[nodiscard]] std::optional<double> value_of(std::string_view cell) noexcept;

/// Returns true if the line begins with "#", "//" or "%".
[[nodiscard]] bool is_comment(std::string_view line) noexcept;
/// Returns the line without a comment at its end. The comment must follow a blank.
[[nodiscard]] std::string_view without_comment(std::string_view line) noexcept;
/// Returns true if the line is one whole number, as in files that begin with the number of points.
[[nodiscard]] bool is_count(std::string_view line) noexcept;

struct TextLine {
  std::string_view text;
  std::size_t number = 0;  ///< from 1
  std::size_t begin = 0;   ///< offset in the file
};

/// A sample of the non-blank lines of a file: the first lines, and some lines from several later places. The
/// line "sep=;", which specifies the separator for spreadsheets, is omitted.
struct TextSample {
  std::vector<TextLine> comments;  ///< comments before the second of `lines`
  /// Lines without comments. The number is 0 for lines from later places of the file.
  std::vector<TextLine> lines;
};
[[nodiscard]] TextSample sample_of(std::string_view text);

/// Returns the separator for which most lines have three or more columns of numbers, or else the separator of
/// the first line with three or more numbers. Returns an empty value if no line has three numbers.
[[nodiscard]] std::optional<Separator> separator_of(std::span<const TextLine> rows);

}  // namespace spira
