#include "engine/base/text.hpp"
#include "engine/lesson/lesson.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace spira {
namespace {

/// Returns the text after the last `key` in `name`, or an empty string if `name` does not contain `key`.
std::string behind(std::string_view name, std::string_view key) {
  const std::size_t at = name.rfind(key);
  return at == std::string_view::npos ? std::string() : std::string(name.substr(at + key.size()));
}

std::optional<LessonCommand> offsets_of_fact(const std::string& name) {
  const std::string norm = behind(name, ".l1."), axis = behind(name, ".axis.");
  if (!norm.empty() && parse_int(norm)) return LessonCommand{"choose.l1", {norm}};
  if (axis == "x") return LessonCommand{"choose.offset", {"1", "0", "0"}};
  if (axis == "y") return LessonCommand{"choose.offset", {"0", "1", "0"}};
  if (axis == "z") return LessonCommand{"choose.offset", {"0", "0", "1"}};
  return std::nullopt;
}

}  // namespace

std::optional<LessonCommand> offsets_of(const Expression& formula) {
  std::optional<LessonCommand> about;
  for (const std::string& name : formula.names()) {
    const auto one = offsets_of_fact(name);
    if (!one || one == about) continue;
    if (about) return std::nullopt;
    about = one;
  }
  return about;
}

}  // namespace spira
