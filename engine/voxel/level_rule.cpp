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
  return step.kernel == step.stride && step.padding == 0 && step.cells == 0 && !step.flat;
}

/// Orders the parts of unions. The order has no other meaning.
bool comes_before(const LevelRule& a, const LevelRule& b) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (a.steps(axis) != b.steps(axis)) return a.steps(axis) < b.steps(axis);
  }
  return std::lexicographical_compare(a.parts().begin(), a.parts().end(), b.parts().begin(), b.parts().end(),
                                      comes_before);
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
      // Equal levels must have equal rules. Therefore consecutive steps that only round down are combined
      // into one step.
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

LevelRule LevelRule::joined(const std::vector<LevelRule>& levels) {
  LevelRule result;
  const auto add = [&](const LevelRule& level) {
    if (std::find(result.parts_.begin(), result.parts_.end(), level) == result.parts_.end())
      result.parts_.push_back(level);
  };
  for (const LevelRule& level : levels) {
    // The parts of a union are added one by one and sorted, so that equal unions have equal rules.
    if (!level.is_union()) add(level);
    if (level.is_union()) std::for_each(level.parts_.begin(), level.parts_.end(), add);
  }
  if (result.parts_.size() == 1) return result.parts_.front();
  std::sort(result.parts_.begin(), result.parts_.end(), comes_before);
  return result;
}

LevelRule LevelRule::flattened() const {
  LevelRule result = *this;
  auto& steps = result.steps_[2];
  if (steps.empty() || !steps.back().flat) steps.push_back({1, 1, 0, 1, true});
  return result;
}

LevelRule LevelRule::of_points() {
  LevelRule result;
  result.points_ = true;
  return result;
}

LevelRule LevelRule::base() const {
  LevelRule result;
  result.parts_ = parts_;
  return result;
}

bool LevelRule::is_union() const noexcept {
  return !parts_.empty() &&
         std::all_of(steps_.begin(), steps_.end(), [](const auto& steps) { return steps.empty(); });
}

bool LevelRule::is_flat() const noexcept {
  const bool base = !parts_.empty() && std::all_of(parts_.begin(), parts_.end(),
                                                   [](const LevelRule& part) { return part.is_flat(); });
  return base ||
         std::any_of(steps_[2].begin(), steps_[2].end(), [](const AxisStep& step) { return step.flat; });
}

std::size_t LevelRule::size() const noexcept {
  std::size_t all = 1;
  for (const LevelRule& part : parts_)
    all += part.size();
  return all;
}

PerAxis LevelRule::base_stride() const {
  PerAxis result = parts_.empty() ? PerAxis(1) : parts_.front().stride();
  for (const LevelRule& part : parts_) {
    const PerAxis own = part.stride();
    for (std::size_t axis = 0; axis < 3; ++axis)
      result[axis] = std::min(result[axis], own[axis]);
  }
  return result;
}

PerAxis LevelRule::stride() const {
  PerAxis result = base_stride();
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (const AxisStep& step : steps_.at(axis))
      result[axis] = step.flat ? 1 : result[axis] * step.stride;
  }
  return result;
}

bool LevelRule::floor() const noexcept {
  return !points_ && parts_.empty() &&
         std::all_of(steps_.begin(), steps_.end(), [](const std::vector<AxisStep>& steps) {
           return steps.empty() || (steps.size() == 1 && rounds_down(steps.front()));
         });
}

CellRange LevelRule::cells_of(std::size_t axis, CellRange range) const {
  if (!parts_.empty()) {
    // The coordinates of the base are multiples of its stride.
    const std::int64_t stride = base_stride()[axis];
    range = {range.first / stride, range.last / stride};
  }
  for (const AxisStep& step : steps_.at(axis)) {
    range = reached(step, range);
    if (range.empty()) break;
  }
  return range;
}

CellRange LevelRule::bounds_of(std::size_t axis, CellRange range) const {
  CellRange of_base = range;
  for (const LevelRule& part : parts_) {
    const std::int64_t stride = part.stride()[axis];
    const CellRange cells = part.bounds_of(axis, range);
    const CellRange own{cells.first * stride, cells.last * stride};
    if (&part == &parts_.front() || of_base.empty()) {
      of_base = own;
    } else if (!own.empty()) {
      of_base = {std::min(of_base.first, own.first), std::max(of_base.last, own.last)};
    }
  }
  return cells_of(axis, of_base);
}

std::string text_of(const LevelRule& rule) {
  if (rule.is_points()) return "points";
  std::string stride = text_of(rule.stride());
  if (rule.floor()) return stride;
  return stride + (rule.is_union() ? " (joined)" : rule.is_flat() ? " (flat)" : " (reached)");
}

std::string level_text(std::span<const SceneLevel> levels, int number) {
  if (number < first_numbered_level) return std::to_string(number);
  const auto level =
      std::find_if(levels.begin(), levels.end(), [&](const SceneLevel& one) { return one.number == number; });
  SPIRA_ASSERT(level != levels.end(), "no level has this number");
  const LevelRule& rule = level->rule;
  std::string text = text_of(rule);
  if (rule.floor()) return text;  // The stride alone identifies the level.
  const auto before = std::count_if(levels.begin(), levels.end(), [&](const SceneLevel& one) {
    return one.number < number && !one.rule.floor() && text_of(one.rule) == text_of(rule);
  });
  if (before > 0) text.insert(text.size() - 1, " #" + std::to_string(before + 1));
  return text;
}

void LevelReach::add(const LevelRule& rule) {
  if (rule.is_points()) return;
  const PerAxis stride = rule.stride();
  for (std::size_t axis = 0; axis < 3; ++axis)
    coarsest[axis] = std::max(coarsest[axis], stride[axis]);
  if (!rule.floor() && std::find(reached.begin(), reached.end(), rule) == reached.end())
    reached.push_back(rule);
}

}  // namespace spira
