#include "engine/voxel/level_rule.hpp"

#include "engine/base/hash_and_random.hpp"

#include <gtest/gtest.h>

#include <set>

namespace spira {
namespace {

using Cells = std::array<std::int64_t, 3>;

LevelRule halved(const LevelRule& from) {
  return from.after(OutputRule::reached, 3, 2, 1, {});
}

TEST(LevelRule, StepsOfTheFloorRuleAreOneStep) {
  const LevelRule twice = LevelRule(2).after(OutputRule::floor, 3, 2, 1, {});
  EXPECT_EQ(twice, LevelRule(4));
  EXPECT_TRUE(twice.floor());
  EXPECT_EQ(LevelRule(1), LevelRule());
  EXPECT_EQ(LevelRule(PerAxis(1, 2, 4)).stride(), PerAxis(1, 2, 4));
  EXPECT_NE(LevelRule(PerAxis(2, 2, 1)), LevelRule(2));
}

TEST(LevelRule, TheRulesAgreeIfTheKernelIsAsWideAsTheStride) {
  EXPECT_EQ(LevelRule().after(OutputRule::reached, 2, 2, 0, {}), LevelRule(2));
  EXPECT_NE(LevelRule().after(OutputRule::reached, 2, 2, 0, Cells{9, 9, 9}), LevelRule(2))
      << "a limit removes cells";
  EXPECT_NE(halved({}), LevelRule(2));
}

TEST(LevelRule, IsNamedByItsStrideAndRule) {
  EXPECT_EQ(text_of(LevelRule(8)), "8");
  EXPECT_EQ(text_of(halved({})), "2 (reached)");
  EXPECT_EQ(text_of(LevelRule(PerAxis(2, 2, 1))), "2x2x1");
}

/// Returns the cells that a step reaches from one cell. Computes them from the definition: o * stride -
/// padding + k = v.
std::set<std::int64_t> by_definition(const AxisStep& step, std::int64_t v) {
  std::set<std::int64_t> found;
  for (std::int64_t o = -20; o <= 60; ++o) {
    if (step.cells > 0 && (o < 0 || o >= step.cells)) continue;
    for (int k = 0; k < step.kernel; ++k) {
      if ((o * step.stride) - step.padding + k == v) found.insert(o);
    }
  }
  return found;
}

TEST(LevelRule, ReachesTheCellsOfTheDefinitionThroughEveryChain) {
  Random random(7);
  const auto up_to = [&](int most) { return static_cast<int>(random.uniform() * (most + 1)); };
  for (int round = 0; round < 500; ++round) {
    LevelRule rule;
    std::vector<AxisStep> steps;
    for (int step = 0; step <= up_to(3); ++step) {
      const int kernel = 1 + up_to(4), stride = 1 << up_to(1), padding = up_to(kernel - 1);
      const std::int64_t cells = up_to(1) == 0 ? 0 : 1 + up_to(25);
      rule = rule.after(OutputRule::reached, kernel, stride, padding, {cells, cells, cells});
      steps.push_back({kernel, stride, padding, cells});
    }
    for (std::int64_t v = -7; v < 30; ++v) {
      std::set<std::int64_t> expected{v};
      for (const AxisStep& step : steps) {
        std::set<std::int64_t> next;
        for (const std::int64_t cell : expected)
          next.merge(by_definition(step, cell));
        expected = std::move(next);
      }
      const CellRange found = rule.cells_of(1, {v, v});
      std::set<std::int64_t> cells;
      for (std::int64_t cell = found.first; cell <= found.last; ++cell)
        cells.insert(cell);
      ASSERT_EQ(cells, expected) << "round " << round << ", voxel " << v;
    }
  }
}

TEST(LevelReach, HoldsTheCoarsestStrideAndEachLevelOnce) {
  LevelReach reach;
  reach.add(LevelRule(4));
  reach.add(halved({}));
  reach.add(halved({}));
  EXPECT_EQ(reach.coarsest, PerAxis(4));
  EXPECT_EQ(reach.reached.size(), 1U);
}

}  // namespace
}  // namespace spira
