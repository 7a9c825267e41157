#include "engine/report/ignored_fields_json.hpp"

#include <set>

namespace spira {
namespace {

using Json = nlohmann::json;

std::string member(const std::string& path, const std::string& key) {
  return path.empty() ? key : path + "." + key;
}

void collect(const Json& value, const std::string& path, std::set<std::string>& paths) {
  if (value.is_object()) {
    for (const auto& [key, one] : value.items()) {
      paths.insert(member(path, key));
      collect(one, member(path, key), paths);
    }
  } else if (value.is_array()) {
    for (const Json& one : value)
      collect(one, path + "[]", paths);
  }
}

void find(const Json& value, const std::string& path, const std::set<std::string>& known,
          std::set<std::string>& unknown) {
  if (value.is_object()) {
    for (const auto& [key, one] : value.items()) {
      const std::string here = member(path, key);
      if (known.contains(here)) {
        find(one, here, known, unknown);
      } else {
        unknown.insert(here);
      }
    }
  } else if (value.is_array()) {
    for (const Json& one : value)
      find(one, path + "[]", known, unknown);
  }
}

}  // namespace

std::vector<std::string> ignored_fields(const Json& document, const Json& known) {
  std::set<std::string> paths, unknown;
  collect(known, "", paths);
  find(document, "", paths, unknown);
  return {unknown.begin(), unknown.end()};
}

}  // namespace spira
