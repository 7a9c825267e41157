#include "engine/base/text.hpp"

#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <ctime>

namespace spira {

std::string fixed(double value, int decimals) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  std::array<char, 400> out{};
  const auto end =
      std::to_chars(out.data(), out.data() + out.size(), value, std::chars_format::fixed, decimals);
  return {out.data(), end.ptr};
}

std::string shortest(double value) {
  constexpr double min_plain = 1e-4,
                   max_plain = 1e15;  // Numbers in this range have no exponent: 0.0005 instead of 5e-04.
  const double size = std::abs(value);
  std::array<char, 64> out{};
  char* const last = out.data() + out.size();
  const auto end = size >= min_plain && size < max_plain
                       ? std::to_chars(out.data(), last, value, std::chars_format::fixed)
                       : std::to_chars(out.data(), last, value);
  return {out.data(), end.ptr};
}

std::string count_text(std::int64_t value) {
  std::string digits = std::to_string(value);
  const std::size_t first = value < 0 ? 1 : 0;
  for (std::size_t at = digits.size(); at > first + 3;) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}

std::string counted_text(std::int64_t value, std::string_view one, std::string_view more) {
  return count_text(value).append(" ").append(value == 1 ? one : more);
}

std::string bytes_text(std::uint64_t bytes) {
  constexpr std::array<const char*, 5> units{"B", "kB", "MB", "GB", "TB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 999.95 && unit + 1 < units.size()) {
    value /= 1000.0;
    ++unit;
  }
  return fixed(value, unit == 0 ? 0 : 1) + " " + units.at(unit);
}

std::string ms_text(double milliseconds) {
  if (milliseconds >= 1000.0) return fixed(milliseconds / 1000.0, 2) + " s";
  if (milliseconds >= 10.0) return fixed(milliseconds, 1) + " ms";
  return fixed(milliseconds, 3) + " ms";
}

std::string utc_text_now() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm utc{};
  gmtime_r(&now, &utc);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text.data();
}

std::string percent_text(double share, int decimals) {
  return fixed(share * 100.0, decimals) + " %";
}

namespace {

/// Returns the number of bytes of the UTF-8 character at the start of `text`, or 0 if it is a control
/// character or invalid.
std::size_t printable_character(std::string_view text) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const unsigned first = byte(0);
  if (first < 0x80) return first >= 0x20 && first != 0x7F ? 1 : 0;
  const std::size_t length = first >= 0xC2 && first <= 0xDF   ? 2
                             : first >= 0xE0 && first <= 0xEF ? 3
                             : first >= 0xF0 && first <= 0xF4 ? 4
                                                              : 0;
  if (length == 0 || length > text.size()) return 0;
  for (std::size_t at = 1; at < length; ++at) {
    if ((byte(at) & 0xC0U) != 0x80) return 0;
  }
  const unsigned second = byte(1);
  const bool control = first == 0xC2 && second < 0xA0;  // U+0080 to U+009F
  const bool too_long = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool no_character = (first == 0xED && second >= 0xA0) || (first == 0xF4 && second >= 0x90);
  return control || too_long || no_character ? 0 : length;
}

}  // namespace

std::string printable(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  while (!text.empty()) {
    const std::size_t length = printable_character(text);
    if (length == 0) {
      const auto byte = static_cast<unsigned char>(text.front());
      out += {'\\', 'x', digits[byte >> 4U], digits[byte & 15U]};
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

std::string shortened(std::string_view text) {
  constexpr std::size_t most = 80, kept = 60;
  if (text.size() <= most) return std::string(text);
  std::size_t end = kept;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80)
    --end;  // Do not split a UTF-8 character.
  return std::string(text.substr(0, end)) + "... (" + count_text(static_cast<std::int64_t>(text.size())) +
         " bytes)";
}

std::string fingerprint_text(std::uint64_t fingerprint) {
  std::string text(16, '0');
  for (std::size_t at = 16; at-- > 0; fingerprint >>= 4U)
    text[at] = "0123456789abcdef"[fingerprint & 15U];
  return text;
}

namespace {

template <class Number> std::optional<Number> parse_whole(std::string_view text) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  Number value{};
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || result.ec != std::errc{} || result.ptr != text.data() + text.size())
    return std::nullopt;
  return value;
}

}  // namespace

std::optional<double> parse_double(std::string_view text) {
  return parse_whole<double>(text);
}
std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> words;
  std::size_t begin = 0;
  while (true) {
    const auto comma = text.find(',', begin);
    words.push_back(text.substr(begin, comma == std::string::npos ? comma : comma - begin));
    if (comma == std::string::npos) return words;
    begin = comma + 1;
  }
}

std::optional<std::array<double, 2>> parse_range(std::string_view text) {
  const auto comma = text.find(',');
  if (comma == std::string_view::npos) return std::nullopt;
  const double low = parse_double(text.substr(0, comma)).value_or(std::nan(""));
  const double high = parse_double(text.substr(comma + 1)).value_or(std::nan(""));
  if (!std::isfinite(low) || !std::isfinite(high) || low > high) return std::nullopt;
  return std::array{low, high};
}

std::optional<std::int64_t> parse_int(std::string_view text) {
  return parse_whole<std::int64_t>(text);
}

std::string csv_cell(std::string_view text) {
  std::string cell = "\"";
  for (const char letter : text)
    cell += letter == '"' ? std::string("\"\"") : std::string(1, letter);
  return cell + "\"";
}

std::string csv_line(const std::vector<std::string>& cells) {
  std::string line;
  for (const std::string& cell : cells) {
    if (&cell != &cells.front()) line += ",";
    line += cell.find_first_of(",\"\r\n") == std::string::npos ? cell : csv_cell(cell);
  }
  return line + "\r\n";
}

}  // namespace spira
