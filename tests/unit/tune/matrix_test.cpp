// Tests the matrix of a profile and of a recorded sweep. The costs and verdicts of the times were computed by
// hand.
#include "engine/tune/matrix.hpp"

#include "engine/base/error.hpp"
#include "engine/run/measurement.hpp"
#include "engine/tune/sweep.hpp"
#include "engine/tune/tuner.hpp"
#include "tests/support/tuned_profile.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace spira {
namespace {

using test::little_unet;
using testing::DoubleNear;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const LayerShape stem{3, 1, 1, 4, 8}, join{3, 1, 1, 16, 8}, last{3, 1, 1, 8, 8};
const MapKey fine{3, 1, 1};
constexpr int t0 = 0, max_column = 4;  // The columns for little_unet() are t = 0, 1, 2, 3 and max.
/// The medians of the two series differ by 0.1, which is less than the spread of the samples.
const std::vector<double> noisy_low{4.5, 4.6, 4.7, 5.0, 5.3, 5.4, 5.5};
const std::vector<double> noisy_high{4.6, 4.7, 4.8, 5.1, 5.4, 5.5, 5.6};

std::vector<double> steady(double ms, std::size_t samples = 7) {
  return std::vector<double>(samples, ms);
}

/// A profile of one scene. The test creates its records.
class Made {
 public:
  explicit Made(Network wanted = little_unet()) : network(std::move(wanted)) {
    profile.network = network.name;
    profile.network_fingerprint = fingerprint_of(network);
    TunedScene scene;
    scene.pack = PackSpec::bits32();
    profile.scenes = {scene};
  }
  void features(const LayerShape& shape, int t, std::vector<double> ms, bool ok = true) {
    profile.features.push_back({0, shape, t, std::move(ms), false, {0, 0, ok}});
  }
  /// Adds the time `hybrid_ms` for t = 0 to 3, and the time `max_ms` for t = 4.
  void features(const LayerShape& shape, double hybrid_ms, double max_ms) {
    for (const int t : {0, 1, 2, 3})
      features(shape, t, steady(hybrid_ms));
    features(shape, 4, steady(max_ms));
  }
  void maps(const MapKey& key, double ms, MapAlgorithm algorithm = MapAlgorithm::z_delta) {
    for (const int t : {0, 1, 2, 3, 4})
      profile.maps.push_back({0, key, PackSpec::bits32(), t, algorithm, steady(ms), false});
  }
  SettingMatrix matrix() {
    decide(profile, network);
    return setting_matrix(profile, network);
  }
  Network network;
  TuningProfile profile;
};

/// The layer "stem" is fastest with t = 0. The other two layers of its map are fastest with t = max. A map
/// takes 10 ms.
Made coupled() {
  Made made;
  made.maps(fine, 10);
  made.features(stem, 30, 20);
  made.profile.features.front().ms = steady(5);
  made.features(join, 20, 8);
  made.features(last, 20, 8);
  return made;
}
const MatrixRow& row_of(const SettingMatrix& matrix, const std::string& layer) {
  return *std::find_if(matrix.rows.begin(), matrix.rows.end(),
                       [&](const MatrixRow& row) { return row.layer == layer; });
}
std::vector<SettingVerdict> verdicts(const MatrixRow& row) {
  std::vector<SettingVerdict> all;
  for (const MatrixCell& cell : row.cells)
    all.push_back(cell.verdict);
  return all;
}
std::vector<CellState> states(const MatrixRow& row) {
  std::vector<CellState> all;
  for (const MatrixCell& cell : row.cells)
    all.push_back(cell.state);
  return all;
}
constexpr auto best = SettingVerdict::best, tied = SettingVerdict::tied, worse = SettingVerdict::worse,
               undecided = SettingVerdict::undecided, none = SettingVerdict::none;

TEST(Matrix, ASeparateMapCountsForTheOnlyLayerThatNeedsIt) {
  const SettingMatrix matrix = coupled().matrix();
  ASSERT_EQ(matrix.columns.size(), 5U);
  EXPECT_EQ(matrix.columns[0].text(), "t = 0");
  EXPECT_EQ(matrix.columns[max_column].text(), "t = max");
  const MatrixRow& row = row_of(matrix, "stem");
  const MatrixCell &sparse = row.cells[t0], &max = row.cells[max_column];
  EXPECT_EQ(sparse.map_ms, 10);
  EXPECT_EQ(sparse.cost_ms, 15) << "5 ms of features and a map of 10 ms";
  EXPECT_EQ(max.map_ms, 0) << "the other layers need the map of t = max too";
  EXPECT_EQ(max.cost_ms, 20);
  EXPECT_EQ(sparse.relative, 1);
  EXPECT_THAT(max.relative, DoubleNear(20.0 / 15, 1e-12));
  EXPECT_EQ(sparse.median_ms, 5);
  EXPECT_EQ(sparse.n, 7);
  EXPECT_EQ(max.setting.threshold, 4);
  EXPECT_THAT(verdicts(row), ElementsAre(best, worse, worse, worse, worse));
  EXPECT_EQ(row.best, t0);
  EXPECT_EQ(row.current, t0);
  EXPECT_FALSE(row.undecided);
  const MatrixRow& other = row_of(matrix, "join.conv");
  EXPECT_EQ(other.current, max_column);
  EXPECT_EQ(other.cells[t0].cost_ms, 20) << "the map of t = 0 is built for layer stem in any case";
  EXPECT_EQ(other.cells[1].cost_ms, 30) << "no other layer needs the map of t = 1";
}

TEST(Matrix, MarksTheSettingsThatTheTunerCallsTied) {
  Made made;
  made.maps(fine, 1);
  made.features(stem, 0, {83.064796, 91.382375, 92.54467, 79.574954, 78.596351});
  made.features(stem, 2, {80.083739, 86.121493, 81.897472, 85.965472, 79.021192});
  made.features(stem, 4, {85.27035, 92.135082, 90.989661, 89.868346, 87.900074});
  const MatrixRow row = row_of(made.matrix(), "stem");
  EXPECT_EQ(row.current, t0);
  EXPECT_THAT(verdicts(row), ElementsAre(tied, none, best, none, worse));
  const auto& choices = made.profile.choices;
  const auto found = std::find_if(choices.begin(), choices.end(),
                                  [](const TunedShape& one) { return one.layers.front() == "stem"; });
  ASSERT_NE(found, choices.end());
  EXPECT_THAT(found->choice.ties, ElementsAre(2));
}

TEST(Matrix, ATieThatLooksSlowerHasTheIntervalThatExplainsIt) {
  Made made;
  made.maps(fine, 1);
  made.features(stem, 0, {10, 10, 10, 10, 10});
  made.features(stem, 2, {9, 9, 19, 19, 19});
  made.features(stem, 3, {10.1, 10.1, 9.9, 10.1, 9.9});
  made.features(stem, 4, {20, 20, 20, 20, 20});
  const SettingMatrix matrix = made.matrix();
  const MatrixRow& row = row_of(matrix, "stem");
  EXPECT_THAT(verdicts(row), ElementsAre(best, none, tied, tied, worse));
  const MatrixCell& noisy = row.cells[2];
  EXPECT_TRUE(noisy.noisy_tie());
  EXPECT_GT(noisy.relative, 1.5);
  EXPECT_LT(noisy.relative_low, 1) << "the interval must show why the cell is tied";
  EXPECT_GE(noisy.relative_high, noisy.relative);
  EXPECT_FALSE(row.cells[3].noisy_tie()) << "this tie does not look slower";
  EXPECT_FALSE(row.cells[max_column].noisy_tie());
  EXPECT_GT(row.cells[max_column].relative_low, 1);
  EXPECT_EQ(row.cells[t0].relative_high, 0) << "the best setting has no interval";
}

TEST(Matrix, ASlowerCellNeverShowsTheNumberOfTheBestCell) {
  MatrixCell cell;
  cell.relative = 1.0;
  cell.verdict = best;
  EXPECT_EQ(cell.relative_text(), "1.00");
  cell.verdict = worse;
  EXPECT_EQ(cell.relative_text(), ">1.00");
  cell.relative = 1.0038;
  EXPECT_EQ(cell.relative_text(), "1.004");
  cell.verdict = tied;
  EXPECT_EQ(cell.relative_text(), "1.00") << "this cell has a mark";
  cell.verdict = worse;
  cell.relative = 1.0061;
  EXPECT_EQ(cell.relative_text(), "1.01");
}

TEST(Matrix, TotalsCountEachMapOnce) {
  const SettingMatrix matrix = coupled().matrix();
  const PicksTotal total = expected_total(matrix, current_picks(matrix), max_picks(matrix));
  EXPECT_EQ(total.baseline_ms, 20 + 8 + 8 + 10);
  EXPECT_EQ(total.ms, 5 + 8 + 8 + (2 * 10));
  EXPECT_EQ(total.verdict, Verdict::faster);
  EXPECT_EQ(total.layers, 3);
  EXPECT_THAT(total.missing, ElementsAre("down", "deep", "join.shortcut"))
      << "a transposed layer has no alternative, so it must not be listed";
  MatrixPicks sparse = max_picks(matrix);
  sparse[0] = sparse[5] = sparse[6] = 0;
  EXPECT_EQ(expected_total(matrix, sparse, sparse).ms, 5 + 20 + 20 + 10);
  EXPECT_EQ(expected_total(matrix, sparse, sparse).verdict, Verdict::same);
  EXPECT_EQ(expected_total(matrix, sparse, current_picks(matrix)).verdict, Verdict::slower);
}

TEST(Matrix, TheBestPicksReplaceOnlySettingsThatAreSignificantlySlower) {
  Made made = coupled();
  for (FeatureRecord& record : made.profile.features) {
    if (record.shape == join && record.setting.threshold == 0) record.ms = noisy_low;
    if (record.shape == join && record.setting.threshold == 4) record.ms = noisy_high;
  }
  const Plan max = default_plan(made.network);
  const SettingMatrix matrix = setting_matrix(made.profile, made.network, max);
  const BestPicks picks = best_picks(matrix);
  MatrixPicks expected = current_picks(matrix);
  expected[0] = 0;
  EXPECT_EQ(picks.picks, expected) << "only the stem is significantly faster with another t";
  EXPECT_THAT(picks.changed, ElementsAre(0));
  EXPECT_EQ(row_of(matrix, "join.conv").best, max_column) << "a separate map of t = 0 takes 10 ms more";
  EXPECT_THAT(picks.undecided, ElementsAre("down", "deep", "join.shortcut")) << "they have no samples";
  EXPECT_EQ(expected_total(matrix, picks.picks, max_picks(matrix)).verdict, Verdict::faster);
  for (FeatureRecord& record : made.profile.features)
    if (record.shape == stem) record.ms.resize(3);
  EXPECT_THAT(best_picks(setting_matrix(made.profile, made.network, max)).changed, IsEmpty())
      << "three samples decide nothing";
  EXPECT_THAT(best_picks(setting_matrix(made.profile, made.network, max)).undecided,
              testing::Contains("stem"));
}

TEST(Matrix, ATiedSettingIsKeptAndNamed) {
  Made made = coupled();
  for (FeatureRecord& record : made.profile.features) {
    if (record.shape != stem) continue;
    if (record.setting.threshold == 0) record.ms = noisy_low;
    if (record.setting.threshold == 4) {
      record.ms = noisy_high;  // 10 ms more than t = 0, so that its map is paid for
      for (double& ms : record.ms)
        ms += 10;
    }
  }
  const BestPicks picks = best_picks(setting_matrix(made.profile, made.network, default_plan(made.network)));
  EXPECT_THAT(picks.tied, ElementsAre("stem"));
  EXPECT_THAT(picks.changed, IsEmpty());
}

TEST(Matrix, TheBestPicksOfLayersOfOneMapAreFasterTogether) {
  // Layer stem is fastest with t = 0 because layer join uses the map of t = 0, and layer join is fastest with
  // t = 4 because layer stem uses that map. If both change, both need the map of the other.
  Made made;
  made.maps(fine, 10);
  made.features(stem, 40, 20);
  made.profile.features.front().ms = steady(19);
  made.features(join, 40, 19);
  made.profile.features[5].ms = steady(20);
  made.features(last, 40, 40);
  Plan plan = default_plan(made.network);
  plan.layers.at(0).threshold = 4;
  plan.layers.at(static_cast<std::size_t>(made.network.index_of("join.conv"))).threshold = 0;
  plan.layers.at(static_cast<std::size_t>(made.network.index_of("last"))).threshold = 1;
  const SettingMatrix matrix = setting_matrix(made.profile, made.network, plan);
  ASSERT_EQ(row_of(matrix, "stem").best, t0);
  ASSERT_EQ(row_of(matrix, "join.conv").best, max_column);
  const BestPicks picks = best_picks(matrix);
  EXPECT_EQ(picks.changed.size(), 1U) << "one change is enough, because one map is then left";
  EXPECT_EQ(expected_total(matrix, picks.picks, current_picks(matrix)).verdict, Verdict::faster);
}

TEST(Matrix, TiesAreMarked) {
  Made made = coupled();
  for (FeatureRecord& record : made.profile.features) {
    if (record.shape == join && record.setting.threshold == 0) record.ms = noisy_high;
    if (record.shape == join && record.setting.threshold == 4) record.ms = noisy_low;
  }
  EXPECT_THAT(verdicts(row_of(made.matrix(), "join.conv")), ElementsAre(tied, worse, worse, worse, best));
}

TEST(Matrix, FewSamplesAreUndecided) {
  Made made = coupled();
  made.profile.features[1].ms.resize(4);
  SettingMatrix matrix = made.matrix();
  const MatrixRow& row = row_of(matrix, "stem");
  EXPECT_THAT(verdicts(row), ElementsAre(best, undecided, worse, worse, worse));
  EXPECT_TRUE(row.undecided);
  EXPECT_EQ(row.current, max_column) << "an undecided layer must use t = max";
  EXPECT_FALSE(row_of(matrix, "last").undecided);
  made.profile.features[0].ms.resize(4);
  matrix = made.matrix();
  EXPECT_EQ(row_of(matrix, "stem").cells[t0].verdict, undecided);
  EXPECT_EQ(row_of(matrix, "stem").best, t0) << "the fastest setting so far must be known";
}

TEST(Matrix, ASettingWithAnotherOutputIsNeverTheBest) {
  Made made = coupled();
  made.profile.features[0].output.ok = false;
  const SettingMatrix matrix = made.matrix();
  const MatrixRow& row = row_of(matrix, "stem");
  EXPECT_THAT(states(row), ElementsAre(CellState::unusable, CellState::measured, CellState::measured,
                                       CellState::measured, CellState::measured));
  EXPECT_EQ(row.cells[t0].median_ms, 5);
  EXPECT_EQ(row.cells[t0].relative, 0);
  EXPECT_THAT(verdicts(row), ElementsAre(none, worse, worse, worse, best));
}

TEST(Matrix, APartialProfileKeepsTheMapOfLayersThatWereNotMeasured) {
  Made made = coupled();
  std::erase_if(made.profile.features, [](const FeatureRecord& one) { return one.shape != stem; });
  const SettingMatrix matrix = made.matrix();
  EXPECT_THAT(made.profile.undecided, testing::Contains("join.conv"));
  const MatrixRow& row = row_of(matrix, "stem");
  EXPECT_EQ(row.cells[t0].cost_ms, 15);
  EXPECT_EQ(row.cells[max_column].cost_ms, 20) << "layers without samples run with t = max and need its map";
  EXPECT_EQ(row.current, t0);
  EXPECT_FALSE(row_of(matrix, "last").measured);
  EXPECT_THAT(states(row_of(matrix, "last")), Each(CellState::not_measured));
  const PicksTotal total = expected_total(matrix, current_picks(matrix), max_picks(matrix));
  EXPECT_EQ(total.ms, 5 + (2 * 10));
  EXPECT_EQ(total.baseline_ms, 20 + 10);
  EXPECT_THAT(total.missing, ElementsAre("join.conv", "last", "down", "deep", "join.shortcut"));
}

TEST(Matrix, AnEmptyProfileHasEmptyCells) {
  Made made;
  const SettingMatrix matrix = made.matrix();
  ASSERT_EQ(matrix.rows.size(), 7U);
  const auto no = CellState::not_measured, never = CellState::infeasible;
  EXPECT_THAT(states(row_of(matrix, "stem")), ElementsAre(no, no, no, no, no));
  EXPECT_THAT(states(row_of(matrix, "down")), ElementsAre(no, never, never, never, no));
  EXPECT_THAT(states(row_of(matrix, "up")), ElementsAre(no, never, never, never, never));
  EXPECT_THAT(states(row_of(matrix, "join.shortcut")), ElementsAre(no, never, never, never, no));
  EXPECT_EQ(row_of(matrix, "join.shortcut").cells[max_column].setting.threshold, 1);
  for (const MatrixRow& row : matrix.rows) {
    EXPECT_EQ(row.best, -1);
    EXPECT_FALSE(row.measured);
  }
  EXPECT_EQ(current_picks(matrix), max_picks(matrix));
  EXPECT_EQ(expected_total(matrix, max_picks(matrix), max_picks(matrix)).layers, 0);
  made.profile.scenes.clear();
  EXPECT_EQ(made.matrix().rows.size(), 7U);
}

TEST(Matrix, OfOneLayer) {
  Made made(parse_network(R"({"name": "one", "layers": [{"name": "a", "out_channels": 8}]})", "one.json"));
  made.maps(fine, 10);
  made.features({3, 1, 1, 4, 8}, 30, 20);
  const SettingMatrix matrix = made.matrix();
  ASSERT_EQ(matrix.rows.size(), 1U);
  EXPECT_EQ(matrix.rows[0].cells[max_column].cost_ms, 30) << "no other layer needs the map";
  EXPECT_THAT(matrix.rows[0].cells[t0].relative, DoubleNear(40.0 / 30, 1e-12));
}

TEST(Matrix, LayersOfOneShapeCanHaveDifferentSettings) {
  Made made(parse_network(R"({"name": "two", "layers": [{"name": "a", "out_channels": 4},
                              {"name": "b", "out_channels": 4}]})",
                          "two.json"));
  made.maps(fine, 10);
  made.features({3, 1, 1, 4, 4}, 30, 20);
  made.features({3, 1, 1, 4, 4}, 30, 20);
  const SettingMatrix matrix = made.matrix();
  EXPECT_EQ(matrix.rows[1].layers_of_shape, 2);
  EXPECT_EQ(matrix.rows[1].cells[max_column].cost_ms, (2 * 20) + 10);
  EXPECT_EQ(expected_total(matrix, {0, 4}, {4, 4}).ms, 30 + 20 + (2 * 10));
  EXPECT_EQ(expected_total(matrix, {0, 4}, {4, 4}).verdict, Verdict::slower);
}

TEST(Matrix, CellsNameTheAlgorithmOfTheirMap) {
  Made made = coupled();
  made.maps(fine, 5, MapAlgorithm::hash);
  const SettingMatrix matrix = made.matrix();
  EXPECT_EQ(row_of(matrix, "stem").cells[t0].setting, (LayerPlan{0, MapAlgorithm::hash}));
  EXPECT_EQ(row_of(matrix, "stem").cells[t0].map_ms, 5);
}

TEST(Matrix, MarksTheCurrentPlan) {
  Made made = coupled();
  static_cast<void>(made.matrix());
  const SettingMatrix matrix = setting_matrix(made.profile, made.network, default_plan(made.network));
  EXPECT_EQ(row_of(matrix, "stem").current, max_column);
  EXPECT_EQ(row_of(matrix, "join.conv").cells[t0].cost_ms, 30) << "no layer uses t = 0 now";
}

TEST(Matrix, ScenesAreAddedWithTheirWeights) {
  Made made = coupled();
  made.profile.scenes.push_back(made.profile.scenes[0]);
  made.profile.scenes[1].weight = 3;
  const auto features = made.profile.features;
  for (FeatureRecord record : features) {
    record.scene = 1;
    record.ms.resize(6);
    made.profile.features.push_back(record);
  }
  const auto maps = made.profile.maps;
  for (MapRecord record : maps) {
    record.scene = 1;
    made.profile.maps.push_back(record);
  }
  const SettingMatrix matrix = made.matrix();
  EXPECT_EQ(row_of(matrix, "stem").cells[t0].median_ms, 20);
  EXPECT_EQ(row_of(matrix, "stem").cells[t0].cost_ms, 60);
  EXPECT_EQ(row_of(matrix, "stem").cells[t0].n, 6);
}

TEST(Matrix, RefusesAnotherNetwork) {
  Made made = coupled();
  made.profile.network_fingerprint ^= 1U;
  try {
    static_cast<void>(setting_matrix(made.profile, made.network));
    FAIL() << "the profile of another network must be refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_THAT(error.what(), HasSubstr("the profile was tuned for network "));
  }
}

TEST(Matrix, NamesLevelsByStrideAndRule) {
  const Network network = test::reached_network();
  TuningProfile profile;
  profile.network_fingerprint = fingerprint_of(network);
  const SettingMatrix matrix = setting_matrix(profile, network);
  EXPECT_EQ(matrix.rows.at(2).shape.text(matrix.levels), "3x3x3 2 (reached)>2 (reached) 8->8");
  const std::string csv = matrix_csv(matrix);
  EXPECT_THAT(csv, HasSubstr("two.deep,3,2 (reached #2),2 (reached #2),8,8,"));
  EXPECT_THAT(csv, HasSubstr("3x3x3 1>2 (reached #2)"));
}

TEST(Matrix, AsCsvHasOneLineForEachFeasibleCell) {
  const std::string csv = matrix_csv(coupled().matrix());
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1 + (4 * 5) + (2 * 2) + 1);
  EXPECT_THAT(
      csv, testing::StartsWith("layer,kernel_size,stride_in,stride_out,in_channels,out_channels,map,setting,"
                               "t,algorithm,state,verdict,current,n,median_ms,iqr_ms,layers_of_shape,map_ms,"
                               "cost_ms,relative"));
  EXPECT_THAT(csv, HasSubstr("\nstem,3,1,1,4,8,3x3x3 1>1,t = 0,0,zdelta,measured,best,yes,7,5,0,1,10,15,1"));
  EXPECT_THAT(csv, HasSubstr("\nup,2,2,1,16,8,2x2x2 1>2,t = 0,0,zdelta,not measured,,yes,0,,,1,,,"));
}

StageTree stages_of(const std::string& layer, std::vector<double> features_ms, std::vector<double> map_ms) {
  StageTree stages;
  if (!map_ms.empty()) stages.nodes.push_back({"map[" + layer + "]", -1, std::move(map_ms)});
  stages.nodes.push_back({"features[" + layer + "]", -1, std::move(features_ms)});
  return stages;
}

/// A run with t = max and a sweep of t. In the sweep, the features of each layer take 1 + t ms, and each map
/// takes 10 ms.
struct Recorded {
  Recorded() {
    run.plan = default_plan(network);
    for (const Layer& layer : network.layers) {
      LayerMeasurement row;
      row.name = layer.name;
      const bool shares = layer.name == "join.conv" || layer.name == "last";
      row.stages =
          stages_of(layer.name, steady(7), shares ? std::vector<double>() : std::vector<double>{4, 4});
      run.layers.push_back(std::move(row));
    }
    for (int t = 0; t <= 4; ++t) {
      SweepRow row;
      row.threshold = t;
      for (const Layer& layer : network.layers)
        row.stages.merge(stages_of(layer.name, steady(1.0 + t, 3), {10, 10, 10}));
      sweep.rows.push_back(std::move(row));
    }
  }
  [[nodiscard]] SettingMatrix matrix() const { return setting_matrix(sweep, run, network, run.plan); }
  Network network = little_unet();
  Measurement run;
  Sweep sweep;
};

TEST(MatrixOfASweep, EachLayerHasTheStagesOfTheWholeNetwork) {
  Recorded made;
  // Another layer with the same shape has separate samples.
  const int features = made.sweep.rows[2].stages.find(StageKey("features", "deep"));
  made.sweep.rows[2].stages.nodes[static_cast<std::size_t>(features)].samples_ms = steady(0.5, 6);
  ASSERT_TRUE(has_matrix(made.sweep));
  const SettingMatrix matrix = made.matrix();
  ASSERT_EQ(matrix.rows.size(), made.network.layers.size());
  const MatrixRow& row = row_of(matrix, "stem");
  EXPECT_THAT(states(row), Each(CellState::measured));
  EXPECT_EQ(row.cells[2].median_ms, 3);
  EXPECT_EQ(row.cells[2].features_ms, 3);
  EXPECT_EQ(row.cells[2].n, 3);
  EXPECT_EQ(row.cells[2].map_ms, 10) << "no other layer has t = 2";
  EXPECT_EQ(row.cells[max_column].map_ms, 0) << "the other layers need the map of t = max too";
  EXPECT_EQ(row.layers_of_shape, 1);
  EXPECT_EQ(row.current, max_column) << "the run had t = max";
  EXPECT_THAT(verdicts(row), Each(undecided)) << "three samples are too few for a verdict";
  EXPECT_EQ(row_of(matrix, "deep").cells[2].median_ms, 0.5);
  EXPECT_EQ(row_of(matrix, "deep").cells[2].n, 6);
  EXPECT_EQ(row_of(matrix, "join.shortcut").cells[max_column].median_ms, 2)
      << "the largest t of this layer is 1, so t = 1 of the sweep is the first row with it";
  const PicksTotal total = expected_total(matrix, max_picks(matrix), max_picks(matrix));
  EXPECT_EQ(total.layers, 7) << "a sweep also has times of transposed layers";
  EXPECT_THAT(total.missing, IsEmpty());
}

TEST(MatrixOfASweep, ARowOrderCountsForTheMapAndNotForItsFirstLayer) {
  Recorded made;
  for (SweepRow& row : made.sweep.rows) {
    const int stem = row.stages.find(StageKey("features", "stem"));
    for (double& ms : row.stages.nodes[static_cast<std::size_t>(stem)].samples_ms)
      ms += 8;
    row.stages.nodes.push_back({"order", stem, {8, 8, 8}});
  }
  const SettingMatrix matrix = made.matrix();
  const MatrixRow &stem = row_of(matrix, "stem"), &last = row_of(matrix, "last");
  for (std::size_t t = 0; t < stem.cells.size(); ++t)
    EXPECT_EQ(stem.cells[t].features_ms, last.cells[t].features_ms) << t;
  EXPECT_EQ(stem.cells[2].map_ms, 18) << "the map and its row order";
  Recorded without;
  EXPECT_NEAR(expected_total(matrix, max_picks(matrix), max_picks(matrix)).ms,
              expected_total(without.matrix(), max_picks(matrix), max_picks(matrix)).ms + 8, 1e-9);
}

TEST(MatrixOfASweep, OfOneLayerContainsItsMapAndTheRunOfTheOthers) {
  Recorded made;
  made.sweep.layer = 0;
  for (SweepRow& row : made.sweep.rows)
    row.wall.ms = steady(11.0 + row.threshold, 9);
  const SettingMatrix matrix = made.matrix();
  const MatrixRow& row = row_of(matrix, "stem");
  EXPECT_TRUE(row.with_map);
  EXPECT_EQ(row.cells[3].n, 9);
  EXPECT_EQ(row.cells[3].median_ms, 14);
  EXPECT_EQ(row.cells[3].cost_ms, 14) << "the samples contain the map, so it must not be added";
  EXPECT_EQ(row.cells[3].features_ms, 4);
  EXPECT_THAT(verdicts(row), ElementsAre(best, worse, worse, worse, worse));
  const MatrixRow& other = row_of(matrix, "last");
  EXPECT_FALSE(other.with_map);
  EXPECT_EQ(other.cells[max_column].median_ms, 7) << "the time of the run";
  EXPECT_EQ(other.cells[max_column].relative, 1) << "layer stem has built the map of the layer in the run";
  EXPECT_EQ(other.cells[t0].state, CellState::not_measured);
  EXPECT_THAT(verdicts(other), Each(none)) << "the only measured t of a layer was compared with nothing";
}

TEST(MatrixOfASweep, WithoutTimesThereIsNone) {
  Recorded made;
  for (SweepRow& row : made.sweep.rows)
    row.stages.nodes.clear();
  EXPECT_FALSE(has_matrix(made.sweep)) << "wall times of the whole network belong to no layer";
  made.sweep.layer = 0;
  EXPECT_FALSE(has_matrix(made.sweep));
  made.sweep.rows[1].wall.ms = steady(1);
  EXPECT_TRUE(has_matrix(made.sweep));
  made.sweep.rows.resize(1);
  EXPECT_FALSE(has_matrix(made.sweep));
}

}  // namespace
}  // namespace spira
