// Splits the lines of a text file into cells. Finds the separator of the cells and the format of their
// numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace spira {

/// The separator between the cells of a line. `blanks` means spaces and tabs. `mixed` means that blanks,
/// commas and semicolons occur in the same order on every line.
enum class Separator : char { comma = ',', semicolon = ';', tab = '\t', blanks = ' ', mixed = '*' };

/// Splits `line` into `cells` and returns the number of cells. Removes quotes and blanks around cells. If the
/// line ends with a separator other than a blank, the last cell is empty.
std::size_t split(std::string_view line, Separator separator, std::vector<std::string_view>& cells);
[[nodiscard]] std::vector<std::string_view> split(std::string_view line, Separator separator);

/// The format of the value in a cell. `thousands` is a number with thousands separators, such as "1,234.5" or
/// "1 234,5".
enum class CellKind : std::uint8_t { empty, word, number, decimal_comma, thousands };
[[nodiscard]] CellKind kind_of(std::string_view cell) noexcept;

/// Returns the value of a cell of kind `number` or `decimal_comma`. Returns an empty value for all other
/// cells.
[[nodiscard]] std::optional<double> value_of(std::string_view cell) noexcept;

/// Returns true if the line begins with a comment mark: "#", "//" or "%".
[[nodiscard]] bool is_comment(std::string_view line) noexcept;
/// Returns the line without the comment at its end. There must be a blank before the comment.
[[nodiscard]] std::string_view without_comment(std::string_view line) noexcept;
/// Returns true if the line is a single whole number. Some files begin with the number of points.
[[nodiscard]] bool is_count(std::string_view line) noexcept;

struct TextLine {
  std::string_view text;
  std::size_t number = 0;  ///< Line number, from 1.
  std::size_t begin = 0;   ///< Offset in the file.
};

/// A sample of the lines of a file: its first lines, and some lines from several later positions. Blank lines
/// are omitted. The line "sep=;", which sets the separator for spreadsheets, is omitted too.
struct TextSample {
  std::vector<TextLine> comments;  ///< Comments before the second entry of `lines`.
  /// Lines without comments. The field `number` is 0 for lines from later positions of the file.
  std::vector<TextLine> lines;
};
[[nodiscard]] TextSample sample_of(std::string_view text);

/// Returns the separator that gives three or more columns of numbers on most lines. If there is none, returns
/// the separator of the first line with three or more numbers. Returns an empty value if no line has three
/// numbers.
[[nodiscard]] std::optional<Separator> separator_of(std::span<const TextLine> rows);

}  // namespace spira
