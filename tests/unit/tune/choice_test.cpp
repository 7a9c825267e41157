#include "engine/tune/choice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace spira {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::IsEmpty;

/// Returns the samples of one scene. They are seven rounds around the median `ms` with the relative spread
/// `spread`.
SceneSamples around(double ms, double spread = 0.002) {
  std::vector<double> samples;
  for (const double part : {0.0, 1.0, -1.0, 0.5, -0.5, 0.25, -0.25})
    samples.push_back(ms * (1.0 + (part * spread)));
  return {samples};
}

FeatureSetting features(int t, const SceneSamples& ms) {
  FeatureSetting setting;
  setting.setting = t;
  setting.ms = ms;
  return setting;
}

ShapeTimes shape(std::vector<FeatureSetting> settings, int layers = 1) {
  return {layers, 4, std::move(settings)};
}

std::vector<int> picks(const GroupTimes& group, const std::vector<double>& weights = {1.0}) {
  std::vector<int> all;
  const auto choice = choose(group, weights);
  if (!choice) return all;
  for (const ShapeChoice& one : choice->shapes)
    all.push_back(one.setting.threshold);
  return all;
}

GroupTimes one_layer(double at0, double at2, double at4, double spread = 0.002) {
  GroupTimes group;
  for (const int t : {0, 2, 4})
    group.maps.push_back({t, MapAlgorithm::z_delta, around(1.0)});
  group.shapes.push_back(shape({features(0, around(at0, spread)), features(2, around(at2, spread)),
                                features(4, around(at4, spread))}));
  return group;
}

TEST(Choice, TheFastestBeyondNoiseWins) {
  const auto choice = choose(one_layer(10, 8, 9), {1.0});
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice->shapes[0].setting, 2);
  EXPECT_EQ(choice->shapes[0].why, ChoiceReason::fastest);
  EXPECT_THAT(choice->shapes[0].ties, IsEmpty());
  EXPECT_DOUBLE_EQ(choice->cost_ms, 9.0);
}

TEST(Choice, WithinNoiseTheSimplerSettingWinsAndTheTieIsReported) {
  const auto choice = choose(one_layer(20, 9.9, 10, 0.2), {1.0});
  EXPECT_EQ(choice->shapes[0].setting, 4) << "t = max must win a tie with a hybrid";
  EXPECT_EQ(choice->shapes[0].why, ChoiceReason::tie_simpler);
  EXPECT_THAT(choice->shapes[0].ties, ElementsAre(2));
  EXPECT_EQ(picks(one_layer(10, 9.9, 20, 0.2)), std::vector<int>{0}) << "t = 0 must win a tie with a hybrid";
  EXPECT_EQ(picks(one_layer(9.9, 20, 10, 0.2)), std::vector<int>{4}) << "t = max must win a tie with t = 0";
}

TEST(Choice, ATieIsReportedIfTheSimplerSettingIsAlsoTheFastest) {
  const auto choice = choose(one_layer(20, 10, 9.9, 0.2), {1.0});
  EXPECT_EQ(choice->shapes[0].setting, 4);
  EXPECT_EQ(choice->shapes[0].why, ChoiceReason::tie_simpler);
  EXPECT_THAT(choice->shapes[0].ties, ElementsAre(2));
}

TEST(Choice, ASettingThatIsSlowerThanTheCheapestIsNotChosenThroughAThirdSetting) {
  // These times were measured on a CPU. t = 0 is tied with t = 2 and with t = max, but t = max is slower than
  // t = 2.
  GroupTimes group = one_layer(1, 1, 1);
  group.shapes[0].settings[0].ms = {{83.064796, 91.382375, 92.54467, 79.574954, 78.596351}};
  group.shapes[0].settings[1].ms = {{80.083739, 86.121493, 81.897472, 85.965472, 79.021192}};
  group.shapes[0].settings[2].ms = {{85.27035, 92.135082, 90.989661, 89.868346, 87.900074}};
  EXPECT_EQ(picks(group), std::vector<int>{0});
  EXPECT_THAT(choose(group, {1.0})->shapes[0].ties, ElementsAre(2))
      << "t = max is tied with the chosen t = 0, but not with the best t = 2, as the matrix also shows";
}

TEST(Choice, FewSamplesDecideNothing) {
  GroupTimes group = one_layer(30, 8, 9);
  for (auto& setting : group.shapes[0].settings)
    setting.ms[0].resize(4);
  const auto choice = choose(group, {1.0});
  EXPECT_EQ(choice->shapes[0].setting, 4);
  EXPECT_EQ(choice->shapes[0].why, ChoiceReason::few_samples);
}

TEST(Choice, ASettingWithAnotherOutputIsNotChosen) {
  GroupTimes group = one_layer(10, 8, 9);
  group.shapes[0].settings[1].usable = false;
  EXPECT_EQ(picks(group), std::vector<int>{4});
  EXPECT_FALSE(choose(group, {1.0})->shapes[0].costs[1].usable);
}

TEST(Choice, LayersOfOneMapPayForItOnce) {
  GroupTimes group;
  group.maps = {{2, MapAlgorithm::z_delta, around(5)}, {4, MapAlgorithm::z_delta, around(5)}};
  group.shapes = {shape({features(2, around(10)), features(4, around(13))}),
                  shape({features(2, around(10)), features(4, around(13))})};
  const auto choice = choose(group, {1.0});
  EXPECT_THAT(picks(group), ElementsAre(2, 2));
  EXPECT_DOUBLE_EQ(choice->cost_ms, 25.0) << "the cost must be one map of 5 ms and two layers of 10 ms";
}

TEST(Choice, ASecondMapIsBuiltOnlyWhereItPays) {
  GroupTimes group;
  group.maps = {{2, MapAlgorithm::z_delta, around(5)}, {4, MapAlgorithm::z_delta, around(5)}};
  group.shapes = {shape({features(2, around(10)), features(4, around(20))}),
                  shape({features(2, around(13)), features(4, around(10))})};
  auto choice = choose(group, {1.0});
  EXPECT_THAT(picks(group), ElementsAre(2, 2)) << "a map of 5 ms must not be built to save 3 ms";
  EXPECT_DOUBLE_EQ(choice->cost_ms, 28.0);
  EXPECT_DOUBLE_EQ(choice->shapes[1].costs[1].shared_ms, 5.0)
      << "the cost must include the additional map of t = 4";
  EXPECT_DOUBLE_EQ(choice->shapes[1].costs[1].extra_ms, 2.0);
  EXPECT_DOUBLE_EQ(choice->shapes[1].costs[0].shared_ms, 0.0);
  group.shapes[1].layers = 3;
  choice = choose(group, {1.0});
  EXPECT_THAT(picks(group), ElementsAre(2, 4)) << "a map of 5 ms must be built to save 9 ms";
  EXPECT_DOUBLE_EQ(choice->cost_ms, 10 + 5 + 30 + 5);
  EXPECT_DOUBLE_EQ(choice->shapes[1].costs[1].shared_ms, 5.0);
}

TEST(Choice, TheReadersOfOneMapMoveToASimplerOneTogether) {
  GroupTimes group;
  group.maps = {{0, MapAlgorithm::z_delta, around(1)},
                {2, MapAlgorithm::z_delta, around(5, 0.1)},
                {4, MapAlgorithm::z_delta, around(5, 0.1)}};
  const auto tied = [] {
    return shape({features(0, around(90)), features(2, around(9.9, 0.2)), features(4, around(10, 0.2))});
  };
  group.shapes = {tied(), tied(),
                  shape({features(0, around(10)), features(2, around(90)), features(4, around(90))})};
  EXPECT_THAT(picks(group), ElementsAre(4, 4, 0)) << "t = 0 stays, and both readers of t = 2 move";
}

TEST(Choice, AllLayersOfAMapMoveToTheSimplerOneTogether) {
  GroupTimes group;
  group.maps = {{2, MapAlgorithm::z_delta, around(5, 0.1)}, {4, MapAlgorithm::z_delta, around(5, 0.1)}};
  group.shapes = {shape({features(2, around(9.9, 0.2)), features(4, around(10, 0.2))}),
                  shape({features(2, around(9.9, 0.2)), features(4, around(10, 0.2))})};
  EXPECT_THAT(picks(group), ElementsAre(4, 4))
      << "both layers must move together, because one alone would need a second map";
  EXPECT_EQ(choose(group, {1.0})->shapes[0].why, ChoiceReason::tie_simpler);
}

TEST(Choice, ALayerWithOnlyOneSettingSharesItsMap) {
  // The group consists of a down-sampling layer and a transposed layer, which needs pair lists of the same
  // map.
  GroupTimes group;
  group.maps = {{0, MapAlgorithm::z_delta, around(4)}, {4, MapAlgorithm::z_delta, around(4)}};
  group.shapes = {shape({features(0, around(11)), features(4, around(10))}), {1, 0, {features(0, {})}}};
  EXPECT_THAT(picks(group), ElementsAre(0, 0)) << "a map of 4 ms must not be built to save 1 ms";
  EXPECT_EQ(choose(group, {1.0})->shapes[1].why, ChoiceReason::only_setting);
  group.shapes[0].settings[0].ms = around(20);
  EXPECT_THAT(picks(group), ElementsAre(4, 0));
}

TEST(Choice, TheFastestAlgorithmBuildsEachMap) {
  GroupTimes group = one_layer(10, 8, 9);
  group.maps.push_back({2, MapAlgorithm::hash, around(0.5)});
  group.maps.push_back({4, MapAlgorithm::hash, around(5)});
  const auto choice = choose(group, {1.0});
  EXPECT_EQ(choice->shapes[0].algorithm, MapAlgorithm::hash);
  EXPECT_DOUBLE_EQ(choice->cost_ms, 8.5);
  group.shapes[0].settings[1].ms = around(20);
  EXPECT_EQ(choose(group, {1.0})->shapes[0].algorithm, MapAlgorithm::z_delta);
}

TEST(Choice, AlgorithmsThatTieGoToTheFirst) {
  GroupTimes group = one_layer(20, 20, 9);
  group.maps[2].ms = around(1.0, 0.2);
  group.maps.push_back({4, MapAlgorithm::hash, around(0.99, 0.2)});
  EXPECT_EQ(choose(group, {1.0})->shapes[0].algorithm, MapAlgorithm::z_delta);
  group.maps[2].ms = around(1.5);
  EXPECT_EQ(choose(group, {1.0})->shapes[0].algorithm, MapAlgorithm::hash);
}

TEST(Choice, ScenesCountByTheirWeights) {
  GroupTimes group;
  for (const int t : {0, 4})
    group.maps.push_back({t, MapAlgorithm::z_delta, {around(1)[0], around(1)[0]}});
  group.shapes.push_back(
      shape({features(0, {around(10)[0], around(30)[0]}), features(4, {around(20)[0], around(25)[0]})}));
  EXPECT_EQ(picks(group, {1, 0}), std::vector<int>{0}) << "t = 0 must win if only the first scene counts";
  EXPECT_EQ(picks(group, {0, 1}), std::vector<int>{4}) << "t = 4 must win if only the second scene counts";
  EXPECT_EQ(picks(group, {1, 1}), std::vector<int>{0});
  EXPECT_EQ(picks(group, {1, 3}), std::vector<int>{4});
  const auto on_first = compare_picks(group, {0}, {4}, {1, 0}),
             on_second = compare_picks(group, {4}, {0}, {0, 1});
  EXPECT_THAT(on_first->other_cost_ms, DoubleNear(21, 1e-9))
      << "the other cost must be that of the pick of scene 2 on scene 1";
  EXPECT_THAT(on_first->one_cost_ms, DoubleNear(11, 1e-9))
      << "the first cost must be that of the pick of scene 1";
  EXPECT_THAT(on_second->other_cost_ms, DoubleNear(31, 1e-9));
}

TEST(Choice, PartsThatTwoPicksDoNotShareAreComparedSeparately) {
  GroupTimes group;
  for (const int t : {0, 4})
    group.maps.push_back({t, MapAlgorithm::z_delta, around(1)});
  group.shapes = {shape({features(0, around(10)), features(4, around(20))}),
                  shape({features(0, around(3)), features(4, around(4))})};
  const auto found = compare_picks(group, {0, 0}, {4, 0}, {1});
  ASSERT_TRUE(found);
  const TimesApart& apart = found->apart;
  EXPECT_EQ(apart.one_ms, around(10)[0]);
  ASSERT_EQ(apart.other_ms.size(), around(20)[0].size());
  EXPECT_DOUBLE_EQ(apart.other_ms[0], around(20)[0][0] + around(1)[0][0])
      << "the times of the other pick must include a second map";
  EXPECT_TRUE(compare_picks(group, {4, 0}, {4, 0}, {1})->apart.other_ms.empty());
  EXPECT_FALSE(compare_picks(group, {2, 0}, {4, 0}, {1}));
}

TEST(Choice, AThresholdThatASceneLacksIsNotConsidered) {
  GroupTimes group;
  for (const int t : {0, 4})
    group.maps.push_back({t, MapAlgorithm::z_delta, {around(1)[0], around(1)[0]}});
  group.shapes.push_back(
      shape({features(0, {around(1)[0], {}}), features(4, {around(20)[0], around(20)[0]})}));
  EXPECT_EQ(picks(group, {1, 1}), std::vector<int>{4});
  EXPECT_EQ(picks(group, {1, 0}), std::vector<int>{0});
  EXPECT_FALSE(compare_picks(group, {4}, {0}, {1, 1}));
}

const LayerSetting gather{0, MapLayout::z_runs, 0, FeatureMethod::gather_gemm_scatter};
const LayerSetting unsorted{4, MapLayout::output_major, 0, FeatureMethod::by_layout};

FeatureSetting features(const LayerSetting& setting, const SceneSamples& ms) {
  return {setting, ms, true};
}

TEST(Choice, SettingsThatReadOneMapPayForItOnce) {
  GroupTimes group;
  group.maps = {{0, MapAlgorithm::z_delta, around(5)}, {4, MapAlgorithm::z_delta, around(5)}};
  group.shapes = {shape({features(0, around(3)), features(gather, around(9)), features(4, around(9))}),
                  shape({features(0, around(9)), features(gather, around(3)), features(4, around(4))})};
  const auto choice = choose(group, {1.0});
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice->shapes[0].setting, 0);
  EXPECT_EQ(choice->shapes[1].setting, gather);
  EXPECT_DOUBLE_EQ(choice->cost_ms, 5 + 3 + 3) << "gather reads the pair lists of t = 0";
  EXPECT_EQ(algorithm_for(group, gather, {1.0}), MapAlgorithm::z_delta);
}

TEST(Choice, ATiedDataflowOfAnotherSystemIsNotSelected) {
  GroupTimes group;
  group.maps = {{unsorted, MapAlgorithm::z_delta, around(1)}, {4, MapAlgorithm::z_delta, around(1)}};
  group.shapes = {shape({features(4, around(8)), features(unsorted, around(7.99))})};
  const auto choice = choose(group, {1.0});
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice->shapes[0].setting, 4);
  EXPECT_EQ(choice->shapes[0].ties, std::vector<LayerSetting>{unsorted});
}

TEST(Choice, OfManyMapsTheBestAndTheNecessaryOnesAreCombined) {
  GroupTimes group;
  std::vector<FeatureSetting> settings;
  constexpr int splits = 30;
  for (int count = 1; count <= splits; ++count) {
    const LayerSetting sorted{4, MapLayout::mask_sorted, count, FeatureMethod::by_layout};
    group.maps.push_back({sorted, MapAlgorithm::z_delta, around(1)});
    settings.push_back(features(sorted, around(count == splits - 1 ? 2.0 : 3.0)));
  }
  group.maps.push_back({4, MapAlgorithm::z_delta, around(1000)});
  group.shapes = {shape(settings), shape({features(4, {})})};
  const auto choice = choose(group, {1.0});
  ASSERT_TRUE(choice) << "the only map of the second shape must stay";
  EXPECT_EQ(choice->shapes[0].setting.splits, splits - 1);
  EXPECT_EQ(choice->shapes[1].setting, 4);
}

TEST(Choice, WithoutMapsOrSamplesThereIsNoChoice) {
  GroupTimes group = one_layer(10, 8, 9);
  group.maps.clear();
  EXPECT_FALSE(choose(group, {1.0}));
  group = one_layer(10, 8, 9);
  for (auto& setting : group.shapes[0].settings)
    setting.ms = {{}};
  EXPECT_FALSE(choose(group, {1.0}));
}

}  // namespace
}  // namespace spira
