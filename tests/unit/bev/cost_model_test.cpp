// Tests the cost model of blocks against the closed forms of a residual unit and of a single layer.
#include "engine/bev/cost_model.hpp"

#include "engine/bev/blocks.hpp"

#include <gtest/gtest.h>

#include <array>

namespace spira {
namespace {

TEST(CostModel, EqualsTheClosedFormsOfAResidualUnit) {
  constexpr int channels = 96, inner = 24;
  const CostUnit unit = bottleneck(channels, inner);
  constexpr double a = 0.25, d = 0.3;
  const UnitCost dense = dense_cost(unit);
  EXPECT_DOUBLE_EQ(dense.values / channels, 3 + 4 * a);
  EXPECT_DOUBLE_EQ(dense.multiply_adds, channels * channels * (a + 9 * a * a + a));
  EXPECT_EQ(dense.launches, 3);
  for (const int core : block_cores) {
    const double r = (core + 2.0) * (core + 2) / (core * core);
    const UnitCost gathered = gathered_cost(unit, core, d), fused = fused_cost(unit, core, d);
    EXPECT_DOUBLE_EQ(gathered.values / channels, d * (2 * r + r * (1 + a) + a * (r + 1) + (1 + a) + 3));
    EXPECT_DOUBLE_EQ(fused.values / channels, d * (r * (1 + a) + a * (r + 1) + 2 + a));
    EXPECT_DOUBLE_EQ(fused.multiply_adds, d * channels * channels * (r * a + 9 * a * a + a));
    EXPECT_DOUBLE_EQ(gathered.multiply_adds, fused.multiply_adds);
    EXPECT_EQ(gathered.launches, 5);
    EXPECT_EQ(fused.launches, 3);
  }
}

TEST(CostModel, HasTheExpectedBreakEvens) {
  constexpr std::array expected_flops{1.29, 1.13, 1.06, 1.03}, expected_gathered{0.32, 0.40, 0.45, 0.47},
      expected_fused{0.68, 0.83, 0.91, 0.95}, layer_gathered{0.0, 0.26, 0.29, 0.31},
      layer_fused{0.0, 0.78, 0.88, 0.94};
  constexpr double rounding = 0.0051;
  const CostUnit unit = bottleneck(96, 24), layer{{{3, 64, 64}}, 1, false};
  for (std::size_t at = 0; at < block_cores.size(); ++at) {
    const int core = block_cores.at(at);
    EXPECT_NEAR(fused_cost(unit, core, 1).multiply_adds / dense_cost(unit).multiply_adds,
                expected_flops.at(at), rounding);
    EXPECT_NEAR(break_even(dense_cost(unit), gathered_cost(unit, core, 1)), expected_gathered.at(at),
                rounding);
    EXPECT_NEAR(break_even(dense_cost(unit), fused_cost(unit, core, 1)), expected_fused.at(at), rounding);
    if (at == 0) continue;
    EXPECT_NEAR(break_even(dense_cost(layer), gathered_cost(layer, core, 1)), layer_gathered.at(at),
                rounding);
    EXPECT_NEAR(break_even(dense_cost(layer), fused_cost(layer, core, 1)), layer_fused.at(at), rounding);
  }
}

TEST(CostModel, CountsTheLayersOfANetwork) {
  const Network network = network_preset("sbnet");
  for (const BevUnit& unit : units_of(network)) {
    const CostUnit cost = cost_unit(network, unit);
    EXPECT_EQ(dense_cost(cost).multiply_adds, static_cast<double>(multiply_adds_per_cell(network, unit)));
    for (const int core : block_cores) {
      const auto per_block = static_cast<double>(multiply_adds_per_block(network, unit, core));
      EXPECT_NEAR(fused_cost(cost, core, 1).multiply_adds * core * core, per_block, per_block * 1e-12);
      // All inputs of the cells of a block are read: (step * (core - 1) + 1 + 2 * halo)^2.
      const double edge = unit.gathered_edge(core);
      EXPECT_GE(gathered_cost(cost, core, 1).values * core * core,
                3 * edge * edge * cost.layers[0].in_channels);
    }
  }
}

TEST(CostModel, TimeIsTheLargerFloorPlusTheLaunches) {
  const UnitCost cost{10, 100, 3};
  const CostRates bytes{1e9, 1e15, 0.5, 1e-6}, flops{1e15, 1e9, 1, 0};
  EXPECT_DOUBLE_EQ(modelled_s(cost, 1'000, 2, bytes), 10 * 1'000 * 2 / 1e9 / 0.5 + 3e-6);
  EXPECT_DOUBLE_EQ(modelled_s(cost, 1'000, 2, flops), 2 * 100 * 1'000 / 1e9);
  EXPECT_EQ(fused_cost(bottleneck(96, 24), 16, 0).values, 0) << "an empty mask has no work";
}

}  // namespace
}  // namespace spira
