// Cells of a text file with one point per line: how they are separated, and how their numbers are written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace spira {

/// What separates the cells of a line. `blanks`: spaces and tabs. `mixed`: any of blanks, commas and
/// semicolons, in the same order on every line.
enum class Separator : char { comma = ',', semicolon = ';', tab = '\t', blanks = ' ', mixed = '*' };

/// Splits `line` into `cells`, without blanks around them and without their quotes, and returns their number.
/// A separator at the end of the line is followed by an empty cell, except blanks.
std::size_t split(std::string_view line, Separator separator, std::vector<std::string_view>& cells);
[[nodiscard]] std::vector<std::string_view> split(std::string_view line, Separator separator);

/// How a cell writes its value. `thousands`: with separators of thousands, such as "1,234.5" or "1 234,5".
enum class CellKind : std::uint8_t { empty, word, number, decimal_comma, thousands };
[[nodiscard]] CellKind kind_of(std::string_view cell) noexcept;

/// The value of a cell of kind `number` or `decimal_comma`; an empty optional for other cells.
[[nodiscard]] std::optional<double> value_of(std::string_view cell) noexcept;

/// "#", "//" or "%" begins the line.
[[nodiscard]] bool is_comment(std::string_view line) noexcept;
/// The line without a comment at its end; the comment must follow a blank.
[[nodiscard]] std::string_view without_comment(std::string_view line) noexcept;
/// True if the line is one whole number, as in files that begin with the number of points.
[[nodiscard]] bool is_count(std::string_view line) noexcept;

struct TextLine {
  std::string_view text;
  std::size_t number = 0;  ///< from 1
  std::size_t begin = 0;   ///< offset in the file
};

/// Lines of a file that are not blank: the first ones, and some from several places behind them. The line
/// "sep=;", which names the separator for spreadsheets, is left out.
struct TextSample {
  std::vector<TextLine> comments;  ///< before the second of `lines`
  std::vector<TextLine> lines;  ///< no comments; the number is 0 for lines behind the beginning of the file
};
[[nodiscard]] TextSample sample_of(std::string_view text);

/// The separator for which most lines have three or more columns of numbers, or else that of the first line
/// with three or more numbers. Returns an empty optional if no line has them.
[[nodiscard]] std::optional<Separator> separator_of(std::span<const TextLine> rows);

}  // namespace spira
