#include "engine/voxel/level_rule.hpp"

#include "engine/base/error.hpp"

#include <algorithm>

namespace spira {

std::string text_of(const PerAxis& numbers) {
  return numbers.equal() ? std::to_string(numbers[0]) : cells_text(numbers);
}

std::string cells_text(const PerAxis& numbers) {
  return std::to_string(numbers[0]) + "x" + std::to_string(numbers[1]) + "x" + std::to_string(numbers[2]);
}

std::string_view text_of(OutputRule rule) noexcept {
  return rule == OutputRule::floor ? "floor" : "reached";
}

namespace {

bool rounds_down(const AxisStep& step) {
  return step.kernel == step.stride && step.padding == 0 && step.cells == 0;
}

}  // namespace

LevelRule::LevelRule(PerAxis stride) {
  *this = after(OutputRule::floor, stride, stride, 0, {});
}

LevelRule LevelRule::after(OutputRule rule, PerAxis kernel, PerAxis stride, PerAxis padding,
                           const std::array<std::int64_t, 3>& cells) const {
  LevelRule result = *this;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    AxisStep step{kernel[axis], stride[axis], padding[axis], cells.at(axis)};
    if (rule == OutputRule::floor) step = {stride[axis], stride[axis], 0, 0};
    auto& steps = result.steps_.at(axis);
    if (rounds_down(step)) {
      // Equal levels must have equal rules, so consecutive roundings are one step.
      if (step.stride == 1) continue;
      if (!steps.empty() && rounds_down(steps.back())) {
        step.stride = step.kernel = step.stride * steps.back().stride;
        steps.pop_back();
      }
    }
    steps.push_back(step);
  }
  return result;
}

PerAxis LevelRule::stride() const {
  PerAxis result = 1;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (const AxisStep& step : steps_.at(axis))
      result[axis] *= step.stride;
  }
  return result;
}

bool LevelRule::floor() const noexcept {
  return std::all_of(steps_.begin(), steps_.end(), [](const std::vector<AxisStep>& steps) {
    return steps.empty() || (steps.size() == 1 && rounds_down(steps.front()));
  });
}

CellRange LevelRule::cells_of(std::size_t axis, CellRange range) const {
  for (const AxisStep& step : steps_.at(axis)) {
    range = reached(step, range);
    if (range.empty()) break;
  }
  return range;
}

std::string text_of(const LevelRule& rule) {
  return text_of(rule.stride()) + (rule.floor() ? "" : " (reached)");
}

std::string level_text(std::span<const SceneLevel> levels, int number) {
  if (number < first_numbered_level) return std::to_string(number);
  const auto level =
      std::find_if(levels.begin(), levels.end(), [&](const SceneLevel& one) { return one.number == number; });
  SPIRA_ASSERT(level != levels.end(), "the levels contain no such number");
  const LevelRule& rule = level->rule;
  std::string text = text_of(rule);
  if (rule.floor()) return text;  // Two levels with the floor rule and the same stride are the same level.
  const auto before = std::count_if(levels.begin(), levels.end(), [&](const SceneLevel& one) {
    return one.number < number && !one.rule.floor() && one.rule.stride() == rule.stride();
  });
  if (before > 0) text.insert(text.size() - 1, " #" + std::to_string(before + 1));
  return text;
}

void LevelReach::add(const LevelRule& rule) {
  const PerAxis stride = rule.stride();
  for (std::size_t axis = 0; axis < 3; ++axis)
    coarsest[axis] = std::max(coarsest[axis], stride[axis]);
  if (!rule.floor() && std::find(reached.begin(), reached.end(), rule) == reached.end())
    reached.push_back(rule);
}

}  // namespace spira
