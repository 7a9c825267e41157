#include "engine/base/truncated_json.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

namespace spira {
namespace {

class Tear {
 public:
  explicit Tear(std::span<const std::string_view> open) : open_(open) {}

  std::optional<TruncatedJson> mend(std::string_view text) {
    for (std::size_t at = 0; at < text.size(); ++at) {
      const char letter = text[at];
      if (letter == '"') {
        at = take_string(text, at);
      } else if (letter == ':' && !inside_.empty() && inside_.back().open) {
        inside_.back().key = last_string_;
      } else if (letter == ',') {
        keep_to(at);
      } else if (letter == '{' || letter == '[') {
        enter(letter == '{' ? '}' : ']');
        keep_to(at + 1);
      } else if (letter == '}' || letter == ']') {
        if (inside_.empty() || inside_.back().end != letter) return std::nullopt;
        inside_.pop_back();
        if (inside_.empty()) return std::nullopt;  // the document is complete
        keep_to(at + 1);
      }
    }
    if (ends_.empty()) return std::nullopt;
    return TruncatedJson{std::string(text.substr(0, whole_)) + ends_, torn_member()};
  }

 private:
  struct Container {
    char end;
    std::string path, key;  // key of the member that is being read
    bool open;
  };

  /// Returns the position of the closing quote, or the end of the text if there is none.
  std::size_t take_string(std::string_view text, std::size_t begin) {
    std::size_t end = begin + 1;
    while (end < text.size() && text[end] != '"')
      end += text[end] == '\\' ? 2 : 1;
    end = std::min(end, text.size());
    last_string_ = text.substr(begin + 1, end - begin - 1);
    return end;
  }

  [[nodiscard]] static std::string path_in(const Container& container) {
    if (container.end == ']') return container.path + "[]";
    return container.path.empty() ? container.key : container.path + "." + container.key;
  }

  void enter(char end) {
    // A container is open only if all containers around it are open.
    if (!inside_.empty() && !inside_.back().open) {
      inside_.push_back({end, {}, {}, false});
      return;
    }
    const std::string path = inside_.empty() ? "" : path_in(inside_.back());
    inside_.push_back({end, path, {}, std::find(open_.begin(), open_.end(), path) != open_.end()});
  }

  /// Keeps all text before `at` if the current container is open, so that its complete members are kept one
  /// by one.
  void keep_to(std::size_t at) {
    if (inside_.empty() || !inside_.back().open) return;
    whole_ = at;
    ends_.clear();
    std::transform(inside_.rbegin(), inside_.rend(), std::back_inserter(ends_),
                   [](const Container& one) { return one.end; });
  }

  /// Returns the path of the outermost member that is lost. If only an element of an open list is lost,
  /// returns the path of the list.
  [[nodiscard]] std::string torn_member() const {
    const auto last =
        std::find_if(inside_.rbegin(), inside_.rend(), [](const Container& c) { return c.open; });
    if (last == inside_.rend()) return {};
    return last->end == ']' ? last->path : path_in(*last);
  }

  std::span<const std::string_view> open_;
  std::vector<Container> inside_;
  std::string_view last_string_;
  std::size_t whole_ = 0;
  std::string ends_;  // the brackets that close all containers around `whole_`
};

}  // namespace

std::optional<TruncatedJson> complete_truncated_json(std::string_view text,
                                                     std::span<const std::string_view> open) {
  return Tear(open).mend(text);
}

}  // namespace spira
