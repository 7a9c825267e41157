#include "app/common/value_names.hpp"

#include "engine/network/network.hpp"
#include "engine/scene/generate/generate.hpp"
#include "engine/scene/reader.hpp"

namespace spira::app {
namespace {

void add(std::string& names, std::string_view name) {
  if (!names.empty()) names += '|';
  names += name;
}

}  // namespace

std::string generator_value() {
  std::string names;
  for (const auto& generator : generators())
    add(names, generator.id);
  return names;
}

std::string scene_value() {
  return generator_value() + "|" + file_value;
}

std::string network_value() {
  std::string names;
  for (const auto& preset : network_presets())
    add(names, preset.id);
  add(names, file_value);
  return names;
}

std::string format_value() {
  std::string names;
  for (const auto& format : formats()) {
    if (format.reader != nullptr) add(names, format.id);
  }
  return names;
}

}  // namespace spira::app
