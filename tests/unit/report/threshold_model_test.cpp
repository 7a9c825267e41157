// Tests modelled_features(), which predicts the time of a layer with another threshold t, and the cases in
// which no prediction is possible.
#include "engine/report/advice/threshold_model.hpp"

#include "engine/network/network.hpp"
#include "engine/tune/matrix.hpp"

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
            "from the amount of work alone, because no layer of this run used the other dataflow");
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
  EXPECT_EQ(text_of(time->rates), "from the time per operation of other layers in this run");
  EXPECT_FALSE(modelled_features(m, network(), 5, made_densities(), 0))
      << "a layer that does not exist must have no model";
}

/// A matrix of two equal layers, and a run with t = 2. For other t, the cells took the predicted time
/// multiplied by `factor`. Layer "a" has no samples for t = 0 and t = 1.
struct Predicted {
  explicit Predicted(double factor) {
    run.plan.layers[1].threshold = 2;
    run.layers[1] = run.layers[0];
    run.layers[1].name = "b";
    MatrixRow row;
    row.best = 2;
    for (int t = 0; t <= 4; ++t) {
      MatrixCell cell;
      cell.setting.threshold = t;
      cell.state = CellState::measured;
      cell.n = 5;
      cell.features_ms = modelled_features(run, network(), 0, shown, t)->features_ms * (t == 2 ? 1 : factor);
      row.cells.push_back(cell);
    }
    matrix.columns = {{0}, {1}, {2}, {3}, {4}};
    matrix.rows = {row, row};
    for (const std::size_t t : {0, 1})
      matrix.rows[0].cells[t] = {CellState::not_measured, SettingVerdict::none, false,
                                 LayerPlan{static_cast<int>(t)}};
    add_modelled_cells(matrix, run, network(), {&shown, &shown});
  }
  [[nodiscard]] const MatrixCell& cell(std::size_t t) const { return matrix.rows[0].cells[t]; }
  Densities shown = made_densities();
  Measurement run = measured(2);
  SettingMatrix matrix;
};

TEST(ModelledCells, AreShownWithTheErrorOnTheMeasuredCells) {
  const Predicted some(1.25);
  EXPECT_EQ(some.cell(0).state, CellState::modelled);
  EXPECT_EQ(some.cell(0).n, 0);
  EXPECT_EQ(some.cell(0).cost_ms, 0) << "costs and verdicts must not use a prediction";
  EXPECT_EQ(some.cell(0).verdict, SettingVerdict::none);
  EXPECT_NEAR(some.cell(0).modelled_ms, 2.0 * 36 / 20 + 1.0, 1e-9);
  EXPECT_NEAR(some.cell(0).modelled_relative, some.cell(0).modelled_ms / some.cell(2).features_ms, 1e-9);
  EXPECT_EQ(some.cell(3).state, CellState::measured);
  EXPECT_EQ(some.cell(3).modelled_ms, 0) << "a measured cell has no prediction";
  const ModelCheck& check = some.matrix.models.at(static_cast<std::size_t>(some.cell(0).model));
  EXPECT_EQ(check.basis, "from the time per operation of this layer in this run");
  EXPECT_NEAR(check.median_error, 0.2, 1e-9) << "1 / 1.25";
  EXPECT_NEAR(check.largest_error, 0.2, 1e-9);
  EXPECT_TRUE(check.shown);
  const std::string csv = matrix_csv(some.matrix);
  EXPECT_NE(csv.find("t,algorithm,state,"), std::string::npos);
  EXPECT_NE(csv.find(",0,zdelta,modelled,"), std::string::npos) << csv;
  EXPECT_NE(csv.find(",from the time per operation of this layer in this run,"), std::string::npos);
}

TEST(ModelledCells, StayEmptyIfTheModelIsWrongOrNotChecked) {
  const Predicted wrong(2);
  EXPECT_EQ(wrong.cell(0).state, CellState::not_measured);
  EXPECT_EQ(wrong.cell(0).modelled_ms, 0);
  const ModelCheck& check = wrong.matrix.models.at(static_cast<std::size_t>(wrong.cell(0).model));
  EXPECT_NEAR(check.median_error, 0.5, 1e-9);
  EXPECT_FALSE(check.shown);
  SettingMatrix unknown;
  unknown.rows = {wrong.matrix.rows[0]};
  for (MatrixCell& cell : unknown.rows[0].cells) {
    cell.state = CellState::not_measured;
    cell.model = -1;
  }
  add_modelled_cells(unknown, wrong.run, network(), {&wrong.shown});
  ASSERT_EQ(unknown.models.size(), 1U);
  EXPECT_EQ(unknown.models[0].cells, 0);
  EXPECT_FALSE(unknown.models[0].shown) << "no measured cell can check the model";
  SettingMatrix without = unknown;
  without.models.clear();
  add_modelled_cells(without, wrong.run, network(), {nullptr});
  EXPECT_TRUE(without.models.empty()) << "a layer without densities cannot be predicted";
}

}  // namespace
}  // namespace spira
