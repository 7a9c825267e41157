// Tests modelled_features(), which predicts the time of a layer with another threshold t, and the cases in
// which no prediction is possible.
#include "engine/report/advice/threshold_model.hpp"

#include "engine/network/network.hpp"

#include <gtest/gtest.h>

namespace spira {
namespace {

/// Returns densities for 10 outputs and K = 3. The centre has 10 matches, and each other offset has one
/// match.
Densities made_densities() {
  const KernelOffsets offsets(3, 1);
  std::vector<std::int64_t> matches(27, 1);
  matches[static_cast<std::size_t>(offsets.centre())] = 10;
  return densities(offsets, matches, 10);
}

Measurement measured(int threshold) {
  Measurement m;
  m.plan.layers.resize(2);
  m.plan.layers[0].threshold = threshold;
  LayerMeasurement layer;
  layer.name = "a";
  layer.stages.nodes.push_back({"features[a]", -1, {6.0}});
  if (threshold > 0) layer.stages.nodes.push_back({"os", 0, {3.0}});
  if (threshold < 4) layer.stages.nodes.push_back({"ws", 0, {2.0}});
  m.layers = {layer, {}};
  return m;
}

const Network& network() {
  static const Network made = parse_network(
      R"({"name": "n", "layers": [{"name": "a", "out_channels": 8}, {"name": "b", "out_channels": 8}]})",
      "n.json");
  return made;
}

TEST(ThresholdModel, CountsTheWorkOfBothDataflows) {
  const ThresholdWork work = work_of(made_densities(), 2);
  EXPECT_EQ(work.dense_slots, 70) << "the centre and the six offsets of norm 1 must be dense";
  EXPECT_EQ(work.dense_pairs, 16);
  EXPECT_EQ(work.sparse_pairs, 20);
}

TEST(ThresholdModel, ScalesTheTimeOfTheLayer) {
  const auto time = modelled_features(measured(2), network(), 0, made_densities(), 1);
  ASSERT_TRUE(time.has_value());
  EXPECT_NEAR(time->features_ms, 3.0 * 10 / 16 + 2.0 * 26 / 20 + 1.0, 1e-9)
      << "the time must be the sum of both dataflows by pairs, and the rest";
  Measurement gpu = measured(2);
  gpu.device.kind = BackendKind::cuda;
  EXPECT_NEAR(modelled_features(gpu, network(), 0, made_densities(), 1)->features_ms,
              3.0 * 10 / 70 + 2.0 * 26 / 20 + 1.0, 1e-9)
      << "on a GPU, empty slots must cost time too";
  EXPECT_NEAR(modelled_features(measured(2), network(), 0, made_densities(), 2)->features_ms, 6.0, 1e-9);
}

TEST(ThresholdModel, TakesARateOfAnotherLayerOrOneForBothDataflows) {
  Measurement m = measured(4);
  const auto alone = modelled_features(m, network(), 0, made_densities(), 0);
  ASSERT_TRUE(alone.has_value()) << "the model must work if no layer ran weight-stationary";
  EXPECT_NEAR(alone->features_ms, 3.0 * 36 / 36 + 3.0, 1e-9);
  EXPECT_EQ(text_of(alone->rates),
            "from the amount of work only, because no layer of this run used the other dataflow");
  m.device.kind = BackendKind::cuda;
  EXPECT_NEAR(modelled_features(m, network(), 0, made_densities(), 0)->features_ms, 3.0 * 36 / 270 + 3.0,
              1e-9);
  m.device.kind = BackendKind::cpu;
  m.layers[1].stages.nodes.push_back({"features[b]", -1, {1.0}});
  m.layers[1].stages.nodes.push_back({"ws", 0, {1.0}});
  m.layers[1].useful_flops = 2 * 100 * 8 * 8;
  const auto time = modelled_features(m, network(), 0, made_densities(), 0);
  ASSERT_TRUE(time.has_value());
  EXPECT_NEAR(time->features_ms, 36.0 * 4 * 8 / (100.0 * 8 * 8) + 3.0, 1e-9);
  EXPECT_EQ(text_of(time->rates), "from rates of other layers in this run");
  EXPECT_FALSE(modelled_features(m, network(), 5, made_densities(), 0))
      << "a layer that does not exist must have no model";
}

}  // namespace
}  // namespace spira
