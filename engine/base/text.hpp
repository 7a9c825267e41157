// Formats numbers as text with units, independent of the locale. The window, files and messages all use these
// functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spira {

[[nodiscard]] std::string fixed(double value, int decimals);  ///< Example: "0.050".
/// Uses the fewest digits that read back as `value`.
[[nodiscard]] std::string shortest(double value);
[[nodiscard]] std::string count_text(std::int64_t value);  ///< Example: "124,668".
/// Examples: "1 point", "124,668 points".
[[nodiscard]] std::string counted_text(std::int64_t value, std::string_view one, std::string_view more);
/// Example: "1.9 MB". Units are powers of ten.
[[nodiscard]] std::string bytes_text(std::uint64_t bytes);
/// Examples: "0.412 ms", "12.3 ms", "1.20 s".
[[nodiscard]] std::string ms_text(double milliseconds);
/// ISO 8601, such as "2026-11-21T22:28:03Z".
[[nodiscard]] std::string utc_text_now();
[[nodiscard]] std::string percent_text(double share, int decimals = 1);  ///< Example: "22.7 %" for 0.227.
/// Returns 16 hexadecimal digits. Fingerprints are stored as text because readers that store numbers as
/// doubles would lose bits.
[[nodiscard]] std::string fingerprint_text(std::uint64_t fingerprint);

/// Makes the text of a file safe for a terminal: control characters and invalid UTF-8 become escapes such as
/// "\x1b".
[[nodiscard]] std::string printable(std::string_view text);

/// Returns the text if it is short; otherwise its beginning, "..." and its length. A name of 2 MB must not
/// fill a message.
[[nodiscard]] std::string shortened(std::string_view text);

/// Parses `text` independent of the locale. Returns an empty optional unless the whole text is a number.
[[nodiscard]] std::optional<double> parse_double(std::string_view text);
[[nodiscard]] std::optional<std::int64_t> parse_int(std::string_view text);

/// Returns the text in quotes, as a CSV cell (RFC 4180).
[[nodiscard]] std::string csv_cell(std::string_view text);
/// Returns a line of a CSV table (RFC 4180) with its end. Cells are in quotes only if they need them.
[[nodiscard]] std::string csv_line(const std::vector<std::string>& cells);

}  // namespace spira
