#include "engine/scene/text/lines.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>

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

/// Returns the value of a number that has the form of a double but is out of range: 0 or infinity.
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
  /// `control` is the number of control characters that do not occur in text files.
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

/// Removes padding at the end of a file. Programs that reserve whole blocks leave zeros, and old programs
/// leave an end-of-file character.
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
  constexpr std::size_t min_bytes = 12;  // three values and three separators
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

}  // namespace spira
