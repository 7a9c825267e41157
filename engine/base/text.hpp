// Formats and parses numbers, independent of the locale. The window, files and messages use these functions.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spira {

/// Returns the value with a fixed number of decimals, such as "0.050".
[[nodiscard]] std::string fixed(double value, int decimals);
/// Returns the shortest text from which parse_double() returns exactly `value`.
[[nodiscard]] std::string shortest(double value);
/// Returns the count with thousands separators, such as "124,668".
[[nodiscard]] std::string count_text(std::int64_t value);
/// Returns a count with its noun, such as "1 point" or "124,668 points".
[[nodiscard]] std::string counted_text(std::int64_t value, std::string_view one, std::string_view more);
/// Returns a size such as "1.9 MB". The units are powers of ten.
[[nodiscard]] std::string bytes_text(std::uint64_t bytes);
/// Returns a time such as "0.412 ms", "12.3 ms" or "1.20 s".
[[nodiscard]] std::string ms_text(double milliseconds);
/// Returns the current time in UTC as ISO 8601, such as "2026-11-21T22:28:03Z".
[[nodiscard]] std::string utc_text_now();
/// Returns a share as a percentage: "22.7 %" for 0.227.
[[nodiscard]] std::string percent_text(double share, int decimals = 1);
/// Returns 16 hexadecimal digits. Fingerprints are stored as text, because readers that store numbers as
/// doubles would lose bits.
[[nodiscard]] std::string fingerprint_text(std::uint64_t fingerprint);

/// Makes text from a file safe to print on a terminal: replaces control characters and invalid UTF-8 by
/// escapes such as "\x1b".
[[nodiscard]] std::string printable(std::string_view text);

/// Returns `text` if it is short, otherwise its beginning, "..." and its length. Limits the length of names
/// in messages.
[[nodiscard]] std::string shortened(std::string_view text);

/// Parses a number, independent of the locale. Returns an empty optional unless the whole text is a number.
[[nodiscard]] std::optional<double> parse_double(std::string_view text);
[[nodiscard]] std::optional<std::int64_t> parse_int(std::string_view text);
/// Parses a range such as "-3,1". Returns an empty optional unless the text has two finite numbers in
/// ascending order.
[[nodiscard]] std::optional<std::array<double, 2>> parse_range(std::string_view text);
/// Returns the parts between the commas of a list such as "16,64,16".
[[nodiscard]] std::vector<std::string> split_list(const std::string& text);

/// Returns the text in quotes, as a CSV cell (RFC 4180).
[[nodiscard]] std::string csv_cell(std::string_view text);
/// Returns a line of a CSV table (RFC 4180), including the line end. Cells are quoted only if necessary.
[[nodiscard]] std::string csv_line(const std::vector<std::string>& cells);

}  // namespace spira
