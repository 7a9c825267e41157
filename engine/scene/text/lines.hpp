// Splits a text file into lines, words and numbers without copying the text.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace spira {

class Lines {
 public:
  /// `number_before` is the number of lines that precede `text` in the file. With it, number() is correct
  /// even if `text` is only a part of the file.
  explicit Lines(std::string_view text, std::size_t number_before = 0)
      : text_(text), number_(number_before) {}
  /// Returns the next line without its end ("\n", "\r\n" or "\r"), or an empty value at the end of the text.
  [[nodiscard]] std::optional<std::string_view> next() noexcept {
    if (at_ >= text_.size()) return std::nullopt;
    begin_ = at_;
    if (newline_ < at_ || newline_ == unknown) newline_ = std::min(text_.find('\n', at_), text_.size());
    const std::string_view line = text_.substr(at_, newline_ - at_);
    ++number_;
    const std::size_t end = line.find('\r');
    if (end == std::string_view::npos) {
      at_ = newline_ + 1;
      return line;
    }
    at_ += end + (end + 1 == line.size() && newline_ < text_.size() ? 2 : 1);
    return line.substr(0, end);
  }
  /// Returns the number of the last line that was read, from 1.
  [[nodiscard]] std::size_t number() const noexcept { return number_; }
  /// Returns the offset of the last line that was read.
  [[nodiscard]] std::size_t begin() const noexcept { return begin_; }
  /// Returns the offset of the first byte after the last line that was read.
  [[nodiscard]] std::size_t offset() const noexcept { return std::min(at_, text_.size()); }
  /// Returns the offset of binary data after a text header. It differs from offset() only if the lines of the
  /// header end with "\r" alone. In this case, a "\n" after the header is part of the data.
  [[nodiscard]] std::size_t end_of_header() const noexcept {
    const std::size_t first = text_.find_first_of("\r\n");
    const bool returns = first != std::string_view::npos && first + 1 < text_.size() &&
                         text_[first] == '\r' && text_[first + 1] != '\n';
    const bool both = at_ >= 2 && at_ <= text_.size() && text_[at_ - 2] == '\r' && text_[at_ - 1] == '\n';
    return returns && both ? at_ - 1 : offset();
  }

 private:
  static constexpr std::size_t unknown = static_cast<std::size_t>(-1);

  std::string_view text_;
  std::size_t at_ = 0, begin_ = 0, number_;
  std::size_t newline_ = unknown;  ///< Offset of the first "\n" at or after `at_`.
};

/// Removes the first word of `line` and returns it. Each character of `separators` ends a word. Returns an
/// empty string if there are no more words.
[[nodiscard]] inline std::string_view take_word(std::string_view& line,
                                                std::string_view separators = " \t") noexcept {
  const std::size_t begin = line.find_first_not_of(separators);
  if (begin == std::string_view::npos) {
    line = {};
    return {};
  }
  const std::size_t end = line.find_first_of(separators, begin);
  const std::string_view word =
      line.substr(begin, end == std::string_view::npos ? std::string_view::npos : end - begin);
  line = end == std::string_view::npos ? std::string_view{} : line.substr(end);
  return word;
}

/// Returns the number of bytes in `rest`, not counting blanks and line ends at its start and end.
[[nodiscard]] inline std::size_t text_bytes(std::string_view rest) noexcept {
  constexpr std::string_view blanks = " \t\r\n\f\v";
  const std::size_t begin = rest.find_first_not_of(blanks);
  return begin == std::string_view::npos ? 0 : rest.find_last_not_of(blanks) + 1 - begin;
}

/// Parses a number in any form that programs write: "-1.5e3", "1.5D+03", "nan", "Inf", "1.#QNAN". Values
/// outside the range of double become 0 or infinite. Marks for missing values ("null", "N/A", "-") become
/// NaN. Returns an empty value for any other text and for an empty string.
[[nodiscard]] std::optional<double> parse_value(std::string_view word) noexcept;

/// Returns true if the bytes are text in an encoding that extends ASCII. One control character is allowed, or
/// one per hundred bytes if this is more. Large files are sampled at both ends and at several positions in
/// between. Returns false for an empty file.
[[nodiscard]] bool is_mostly_text(std::span<const std::byte> bytes) noexcept;
/// Returns "UTF-16" or "UTF-32" if the text has this encoding, otherwise an empty string.
[[nodiscard]] std::string_view wide_encoding(std::span<const std::byte> bytes) noexcept;

// The declarations below split the lines of a text file into cells. They detect the separator of the cells
// and the number format.

/// The separator between the cells of a line. `blanks` means spaces and tabs. `mixed` means blanks, commas
/// and semicolons together, in the same order on every line.
enum class Separator : char { comma = ',', semicolon = ';', tab = '\t', blanks = ' ', mixed = '*' };

/// Splits `line` into `cells` and returns the number of cells. Removes quotes and blanks around cells. If the
/// line ends with a comma, semicolon or tab, the last cell is empty.
std::size_t split(std::string_view line, Separator separator, std::vector<std::string_view>& cells);
[[nodiscard]] std::vector<std::string_view> split(std::string_view line, Separator separator);

/// The content of a cell. `thousands` is a number with thousands separators, such as "1,234.5" or "1 234,5".
enum class CellKind : std::uint8_t { empty, word, number, decimal_comma, thousands };
[[nodiscard]] CellKind kind_of(std::string_view cell) noexcept;

/// Returns the value of a cell if its kind is `number` or `decimal_comma`, otherwise an empty value.
[[nodiscard]] std::optional<double> value_of(std::string_view cell) noexcept;

/// Returns true if the line begins with a comment mark: "#", "//" or "%".
[[nodiscard]] bool is_comment(std::string_view line) noexcept;
/// Returns the line without the comment at its end. A comment begins after a blank.
[[nodiscard]] std::string_view without_comment(std::string_view line) noexcept;
/// Returns true if the line is a single whole number. Some files begin with the number of points.
[[nodiscard]] bool is_count(std::string_view line) noexcept;

struct TextLine {
  std::string_view text;
  std::size_t number = 0;  ///< Line number, from 1.
  std::size_t begin = 0;   ///< Offset in the file.
};

/// A sample of the lines of a file: the first lines, and lines from several later positions. Omits blank
/// lines and the line "sep=;", which sets the separator in spreadsheet programs.
struct TextSample {
  std::vector<TextLine> comments;  ///< The comments that precede the second entry of `lines`.
  /// The lines that are not comments. The line number is 0 (not known) for lines from later positions.
  std::vector<TextLine> lines;
};
[[nodiscard]] TextSample sample_of(std::string_view text);

/// Returns the separator that splits most lines into three or more columns of numbers. If there is none,
/// returns the separator of the first line with three or more numbers, or an empty value if there is no such
/// line.
[[nodiscard]] std::optional<Separator> separator_of(std::span<const TextLine> rows);

}  // namespace spira
