// Numbers as text, with units and free of the locale. Screens, files and messages all use these.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace spira {

[[nodiscard]] std::string fixed(double value, int decimals);  ///< "0.050"
[[nodiscard]] std::string shortest(double value);             ///< fewest digits that read back the same
[[nodiscard]] std::string count_text(std::int64_t value);     ///< "124,668"
/// "1 point", "124,668 points".
[[nodiscard]] std::string counted_text(std::int64_t value, std::string_view one, std::string_view more);
[[nodiscard]] std::string bytes_text(std::uint64_t bytes);               ///< "1.9 MB", powers of ten
[[nodiscard]] std::string ms_text(double milliseconds);                  ///< "0.412 ms", "12.3 ms", "1.20 s"
[[nodiscard]] std::string utc_text_now();                                ///< ISO 8601: "2026-11-21T22:28:03Z"
[[nodiscard]] std::string percent_text(double share, int decimals = 1);  ///< 0.227 -> "22.7 %"
/// 16 hexadecimal digits. As text: readers that keep numbers as doubles would lose bits.
[[nodiscard]] std::string fingerprint_text(std::uint64_t fingerprint);

/// Text of a file, fit for a terminal: control characters and bytes that are no UTF-8 become "\x1b".
[[nodiscard]] std::string printable(std::string_view text);

/// The text, or its beginning, "..." and its length if it is long: a name of 2 MB must not fill a message.
[[nodiscard]] std::string shortened(std::string_view text);

/// Whole text must be a number; empty optional otherwise. Never reads the locale.
[[nodiscard]] std::optional<double> parse_double(std::string_view text);
[[nodiscard]] std::optional<std::int64_t> parse_int(std::string_view text);

/// A text as a cell of RFC 4180, in quotes.
[[nodiscard]] std::string csv_cell(std::string_view text);

}  // namespace spira
