// Functions that create facts and their names.
#pragma once

#include "engine/lesson/facts/facts.hpp"

namespace spira {

[[nodiscard]] inline Fact exact_fact(const std::string& name, double value, const std::string& unit = {}) {
  return {name, value, 0, unit, 0, 0};
}
[[nodiscard]] inline Fact count_fact(const std::string& name, std::int64_t value) {
  return exact_fact(name, static_cast<double>(value));
}
/// Returns "name.x", "name.y" or "name.z".
[[nodiscard]] inline std::string of_axis(const std::string& name, std::size_t axis) {
  return name + "." + "xyz"[axis];
}
inline void add_axes(std::vector<std::string>& names, const std::string& name) {
  for (std::size_t axis = 0; axis < 3; ++axis)
    names.push_back(of_axis(name, axis));
}
constexpr std::int64_t rows_per_checkpoint = 65'536;

}  // namespace spira
