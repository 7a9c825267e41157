// Tests the minimum work and the efficiency of a layer. The expected values were computed by hand.
#include "engine/run/layer_work.hpp"

#include "engine/map/kernel_offsets.hpp"

#include <gtest/gtest.h>

#include <string>

namespace spira {
namespace {

/// A submanifold layer with K = 3, 8 to 16 channels, 100 voxels and 500 pairs in fp16. The centre column has
/// 100 pairs.
struct OneLayer {
  OneLayer() {
    layer.name = "a";
    layer.in_channels = 8;
    layer.out_channels = 16;
    measured.name = "a";
    measured.inputs = measured.outputs = 100;
    measured.pairs = 500;
    measured.useful_flops = 128'000;  // 2 FLOPs x 500 pairs x 8 x 16 channels
    measured.map_bytes = 400;
    measured.stages.nodes = {{"map[a]", -1, {2, 2, 2}},
                             {"features[a]", -1, {2, 6, 4}},
                             {"order", 1, {1, 1, 1}},
                             {"os", 1, {0.5, 0.5, 0.5}},
                             {"ws", 1, {0.25, 0.25, 0.25}}};
    const KernelOffsets offsets(3, 1);
    std::vector<std::int64_t> matches(27, 16);
    matches[static_cast<std::size_t>(offsets.centre())] = 100;
    matches[0] = 0;
    columns = densities(offsets, matches, 100);
  }
  [[nodiscard]] MeasuredLayer at(int threshold) const {
    return {layer, levels, measured, threshold, Precision::fp16, 4, &columns};
  }

  Layer layer;
  LayerLevels levels;
  LayerMeasurement measured;
  Densities columns;
};

DeviceRates rates(std::optional<double> bytes, std::optional<double> flops) {
  return {{bytes, "copy", {}}, {flops, "product", {}}};
}

TEST(LayerWork, CountsEveryNecessaryByteOnceAndTheUsefulProducts) {
  const OneLayer one;
  const StageWork work = features_work(one.at(4));
  EXPECT_EQ(work.stage, "features");
  EXPECT_EQ(work.work.bytes, 1600 + 3200 + 27 * 8 * 16 * 2 + 400) << "inputs, outputs, weights and map";
  EXPECT_EQ(work.work.flops, 128'000);
  EXPECT_DOUBLE_EQ(work.work.intensity(), 128'000.0 / 12'112.0);
  MeasuredLayer wide = one.at(4);
  wide.precision = Precision::fp32;
  EXPECT_EQ(features_work(wide).work.bytes, 2 * (1600 + 3200 + 6912) + 400);
}

TEST(LayerWork, TheTimeDoesNotContainStagesThatReorderTheMap) {
  const OneLayer one;
  const StageWork work = features_work(one.at(4));
  EXPECT_EQ(work.samples_ms, (std::vector<double>{1, 5, 3}));
  EXPECT_EQ(work.median_ms(), 3);
  EXPECT_DOUBLE_EQ(work.flops_per_s(), 128'000 / 3e-3);
  EXPECT_DOUBLE_EQ(work.bytes_per_s(), 12'112 / 3e-3);
}

TEST(LayerWork, TheLargerFloorDecides) {
  const OneLayer one;
  const StageWork work = features_work(one.at(4));
  EXPECT_FALSE(work.times_floor(std::nullopt));
  // The floors are 0.012112 ms and 0.128 ms.
  EXPECT_DOUBLE_EQ(work.times_floor(rates(1e9, 1e9)).value(), 3 / 0.128);
  EXPECT_DOUBLE_EQ(work.times_floor(rates(1e7, 1e9)).value(), 3 / 1.2112);
  EXPECT_DOUBLE_EQ(work.times_floor(rates({}, 1e9)).value(), 3 / 0.128);
  EXPECT_DOUBLE_EQ(work.times_floor(rates(1e9, {})).value(), 3 / 0.012112);
  EXPECT_FALSE(work.times_floor(rates({}, {})));
  EXPECT_FALSE(floors_of({0, 0}, rates(1, 1)).larger_ms()) << "no work has no floor";
}

TEST(LayerWork, AHybridLayerDividesItsProductsByTheThreshold) {
  const OneLayer one;
  const auto stages = stage_work(one.at(1));
  ASSERT_EQ(stages.size(), 3U);
  EXPECT_EQ(stages[0].stage, "os");
  EXPECT_EQ(stages[0].work.flops, 2.0 * 100 * 8 * 16) << "only the centre has an L1 norm below 1";
  EXPECT_EQ(stages[0].work.bytes, 1600 + 3200 + 256);
  EXPECT_DOUBLE_EQ(stages[0].flops_per_s(), 25'600 / 0.5e-3);
  EXPECT_EQ(stages[1].stage, "ws");
  EXPECT_EQ(stages[1].work.flops, 2.0 * 400 * 8 * 16);
  EXPECT_EQ(stages[1].work.bytes, 1600 + 3200 + 26 * 256);
  EXPECT_EQ(stages[2].stage, "map");
  EXPECT_EQ(stages[2].work.flops, 0);
  EXPECT_EQ(stages[2].work.bytes, 100 * 4 + 400) << "the coordinates once, and the map";
  EXPECT_EQ(stages[2].samples_ms, (std::vector<double>{3, 3, 3})) << "with the reordering of the map";
}

TEST(LayerWork, PureDataflowsNeedNoDensities) {
  OneLayer one;
  MeasuredLayer facts = one.at(4);
  facts.densities = nullptr;
  facts.measured.map_shared = true;
  auto stages = stage_work(facts);
  ASSERT_EQ(stages.size(), 1U) << "t = max has no weight-stationary part, and a shared map was not built";
  EXPECT_EQ(stages[0].stage, "os");
  EXPECT_EQ(stages[0].work.flops, 128'000);
  facts.threshold = 0;
  stages = stage_work(facts);
  ASSERT_EQ(stages.size(), 1U);
  EXPECT_EQ(stages[0].stage, "ws");
  facts.threshold = 2;
  EXPECT_TRUE(stage_work(facts).empty()) << "the parts of a hybrid layer are unknown without densities";
}

TEST(LayerWork, ADownSamplingMapReadsBothLevels) {
  OneLayer one;
  one.levels.stride_out = one.levels.map.stride_out = 2;
  one.measured.outputs = 30;
  EXPECT_EQ(stage_work(one.at(4)).back().work.bytes, (100 + 30) * 4 + 400);
}

TEST(LayerWork, ANativeLayerNeedsOneProductPerGroupAndReadsPositions) {
  OneLayer one;
  one.measured.neighbours = NeighbourCounts{500, 300, 0, 9, 400, 200};
  one.levels.map.kernel = KernelShape(3);
  one.levels.map.kernel.neighbourhood.shape = NeighbourShape::ball;
  one.layer.neighbourhood = one.levels.map.kernel.neighbourhood;
  constexpr double flops = 2.0 * 300 * 8 * 16;
  EXPECT_EQ(features_work(one.at(0)).work.flops, flops);
  const auto stages = stage_work(one.at(0));
  ASSERT_EQ(stages.size(), 2U);
  EXPECT_EQ(stages[0].stage, "ws");
  EXPECT_EQ(stages[0].work.flops, flops);
  EXPECT_EQ(stages[1].work.bytes, (100 * (4 + 8)) + 400);
  one.levels.map.stride_out = 2;
  one.measured.outputs = 30;
  EXPECT_EQ(stage_work(one.at(0)).back().work.bytes, ((100 + 30) * (4 + 8)) + 400);
}

TEST(LayerWork, ScaledTextsHaveThreeDigitsAndAPrefix) {
  EXPECT_EQ(scaled_text(0.25, "B"), "0.25 B");
  EXPECT_EQ(scaled_text(999.4, "B"), "999 B");
  EXPECT_EQ(scaled_text(999.6, "B"), "1.00 kB");
  EXPECT_EQ(scaled_text(4.22e12, "B/s"), "4.22 TB/s");
  EXPECT_EQ(scaled_text(759.3e12, "FLOP/s"), "759 TFLOP/s");
}

}  // namespace
}  // namespace spira
