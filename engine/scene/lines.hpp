// Walks the lines and words of a text without copying it.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace spira {

class Lines {
 public:
  explicit Lines(std::string_view text) : text_(text) {}
  /// The next line without its end ("\n" or "\r\n"); empty optional at the end of the text.
  [[nodiscard]] std::optional<std::string_view> next() noexcept {
    if (at_ >= text_.size()) return std::nullopt;
    const std::size_t end = text_.find('\n', at_);
    std::string_view line =
        text_.substr(at_, end == std::string_view::npos ? std::string_view::npos : end - at_);
    at_ = end == std::string_view::npos ? text_.size() : end + 1;
    ++number_;
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    return line;
  }
  [[nodiscard]] std::size_t number() const noexcept { return number_; }  ///< of the line given last, from 1
  [[nodiscard]] std::size_t offset() const noexcept { return at_; }      ///< of the first byte after it

 private:
  std::string_view text_;
  std::size_t at_ = 0, number_ = 0;
};

/// Takes the next word off the front of `line`; words are parted by any of `separators`. Empty at the end.
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

/// What is left of a text without the blanks and line ends at its two ends, in bytes.
[[nodiscard]] inline std::size_t text_bytes(std::string_view rest) noexcept {
  constexpr std::string_view blanks = " \t\r\n\f\v";
  const std::size_t begin = rest.find_first_not_of(blanks);
  return begin == std::string_view::npos ? 0 : rest.find_last_not_of(blanks) + 1 - begin;
}

}  // namespace spira
